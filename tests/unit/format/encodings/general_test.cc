#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arrow/util/compression.h"
#include "lance/format/encodings/compressed_buffer.h"
#include "lance/testing/matchers.h"
#include "samples.h"

namespace lance::format {
namespace {

using ::lance::testing::HasStatus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Compress(arrow::Compression::type type, const std::string& plain) {
  const auto codec = *arrow::util::Codec::Create(type);
  const auto* in = reinterpret_cast<const uint8_t*>(plain.data());
  const auto size = static_cast<int64_t>(plain.size());
  std::string compressed(static_cast<size_t>(codec->MaxCompressedLen(size, in)), '\0');
  const auto written = codec->Compress(size, in, static_cast<int64_t>(compressed.size()),
                                       reinterpret_cast<uint8_t*>(compressed.data()));
  compressed.resize(static_cast<size_t>(*written));
  return compressed;
}

std::string ZstdFrame(const std::string& plain) {
  return Compress(arrow::Compression::ZSTD, plain);
}

/// What files hold: the size, then the compressed bytes.
std::string StoredZstd(const std::string& plain) {
  return Integers<uint64_t>({plain.size()}) + ZstdFrame(plain);
}
std::string StoredLz4(const std::string& plain) {
  return Integers<uint32_t>({static_cast<uint32_t>(plain.size())}) +
         Compress(arrow::Compression::LZ4, plain);
}

struct FramingCase {
  std::string name;
  pb::CompressiveEncoding (*around)(pb::CompressiveEncoding);
  std::string (*store)(const std::string&);
};

class GeneralDecoderTest : public ::testing::TestWithParam<FramingCase> {
 protected:
  pb::CompressiveEncoding Around(pb::CompressiveEncoding inner) const {
    return GetParam().around(std::move(inner));
  }
  std::string Store(const std::string& plain) const { return GetParam().store(plain); }
};

TEST_P(GeneralDecoderTest, ReadsChunksOfEveryInnerEncoding) {
  const std::string ints = Integers<uint32_t>({7, 7, 7});
  const std::string table = SymbolTable({"ab"});

  const auto flat = DecodeMini(Around(Flat(32)), Single(32), {Store(ints)}, 3);
  const auto bools = DecodeMini(Around(Flat(1)), Single(1), {Store("\x05")}, 3);
  const auto split = DecodeMini(Around(Split(32)), Single(32), {Store("aAbBcCdD")}, 2);
  const auto inline_packed = DecodeMini(Around(Inline(16)), Single(16), {Store(Bytes({0, 0}))}, 2);
  const auto texts =
      DecodeMini(Around(Variable(32)), Single(0), {Store(TextChunk({"x", "yy"}))}, 2);
  const auto fsst = DecodeMini(Around(Fsst(table, Variable(32))), Single(0),
                               {Store(TextChunk({Bytes({0, 0})}))}, 1);
  const auto runs =
      DecodeMini(Around(Rle(16)), Single(16), {Store(Bytes({1, 0, 2, 0})), Bytes({2, 1})}, 3);
  const auto lists =
      DecodeMini(Around(ListOf(2, Flat(8), true)), {.bits_per_value = 8, .dimensions = {2}},
                 {Store("\x02"), Bytes({5, 6})}, 1);

  ASSERT_TRUE(flat.ok()) << flat.status();
  EXPECT_EQ(Text(flat->bytes), ints);
  ASSERT_TRUE(bools.ok()) << bools.status();
  EXPECT_EQ(Digits(bools->bytes, 3), "101");
  ASSERT_TRUE(split.ok()) << split.status();
  EXPECT_EQ(Text(split->bytes), "abcdABCD");
  ASSERT_TRUE(inline_packed.ok()) << inline_packed.status();
  EXPECT_EQ(Text(inline_packed->bytes), std::string(4, '\0'));
  ASSERT_TRUE(texts.ok()) << texts.status();
  EXPECT_THAT(Strings(*texts), ElementsAre("x", "yy"));
  ASSERT_TRUE(fsst.ok()) << fsst.status();
  EXPECT_THAT(Strings(*fsst), ElementsAre("abab"));
  ASSERT_TRUE(runs.ok()) << runs.status();
  EXPECT_THAT(IntegersOf<uint16_t>(runs->bytes), ElementsAre(1, 1, 2));
  ASSERT_TRUE(lists.ok()) << lists.status();
  EXPECT_EQ(Digits(lists->item_validity.at(0), 2), "01");
}

TEST_P(GeneralDecoderTest, ReadsBlocksOfEveryInnerEncoding) {
  const std::string texts = Integers<uint32_t>({32, 20, 0, 1, 3}) + "abb";
  const std::string runs = Integers<uint64_t>({2}) + Bytes({9, 0, 3});

  const auto flat = DecodeBlock(Around(Flat(128)), Single(128), Store(std::string(32, 'x')), 2);
  const auto words = DecodeBlock(Around(Variable(32)), Single(0), Store(texts), 2);
  const auto levels = DecodeBlock(Around(Rle(16)), Single(16), Store(runs), 3);
  const auto packed =
      DecodeBlock(Around(OutOfLine(16, 1)), Single(16), Store(Integers<uint16_t>({4})), 1);

  ASSERT_TRUE(flat.ok()) << flat.status();
  EXPECT_EQ(Text(flat->bytes), std::string(32, 'x'));
  ASSERT_TRUE(words.ok()) << words.status();
  EXPECT_THAT(Strings(*words), ElementsAre("a", "bb"));
  ASSERT_TRUE(levels.ok()) << levels.status();
  EXPECT_THAT(IntegersOf<uint16_t>(levels->bytes), ElementsAre(9, 9, 9));
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_THAT(IntegersOf<uint16_t>(packed->bytes), ElementsAre(4));
}

TEST_P(GeneralDecoderTest, ReadsValuesThatAreCompressedOneByOne) {
  const std::string first = Store(std::string(1000, 'a'));
  const std::string second = Store("");
  const std::string codes = Store(Bytes({0, 255, 'z'}));
  const std::string number = Store(Integers<uint32_t>({77}));
  const pb::CompressiveEncoding fsst = Fsst(SymbolTable({"ab"}), Variable(32));

  const auto texts =
      DecodeValues(Around(Variable(32)), Single(0), {first, kNoBytes, second, first});
  const auto expanded = DecodeValues(Around(fsst), Single(0), {codes, kNoBytes});
  const auto numbers = DecodeValues(Around(Flat(32)), Single(32), {number, kNoBytes});

  ASSERT_TRUE(texts.ok()) << texts.status();
  EXPECT_THAT(Strings(*texts), ElementsAre(std::string(1000, 'a'), "", "", std::string(1000, 'a')));
  ASSERT_TRUE(expanded.ok()) << expanded.status();
  EXPECT_THAT(Strings(*expanded), ElementsAre("abz", ""));
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_THAT(IntegersOf<uint32_t>(numbers->bytes), ElementsAre(77, 0));
  EXPECT_EQ((*MakePerValueDecoder(Around(Flat(32)), Single(32)))->stored_bits(), 0u);
}

TEST_P(GeneralDecoderTest, RefusesBytesOfAnotherSizeThanClaimed) {
  std::string too_much = Store(std::string(100, 'a'));
  too_much[0] = 101;
  std::string too_little = Store(std::string(100, 'a'));
  too_little[0] = 99;

  EXPECT_THAT(DecodeBlock(Around(Flat(8)), Single(8), too_much, 101),
              HasStatus(arrow::StatusCode::SerializationError, HasSubstr("101")));
  EXPECT_THAT(DecodeBlock(Around(Flat(8)), Single(8), too_little, 99),
              HasStatus(arrow::StatusCode::SerializationError, HasSubstr("99")));
  EXPECT_THAT(DecodeBlock(Around(Flat(8)), Single(8), Store("ab") + "x", 2),
              HasStatus(arrow::StatusCode::SerializationError));
  const std::string torn = Store("ab");
  EXPECT_THAT(DecodeBlock(Around(Flat(8)), Single(8), torn.substr(0, torn.size() - 1), 2),
              HasStatus(arrow::StatusCode::SerializationError));
}

TEST_P(GeneralDecoderTest, TakesNothingFromNothing) {
  const auto decoded = DecodeBlock(Around(Flat(16)), Single(16), "", 0);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->num_values, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, GeneralDecoderTest,
                         ::testing::ValuesIn<FramingCase>({{"Lz4", Lz4, StoredLz4},
                                                           {"Zstd", Zstd, StoredZstd}}),
                         [](const auto& test) { return test.param.name; });

TEST(ZstdDecoder, ReadsAFrameWithoutASizeInFront) {
  const std::string plain = std::string(100000, 'a') + "b" + std::string(300000, 'c');

  const auto decoded = DecodeBlock(Zstd(Flat(8)), Single(8), ZstdFrame(plain), plain.size());

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Text(decoded->bytes), plain);
}

/// The claim is far from the size of the frame, and so memory grows with what comes out.
TEST(ZstdDecoder, ReadsWhatShrankVeryMuch) {
  const std::string plain(6 << 20, 'a');

  const auto decoded = DecodeBlock(Zstd(Flat(8)), Single(8), StoredZstd(plain), plain.size());

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Text(decoded->bytes), plain);
}

