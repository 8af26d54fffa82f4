#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "encodings_samples.h"

namespace lance::format {
namespace {

std::vector<uint16_t> DecodeLevels(const EncodedLevels& encoded,
                                   const std::vector<uint64_t>& chunk_sizes) {
  const auto decoder = MakeBlockDecoder(ParseEncoding(encoded.encoding), 16);
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  ValueBuffer out{.bits_per_value = 16};
  for (size_t i = 0; i < chunk_sizes.size(); ++i) {
    const auto status = (*decoder)->Decode(AsBytes(encoded.chunks.at(i)), chunk_sizes[i], &out);
    EXPECT_TRUE(status.ok()) << status;
  }
  std::vector<uint16_t> levels(out.num_values);
  if (!levels.empty()) std::memcpy(levels.data(), out.bytes.data(), out.bytes.size());
  return levels;
}

TEST(EncodeLevels, RandomLevelsComeBack) {
  const uint64_t seed = TestSeed();
  SCOPED_TRACE("LANCE_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < TestRounds(100); ++round) {
    std::vector<uint64_t> chunk_sizes(random() % 5);
    for (uint64_t& size : chunk_sizes) size = random() % (round % 2 == 0 ? 20 : 5000);
    std::vector<uint16_t> levels(
        std::accumulate(chunk_sizes.begin(), chunk_sizes.end(), uint64_t{0}));
    const uint64_t max_level = (1ull << random() % 17) - 1;
    for (uint16_t& level : levels) level = static_cast<uint16_t>(random() & max_level);
    SCOPED_TRACE("round " + std::to_string(round) + ", levels up to " + std::to_string(max_level));

    const EncodedLevels encoded = EncodeLevels(levels, chunk_sizes);

    EXPECT_EQ(DecodeLevels(encoded, chunk_sizes), levels);
    size_t encoded_bytes = 0;
    for (const std::string& chunk : encoded.chunks) encoded_bytes += chunk.size();
    EXPECT_LE(encoded_bytes, 2 * levels.size());
  }
}

TEST(EncodeLevels, PacksFullGroupsAndTheTailThatShrinks) {
  std::vector<uint16_t> levels(1024 + 193 + 1024 + 192, 0);
  levels[5] = 1;
  levels.back() = 7;
  const std::vector<uint64_t> chunk_sizes = {1024 + 193, 1024 + 192};

  const EncodedLevels encoded = EncodeLevels(levels, chunk_sizes);

  // out_of_line_bitpacking{16, flat{3}}
  EXPECT_EQ(encoded.encoding, Bytes({0x22, 0x08, 0x08, 0x10, 0x1a, 0x04, 0x0a, 0x02, 0x08, 0x03}));
  ASSERT_EQ(encoded.chunks.size(), 2u);
  EXPECT_EQ(encoded.chunks[0].size(), 384u + 384);  // 193 levels are 386 bytes
  EXPECT_EQ(encoded.chunks[1].size(), 384u + 384);  // 192 levels are 384 bytes, plain
  EXPECT_EQ(DecodeLevels(encoded, chunk_sizes), levels);
}

TEST(EncodeLevels, StaysPlainWherePackingDoesNotShrinkThePage) {
  const EncodedLevels encoded =
      EncodeLevels(std::vector<uint16_t>{0, 0, 1, 0}, std::vector<uint64_t>{2, 2});

  EXPECT_EQ(encoded.encoding, Bytes({0x0a, 0x02, 0x08, 0x10}));  // flat{16}
  EXPECT_EQ(encoded.chunks, (std::vector<std::string>{Bytes({0, 0, 0, 0}), Bytes({1, 0, 0, 0})}));
}

TEST(EncodeLevels, LevelsOfZeroTakeNoBytes) {
  const std::vector<uint64_t> chunk_sizes = {2000, 3};

  const EncodedLevels encoded = EncodeLevels(std::vector<uint16_t>(2003), chunk_sizes);

  // out_of_line_bitpacking{16, flat{}}
  EXPECT_EQ(encoded.encoding, Bytes({0x22, 0x06, 0x08, 0x10, 0x1a, 0x02, 0x0a, 0x00}));
  EXPECT_EQ(encoded.chunks, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(DecodeLevels(encoded, chunk_sizes), std::vector<uint16_t>(2003));
}

TEST(EncodeLevels, NoLevelsMakeEmptyChunks) {
  const EncodedLevels encoded = EncodeLevels({}, std::vector<uint64_t>{0});

  EXPECT_EQ(encoded.chunks, std::vector<std::string>{""});
  EXPECT_TRUE(ParseEncoding(encoded.encoding).has_flat());
}

}  // namespace
}  // namespace lance::format
