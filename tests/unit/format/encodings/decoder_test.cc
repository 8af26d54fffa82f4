#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lance/format/encodings/rle.h"
#include "samples.h"

namespace lance::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kHuge = ~uint64_t{0};

TEST(VariableDecoder, ReadsTheWorkedExample) {  // file-format 13.3
  const std::string buffer =
      Bytes({0x14, 0,    0,    0,   0x15, 0, 0, 0, 0x17, 0, 0, 0, 0x17, 0, 0, 0, 0x18, 0, 0, 0,  //
             0x78, 0x79, 0x79, 0x77});

  const auto decoded = DecodeMini(Variable(32), Single(0), {buffer}, 4);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("x", "yy", "", "w"));
  EXPECT_THAT(IntegersOf<uint32_t>(decoded->offsets), ElementsAre(0, 1, 3, 3, 4));
}

TEST(VariableDecoder, SkipsAGapBehindTheOffsetsAndPadding) {
  const std::string buffer = Bytes({10, 0, 0, 0, 12, 0, 0, 0, 'x', 'x', 'o', 'k', 'H'});

  const auto decoded = DecodeMini(Variable(32), Single(0), {buffer}, 1);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("ok"));
}

TEST(VariableDecoder, ReadsDictionaryBlocksOfBothWidths) {  // file-format 13.7
  const std::string narrow =
      Bytes({0x20, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0x68, 0x65, 0x6c, 0x6c, 0x6f});
  const std::string wide = Integers<uint64_t>({64, 40, 0, 2, 3}) + "abc";

  const auto one = DecodeBlock(Variable(32), Single(0), narrow, 1);
  const auto two = DecodeBlock(Variable(64), Single(0), wide, 2);

  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_THAT(Strings(*one), ElementsAre("hello"));
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_THAT(Strings(*two), ElementsAre("ab", "c"));
}

TEST(RleDecoder, ExpandsTheWorkedBlock) {  // file-format 13.7
  std::string block = Integers<uint64_t>({16});
  for (int i = 0; i < 8; ++i) block += Bytes({1, 0});
  block += Bytes({255, 255, 255, 255, 255, 255, 255, 0xd7});

  const auto decoded = DecodeBlock(Rle(16), Single(16), block, 2000);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Text(decoded->bytes), Integers(std::vector<uint16_t>(2000, 1)));
}

TEST(CountRleBlockValues, AddsTheLengthsUp) {
  const std::string block = Integers<uint64_t>({4}) + Bytes({1, 0, 2, 0, 255, 3});

  const auto count = CountRleBlockValues(AsBytes(block));

  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(*count, 258u);
  EXPECT_TRUE(CountRleBlockValues(AsBytes("abc")).status().IsSerializationError());
}

TEST(RleDecoder, ExpandsChunksOfEveryWidthAndIgnoresSurplus) {
  const std::string lengths = Bytes({1, 3, 200});

  const auto bytes = DecodeMini(Rle(8), Single(8), {Bytes({7, 0, 9}), lengths}, 6);
  const auto words =
      DecodeMini(Rle(64), Single(64), {Integers<uint64_t>({1, kHuge, 3}), lengths}, 5);

  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(Text(bytes->bytes), Bytes({7, 0, 0, 0, 9, 9}));
  ASSERT_TRUE(words.ok()) << words.status();
  EXPECT_EQ(Text(words->bytes), Integers<uint64_t>({1, kHuge, kHuge, kHuge, 3}));
  EXPECT_EQ(words->num_values, 5u);
}

TEST(InlineBitpackingDecoder, ReadsWidthZeroWithoutValues) {
  const auto decoded = DecodeMini(Inline(32), Single(32), {Bytes({0, 0, 0, 0})}, 700);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Text(decoded->bytes), std::string(2800, '\0'));
}

TEST(InlineBitpackingDecoder, ReadsOneBitValues) {
  std::string buffer = Bytes({1}) + std::string(128, '\0');
  buffer[1 + 1] = 0b00000101;  // lane 1: rows 0 and 2

  const auto decoded = DecodeBlock(Inline(8), Single(8), buffer, 258);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  std::string expected(258, '\0');
  expected[1] = 1;
  expected[257] = 1;
  EXPECT_EQ(Text(decoded->bytes), expected);
}

TEST(OutOfLineBitpackingDecoder, ReadsPlainAndPackedTails) {
  std::string packed(128, '\0');
  packed[0] = 1;  // lane 0, row 0
  std::string expected(2 * 100, '\0');
  expected[0] = 1;

  const auto tail = DecodeBlock(OutOfLine(16, 1), Single(16), packed, 100);
  const auto plain = DecodeBlock(OutOfLine(16, 1), Single(16), packed + Bytes({9, 0}), 1025);

  ASSERT_TRUE(tail.ok()) << tail.status();
  EXPECT_EQ(Text(tail->bytes), expected);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(Text(plain->bytes), Bytes({1, 0}) + std::string(2046, '\0') + Bytes({9, 0}));
}