struct CorruptZstdCase {
  std::string name;
  std::string stored;
  arrow::StatusCode code;
  std::string expected;
};

class ZstdCorruptTest : public ::testing::TestWithParam<CorruptZstdCase> {};

TEST_P(ZstdCorruptTest, IsRefusedNamingTheFault) {
  const auto decoded = DecodeBlock(Zstd(Flat(8)), Single(8), GetParam().stored, 4);

  EXPECT_THAT(decoded, HasStatus(GetParam().code, HasSubstr(GetParam().expected)));
}

std::string Claim(uint64_t size, const std::string& plain) {
  return Integers<uint64_t>({size}) + ZstdFrame(plain);
}

INSTANTIATE_TEST_SUITE_P(
    All, ZstdCorruptTest,
    ::testing::ValuesIn<CorruptZstdCase>({
        {"Short", "abc", arrow::StatusCode::SerializationError, "frame cannot be decompressed"},
        {"BareTorn", ZstdFrame("abcdefgh").substr(0, 12), arrow::StatusCode::SerializationError,
         "frame ends early"},
        {"BareWithRest", ZstdFrame("abcdefgh") + "x", arrow::StatusCode::SerializationError,
         "1 bytes follow the frame"},
        {"OnlyASize", Integers<uint64_t>({4}), arrow::StatusCode::SerializationError,
         "cannot be decompressed"},
        {"NoFrame", Integers<uint64_t>({4}) + "not a frame of zstd",
         arrow::StatusCode::SerializationError, "cannot be decompressed to the claimed 4"},
        {"LargeClaim", Claim(uint64_t{100} << 20, "abcd"), arrow::StatusCode::SerializationError,
         "holds 4 bytes, claimed are 104857600"},
        {"HugeClaim", Claim(~uint64_t{0}, "abcd"), arrow::StatusCode::CapacityError,
         "claim to hold 18446744073709551615, allowed are 1073741824"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(Lz4Decoder, RefusesClaimsThatNoBlockCanMeet) {
  const std::string stored = Integers<uint32_t>({5000}) + "ab";

  EXPECT_THAT(DecodeBlock(Lz4(Flat(8)), Single(8), stored, 5000),
              HasStatus(arrow::StatusCode::SerializationError,
                        HasSubstr("2 bytes claim to hold 5000, possible are 574")));
  EXPECT_THAT(DecodeBlock(Lz4(Flat(8)), Single(8), "abc", 1),
              HasStatus(arrow::StatusCode::SerializationError, HasSubstr("needs 4 bytes")));
}

TEST(GeneralDecoder, RefusesACompressorInsideACompressor) {
  EXPECT_THAT(MakeMiniBlockDecoder(Zstd(Lz4(Flat(8))), Single(8)),
              HasStatus(arrow::StatusCode::SerializationError,
                        HasSubstr("General.values: encoding is General (lz4)")));
}

}  // namespace
}  // namespace lance::format
