#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "encodings_samples.h"

namespace lance::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<uint64_t> ChunkSizes(const EncodedMiniBlocks& encoded) {
  std::vector<uint64_t> sizes;
  for (const EncodedChunk& chunk : encoded.chunks) sizes.push_back(chunk.num_values);
  return sizes;
}

/// What readers refuse in a 2.1 file: file-format 8.1.
void ExpectChunksAreLegal(const EncodedMiniBlocks& encoded, uint64_t level_bytes_per_value) {
  for (size_t i = 0; i < encoded.chunks.size(); ++i) {
    const EncodedChunk& chunk = encoded.chunks[i];
    if (i + 1 < encoded.chunks.size()) {
      EXPECT_TRUE(std::has_single_bit(chunk.num_values)) << chunk.num_values;
      EXPECT_GE(chunk.num_values, 2u);
    }
    ASSERT_EQ(chunk.buffers.size(), 1u);
    const uint64_t levels = (chunk.num_values * level_bytes_per_value + 7) / 8 * 8 + 8;
    EXPECT_LE(8 + levels + (chunk.buffers[0].size() + 7) / 8 * 8, 32768u);
  }
}

void ExpectComesBack(const ValueBuffer& values, uint32_t level_bytes_per_value,
                     uint32_t offset_bits = 32) {
  const auto encoded = EncodeMiniBlocks(values, level_bytes_per_value, offset_bits);
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  ExpectChunksAreLegal(*encoded, level_bytes_per_value);
  const auto decoded = DecodeChunks(*encoded, values.bits_per_value);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->num_values, values.num_values);
  EXPECT_EQ(decoded->bytes, values.bytes);
  if (values.num_values > 0) {
    EXPECT_EQ(decoded->offsets, values.offsets);
  }
}

constexpr uint64_t kLengths[] = {0, 1, 2, 3, 7, 1023, 1024, 1025, 2048, 4095, 4096, 4097, 9000};

/// Random values whose low `width` bits are used.
ValueBuffer RandomFixed(uint32_t bits, uint32_t width, uint64_t num_values,
                        std::mt19937_64* random) {
  ValueBuffer values{.bits_per_value = bits, .num_values = num_values};
  if (bits == 1) {
    values.bytes.resize((num_values + 7) / 8);
    for (uint64_t i = 0; i < num_values; ++i) {
      values.bytes[i / 8] |= static_cast<char>(((*random)() & 1) << i % 8);
    }
    return values;
  }
  const uint64_t mask = width >= 64 ? ~0ull : (1ull << width) - 1;
  for (uint64_t i = 0; i < num_values; ++i) {
    for (uint32_t done = 0; done < bits; done += 64) {
      const uint64_t word = (*random)() & mask;
      values.bytes.append(reinterpret_cast<const char*>(&word), std::min(8u, (bits - done) / 8));
    }
  }
  return values;
}

class MiniBlockFixedTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(MiniBlockFixedTest, EveryLengthAndWidthComesBack) {
  const uint32_t bits = GetParam();
  const uint64_t seed = TestSeed();
  SCOPED_TRACE("LANCE_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (const uint64_t num_values : kLengths) {
    for (const uint32_t width : {0u, 1u, bits / 2, bits - 1, bits}) {
      for (const uint32_t level_bytes : {0u, 2u, 4u}) {
        SCOPED_TRACE(std::to_string(num_values) + " values, width " + std::to_string(width));
        ExpectComesBack(RandomFixed(bits, width, num_values, &random), level_bytes);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MiniBlockFixedTest,
                         ::testing::Values(1, 8, 16, 24, 32, 40, 64, 128, 256, 2048),
                         [](const auto& test) { return std::to_string(test.param) + "Bits"; });

class MiniBlockVariableTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(MiniBlockVariableTest, RandomStringsComeBack) {
  const uint64_t seed = TestSeed();
  SCOPED_TRACE("LANCE_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < TestRounds(40); ++round) {
    const uint64_t max_length = 1ull << random() % 13;  // two values of 4096 bytes fit a chunk
    std::vector<std::string> strings(kLengths[random() % std::size(kLengths)] % 2000);
    for (std::string& string : strings) {
      string.resize(random() % 3 == 0 ? 0 : random() % max_length);
      for (char& c : string) c = static_cast<char>(random());
    }
    SCOPED_TRACE("round " + std::to_string(round) + ", " + std::to_string(strings.size()) +
                 " strings below " + std::to_string(max_length));
    ExpectComesBack(VariableValues(strings), random() % 3 * 2, GetParam());
  }
}

TEST_P(MiniBlockVariableTest, UnicodeAndEmptyStringsComeBack) {
  ExpectComesBack(VariableValues({""}), 2, GetParam());
  ExpectComesBack(VariableValues({"", "", ""}), 2, GetParam());
  ExpectComesBack(VariableValues({"\xc3\xa4\xe2\x82\xac", "", "\xf0\x9f\xa6\x80", "z"}), 0,
                  GetParam());
  ExpectComesBack(VariableValues(std::vector<std::string>(5000)), 2, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, MiniBlockVariableTest, ::testing::Values(32, 64),
                         [](const auto& test) { return std::to_string(test.param) + "Bits"; });

TEST(EncodeMiniBlocks, WritesVariableBytesAsTheReferenceDoes) {
  const auto encoded = EncodeMiniBlocks(VariableValues({"x", "yy", "", "w", "v"}), 2);
  const auto wide = EncodeMiniBlocks(VariableValues({"abc"}), 2, 64);

  ASSERT_TRUE(encoded.ok()) << encoded.status();
  EXPECT_EQ(encoded->encoding, Bytes({0x12, 0x06, 0x0a, 0x04, 0x0a, 0x02, 0x08, 0x20}));
  ASSERT_EQ(encoded->chunks.size(), 1u);
  EXPECT_EQ(encoded->chunks[0].buffers[0],
            Bytes({24,  0,   0,   0,   25,  0,   0,   0,  27, 0, 0, 0,
                   27,  0,   0,   0,   28,  0,   0,   0,  29, 0, 0, 0,  //
                   'x', 'y', 'y', 'w', 'v', 'H', 'H', 'H'}));
  ASSERT_TRUE(wide.ok()) << wide.status();
  EXPECT_EQ(wide->chunks[0].buffers[0],
            Bytes({16, 0, 0, 0, 0,   0,   0,   0,   19,  0,   0,   0,
                   0,  0, 0, 0, 'a', 'b', 'c', 'H', 'H', 'H', 'H', 'H'}));
}

TEST(EncodeMiniBlocks, WritesPackedBytesAsTheReferenceDoes) {
  const auto zeros = EncodeMiniBlocks(FixedValues(std::vector<uint32_t>(1500)), 2);

  ASSERT_TRUE(zeros.ok()) << zeros.status();
  EXPECT_EQ(zeros->encoding, Bytes({0x2a, 0x02, 0x08, 0x20}));
  EXPECT_THAT(ChunkSizes(*zeros), ElementsAre(1024, 476));
  EXPECT_EQ(zeros->chunks[0].buffers[0], Bytes({0, 0, 0, 0}));
  EXPECT_EQ(zeros->chunks[1].buffers[0], Bytes({0, 0, 0, 0}));
}

TEST(EncodeMiniBlocks, PacksOnlyWhereThatIsSmaller) {
  std::vector<int64_t> narrow(1024, 7);
  std::vector<int64_t> one_negative = narrow;
  one_negative[500] = -1;

  EXPECT_TRUE(
      ParseEncoding(EncodeMiniBlocks(FixedValues(narrow), 0)->encoding).has_inline_bitpacking());
  EXPECT_TRUE(ParseEncoding(EncodeMiniBlocks(FixedValues(one_negative), 0)->encoding).has_flat());
  // 2 bits: 2 + 256 bytes packed, 258 and 260 plain.
  EXPECT_TRUE(
      ParseEncoding(EncodeMiniBlocks(FixedValues(std::vector<uint16_t>(129, 3)), 0)->encoding)
          .has_flat());
  EXPECT_TRUE(
      ParseEncoding(EncodeMiniBlocks(FixedValues(std::vector<uint16_t>(130, 3)), 0)->encoding)
          .has_inline_bitpacking());
}

TEST(EncodeMiniBlocks, PacksEachGroupToItsOwnWidth) {
  std::vector<uint32_t> values(3072, 1);
  values[1024] = 255;

  const auto encoded = EncodeMiniBlocks(FixedValues(values), 0);

  ASSERT_TRUE(encoded.ok()) << encoded.status();
  ASSERT_EQ(encoded->chunks.size(), 3u);
  EXPECT_EQ(encoded->chunks[0].buffers[0].size(), 4u + 128);
  EXPECT_EQ(encoded->chunks[1].buffers[0].size(), 4u + 1024);
  EXPECT_EQ(encoded->chunks[2].buffers[0].size(), 4u + 128);
}

TEST(EncodeMiniBlocks, CutsFlatChunksAsTheReferenceDoes) {
  std::mt19937_64 random(1);

  const auto sizes = [&](uint32_t bits, uint64_t num_values, uint32_t level_bytes) {
    return ChunkSizes(*EncodeMiniBlocks(RandomFixed(bits, 64, num_values, &random), level_bytes));
  };

  EXPECT_THAT(sizes(64, 2048, 0), ElementsAre(512, 512, 512, 512));
  EXPECT_THAT(sizes(32, 1025, 2), ElementsAre(1024, 1));
  EXPECT_THAT(sizes(8, 4097, 0), ElementsAre(4096, 1));
  EXPECT_THAT(sizes(8, 4097, 2), ElementsAre(2048, 2048, 1));
  EXPECT_THAT(sizes(1, 9000, 2), ElementsAre(4096, 4096, 808));
  EXPECT_THAT(sizes(128, 300, 0), ElementsAre(256, 44));
  EXPECT_THAT(sizes(8 * 10000, 5, 2), ElementsAre(2, 2, 1));
}

TEST(EncodeMiniBlocks, CutsVariableChunksAsTheReferenceDoes) {
  const auto sizes = [&](uint64_t length, uint64_t num_values) {
    return ChunkSizes(*EncodeMiniBlocks(
        VariableValues(std::vector<std::string>(num_values, std::string(length, 'a'))), 2));
  };

  EXPECT_THAT(sizes(40, 200), ElementsAre(64, 64, 72));  // 4 * 73 + 40 * 72 <= 4096
  EXPECT_THAT(sizes(0, 1500), ElementsAre(512, 988));
  EXPECT_THAT(sizes(4000, 3), ElementsAre(2, 1));
  EXPECT_THAT(sizes(15000, 4), ElementsAre(2, 2));
  EXPECT_THAT(sizes(32000, 1), ElementsAre(1));
}

TEST(EncodeMiniBlocks, RefusesValuesThatDoNotFitAChunk) {
  const auto two_strings =
      EncodeMiniBlocks(VariableValues({"a", std::string(16400, 'b'), std::string(16400, 'c')}), 2);
  const auto one_string = EncodeMiniBlocks(VariableValues({std::string(33000, 'a')}), 2);
  const auto two_wide = EncodeMiniBlocks(
      {.bits_per_value = 8 * 16400, .num_values = 2, .bytes = std::string(32800, 'a')}, 2);

  EXPECT_TRUE(two_strings.ok()) << two_strings.status();  // 1 + 16400 bytes, then the last alone
  ASSERT_TRUE(one_string.status().IsCapacityError()) << one_string.status();
  EXPECT_THAT(one_string.status().message(),
              HasSubstr("the 1 values from value 0 on need 33039 bytes, a chunk holds 32768"));
  ASSERT_TRUE(two_wide.status().IsCapacityError()) << two_wide.status();
  EXPECT_THAT(two_wide.status().message(), HasSubstr("2 values of 16400 bytes need 32833 bytes"));

  const auto in_the_middle =
      EncodeMiniBlocks(VariableValues({std::string(16400, 'b'), std::string(16400, 'c'), "a"}), 2);
  ASSERT_TRUE(in_the_middle.status().IsCapacityError()) << in_the_middle.status();
  EXPECT_THAT(in_the_middle.status().message(), HasSubstr("the 2 values from value 0 on need"));
}

TEST(EncodeMiniBlocks, NoValuesMakeNoChunks) {
  EXPECT_TRUE(EncodeMiniBlocks({.bits_per_value = 32}, 2)->chunks.empty());
  EXPECT_TRUE(EncodeMiniBlocks({.bits_per_value = 0}, 2)->chunks.empty());
}

TEST(MiniBlockDecoder, AppendsBoolsInsideAByte) {
  const auto decoder = MakeMiniBlockDecoder(Flat(1), 1);
  ASSERT_TRUE(decoder.ok()) << decoder.status();
  ValueBuffer out{.bits_per_value = 1};

  // Unused high bits are set, and must not come along.
  for (const auto& [byte, num_values] : {std::pair{0xfd, 2}, {0xfe, 3}, {0xff, 4}}) {
    const std::string bytes = Bytes({byte});
    const std::span<const std::byte> buffer = AsBytes(bytes);
    ASSERT_TRUE((*decoder)->Decode({&buffer, 1}, num_values, &out).ok());
  }

  EXPECT_EQ(out.num_values, 9u);
  EXPECT_EQ(out.bytes, Bytes({0b11111001, 0b1}));
}

}  // namespace
}  // namespace lance::format