TEST(OutOfLineBitpackingDecoder, ReadsWidthZeroFromNothing) {
  const auto decoded = DecodeBlock(OutOfLine(16, 0), Single(16), "", 1500);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Text(decoded->bytes), std::string(3000, '\0'));
}

struct CorruptChunkCase {
  std::string name;
  pb::CompressiveEncoding encoding;
  uint32_t bits_per_value;
  std::vector<std::string> buffers;
  uint64_t num_values;
  std::string expected;
};

class MiniBlockCorruptTest : public ::testing::TestWithParam<CorruptChunkCase> {};

TEST_P(MiniBlockCorruptTest, IsRefusedNamingTheFault) {
  const CorruptChunkCase& corrupt = GetParam();

  const auto decoded = DecodeMini(corrupt.encoding, Single(corrupt.bits_per_value), corrupt.buffers,
                                  corrupt.num_values);

  ASSERT_TRUE(decoded.status().IsSerializationError()) << decoded.status();
  EXPECT_THAT(decoded.status().message(), HasSubstr(corrupt.expected));
}

INSTANTIATE_TEST_SUITE_P(
    All, MiniBlockCorruptTest,
    ::testing::ValuesIn<CorruptChunkCase>({
        {"FlatShort", Flat(32), 32, {Bytes({1, 2, 3})}, 1, "3 bytes, 1 values of 32 bits need 4"},
        {"FlatLong", Flat(32), 32, {Bytes({1, 2, 3, 4, 5})}, 1, "5 bytes, 1 values of 32 bits"},
        {"FlatBoolsShort", Flat(1), 1, {Bytes({1})}, 9, "1 bytes, 9 values of 1 bits need 2"},
        {"FlatHugeCount", Flat(64), 64, {Bytes({1})}, kHuge, "Flat: size"},
        {"VariableEmpty", Variable(32), 0, {""}, 0, "offsets of 0 values need 4 bytes"},
        {"VariableShortOffsets",
         Variable(32),
         0,
         {Bytes({8, 0, 0, 0, 8, 0, 0})},
         1,
         "offsets of 1 values need 8 bytes, the buffer has 7"},
        {"VariableHugeCount", Variable(64), 0, {Bytes({1})}, kHuge, "number of offsets"},
        {"VariableHugeOffsets", Variable(64), 0, {Bytes({1})}, kHuge - 1, "size of the offsets"},
        {"VariableFirstInsideOffsets",
         Variable(32),
         0,
         {Integers<uint32_t>({7, 8})},
         1,
         "first offset is 7, inside the offsets of 8 bytes"},
        {"VariableFalls",
         Variable(32),
         0,
         {Integers<uint32_t>({12, 14, 13}) + "abcd"},
         2,
         "offset 2 is 13, below the one before it, 14"},
        {"VariableBeyondEnd",
         Variable(64),
         0,
         {Integers<uint64_t>({16, 18}) + "a"},
         1,
         "last offset is 18, allowed 17"},
        {"InlineEmpty", Inline(16), 16, {""}, 1, "width needs 2 bytes, the buffer has 0"},
        {"InlineTooManyValues", Inline(16), 16, {Bytes({0, 0})}, 1025, "1025 values, allowed 1024"},
        {"InlineWidthAboveType", Inline(16), 16, {Bytes({17, 0})}, 1, "is 17, allowed 0 to 16"},
        {"InlineHugeWidth", Inline(64), 64, {Integers<uint64_t>({kHuge})}, 1, "allowed 0 to 64"},
        {"InlineShort",
         Inline(8),
         8,
         {Bytes({1}) + std::string(127, 'a')},
         1,
         "group of width 1 has 127 bytes, allowed 128"},
        {"InlineLong", Inline(8), 8, {Bytes({0, 0})}, 1, "group of width 0 has 1 bytes, allowed 0"},
        {"RleTornValue", Rle(16), 16, {Bytes({1, 0, 2}), Bytes({1})}, 1, "values have 3 bytes"},
        {"RleMoreLengths",
         Rle(16),
         16,
         {Bytes({1, 0}), Bytes({1, 1})},
         1,
         "2 runs of 16 bits need 4"},
        {"RleZeroLength", Rle(8), 8, {Bytes({1, 2}), Bytes({5, 0})}, 5, "length of run 1 is 0"},
        {"RleTooFew",
         Rle(8),
         8,
         {Bytes({1, 2}), Bytes({5, 5})},
         11,
         "the runs hold 10 values, needed are 11"},
        {"RleEmpty", Rle(8), 8, {"", ""}, 1, "the runs hold 0 values"},
    }),
    [](const auto& test) { return test.param.name; });

struct CorruptBlockCase {
  std::string name;
  pb::CompressiveEncoding encoding;
  uint32_t bits_per_value;
  std::string bytes;
  uint64_t num_values;
  std::string expected;
};

class BlockCorruptTest : public ::testing::TestWithParam<CorruptBlockCase> {};

TEST_P(BlockCorruptTest, IsRefusedNamingTheFault) {
  const CorruptBlockCase& corrupt = GetParam();

  const auto decoded = DecodeBlock(corrupt.encoding, Single(corrupt.bits_per_value), corrupt.bytes,
                                   corrupt.num_values);

  ASSERT_TRUE(decoded.status().IsSerializationError()) << decoded.status();
  EXPECT_THAT(decoded.status().message(), HasSubstr(corrupt.expected));
}

INSTANTIATE_TEST_SUITE_P(
    All, BlockCorruptTest,
    ::testing::ValuesIn<CorruptBlockCase>({
        {"FlatShort", Flat(16), 16, Bytes({1, 0, 0}), 2, "3 bytes, 2 values of 16 bits need 4"},
        {"InlineTooManyValues", Inline(16), 16, Bytes({0, 0}), 2000, "allowed 1024"},
        {"OutOfLineShortGroups", OutOfLine(16, 2), 16, std::string(511, '\0'), 2048,
         "2 groups need 512 bytes, the buffer has 511"},
        {"OutOfLineHugeCount", OutOfLine(64, 64), 64, "", kHuge, "size of the groups"},
        {"OutOfLineManyGroups", OutOfLine(64, 1), 64, "", kHuge >> 8, "groups need"},
        {"OutOfLineOddTail", OutOfLine(16, 1), 16, std::string(129, '\0'), 10,
         "129 bytes hold the last 10 values, allowed 20 or 128"},
        {"OutOfLineBytesBehindGroups", OutOfLine(16, 1), 16, std::string(256, '\0'), 1024,
         "128 bytes hold the last 0 values, allowed 0 or 0"},
        {"OutOfLineBytesAtWidthZero", OutOfLine(16, 0), 16, "x", 10,
         "1 bytes hold the last 10 values, allowed 20 or 0"},
        {"RleShortHeader", Rle(16), 16, Bytes({1, 0, 0, 0}), 1, "values_bytes at byte 0"},
        {"RleHugeHeader", Rle(16), 16, Integers<uint64_t>({kHuge}) + "abc", 1,
         "values at byte 8: needs"},
        {"RleSurplus", Rle(16), 16, Integers<uint64_t>({2}) + Bytes({1, 0, 5}), 4,
         "the runs hold 5 values, needed are 4"},
        {"RleTooFew", Rle(16), 16, Integers<uint64_t>({2}) + Bytes({1, 0, 5}), 6, "needed are 6"},
        {"VariableEmpty", Variable(32), 0, "", 1, "bits_per_offset at byte 0"},
        {"VariableOldHeader", Variable(32), 0, Bytes({32, 1, 0, 0, 0, 9, 0, 0, 0}), 1,
         "is 288, the encoding says 32"},
        {"VariableOtherWidth", Variable(64), 0, Integers<uint64_t>({32, 32, 0, 0}), 1,
         "is 32, the encoding says 64"},
        {"VariableWrongStart", Variable(32), 0, Integers<uint32_t>({32, 20, 0, 1}) + "a", 1,
         "is 20, header and 1 values need 8 + 8"},
        {"VariableStartInHeader", Variable(32), 0, Integers<uint32_t>({32, 0, 0, 1}), 1, "is 0"},
        {"VariableShortOffsets", Variable(32), 0, Integers<uint32_t>({32, 16, 0}), 1,
         "offsets at byte 8: needs 8 bytes, 4 are left"},
        {"VariableHugeCount", Variable(32), 0, Integers<uint32_t>({32, 16, 0, 1}), kHuge,
         "number of offsets"},
        {"VariableFirstNotZero", Variable(32), 0, Integers<uint32_t>({32, 16, 1, 1}) + "a", 1,
         "start at 1, allowed 0"},
        {"VariableFalls", Variable(32), 0, Integers<uint32_t>({32, 20, 0, 2, 1}) + "ab", 2,
         "offset 2 is 1, below the one before it, 2"},
        {"VariableBeyondEnd", Variable(32), 0, Integers<uint32_t>({32, 16, 0, 2}) + "a", 1,
         "last offset is 2, allowed 1"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(BlockDecoder, RefusesToExpandNothingIntoGigabytes) {
  const auto decoded = DecodeBlock(OutOfLine(16, 0), Single(16), "", uint64_t{1} << 31);

  ASSERT_TRUE(decoded.status().IsCapacityError()) << decoded.status();
  EXPECT_THAT(decoded.status().message(),
              HasSubstr("2147483648 values of 16 bits, allowed 67108864"));
}

}  // namespace
}  // namespace lance::format
