#include "lance/format/mini_block_page.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/base/byte_reader.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsCapacityError;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

std::string Words(const std::vector<uint16_t>& words) {
  std::string bytes;
  for (const uint16_t word : words) AppendLittleEndian(word, &bytes);
  return bytes;
}

/// A chunk's word: its bytes and the logarithm of its values.
uint16_t Word(int size_bytes, int log_values) {
  return static_cast<uint16_t>((size_bytes / 8 - 1) << 4 | log_values);
}

TEST(ChunkTable, GivesTheLastChunkWhatIsLeft) {
  const auto table =
      ParseChunkTable(AsBytes(Words({Word(32, 3), Word(8, 1), Word(32768, 0)})), 25, 32808);

  ASSERT_THAT(table, IsOk());
  ASSERT_EQ(table->num_chunks(), 3u);
  EXPECT_EQ(table->begin_of(1).byte, 32u);
  EXPECT_EQ(table->begin_of(1).row, 8u);
  EXPECT_EQ(table->begin_of(2).byte, 40u);
  EXPECT_EQ(table->begin_of(2).row, 10u);
  EXPECT_EQ(table->end_of(2).row, 25u);
  EXPECT_EQ(table->ChunkOfRow(0), 0u);
  EXPECT_EQ(table->ChunkOfRow(7), 0u);
  EXPECT_EQ(table->ChunkOfRow(8), 1u);
  EXPECT_EQ(table->ChunkOfRow(10), 2u);
  EXPECT_EQ(table->ChunkOfRow(24), 2u);
}

TEST(ChunkTable, IgnoresTheLogarithmOfTheLastChunk) {
  EXPECT_THAT(ParseChunkTable(AsBytes(Words({Word(8, 9)})), 3, 8), IsOk());
}

struct BrokenTableCase {
  std::string name;
  std::string words;
  uint64_t num_rows;
  uint64_t chunk_bytes;
  std::string expected;
};

class BrokenTableTest : public ::testing::TestWithParam<BrokenTableCase> {};

TEST_P(BrokenTableTest, IsRefused) {
  const auto& c = GetParam();
  EXPECT_THAT(ParseChunkTable(AsBytes(c.words), c.num_rows, c.chunk_bytes),
              IsSerializationError(HasSubstr(c.expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenTableTest,
    ::testing::ValuesIn<BrokenTableCase>({
        {"NoWord", "", 1, 0, "there is none for 1 rows"},
        {"HalfAWord", Words({Word(8, 0)}) + "x", 1, 8, "1 bytes follow"},
        {"OneValueBeforeTheLast", Words({Word(8, 0), Word(8, 0)}), 2, 16, "has one value"},
        {"NothingLeftForTheLast", Words({Word(8, 1), Word(8, 0)}), 2, 16, "chunk 1 of 2"},
        {"MoreThanTheRows", Words({Word(8, 4), Word(8, 0)}), 10, 16, "ends at row 16"},
        {"BytesMissing", Words({Word(16, 1), Word(16, 0)}), 4, 24, "have 32 bytes together"},
        {"BytesLeftOver", Words({Word(16, 1), Word(16, 0)}), 4, 40, "have 32 bytes together"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(MiniBlockChunk, HasTheBytesOfThePublishedExample) {
  // file-format 13.3, column b: "x", "yy", null, "w".
  const std::string values("\x14\0\0\0\x15\0\0\0\x17\0\0\0\x17\0\0\0\x18\0\0\0xyyw", 24);
  const std::string levels("\0\0\0\0\1\0\0\0", 8);
  MiniBlockBuffers page;

  ASSERT_THAT(AppendMiniBlockChunk({4, {values}}, &levels, /*is_last=*/true, &page), IsOk());

  EXPECT_EQ(page.words, std::string("\x40\x00", 2));
  EXPECT_EQ(page.chunks, std::string("\x04\0\x08\0\x18\0\xFE\xFE", 8) + levels + values);
  MiniBlockChunk chunk;
  ASSERT_THAT(ParseMiniBlockChunk(AsBytes(page.chunks), true, 1, &chunk), IsOk());
  EXPECT_EQ(chunk.num_levels, 4u);
  EXPECT_EQ(chunk.levels.size(), 8u);
  ASSERT_EQ(chunk.buffers.size(), 1u);
  EXPECT_EQ(chunk.buffers[0].size(), 24u);
  EXPECT_EQ(chunk.buffers[0][20], std::byte{'x'});
}

TEST(MiniBlockChunk, PadsEveryPart) {
  MiniBlockBuffers page;

  ASSERT_THAT(AppendMiniBlockChunk({2, {"abc", "d"}}, nullptr, /*is_last=*/false, &page), IsOk());

  EXPECT_EQ(page.words, std::string("\x21\x00", 2));  // 24 bytes, 2^1 values
  EXPECT_EQ(page.chunks, std::string("\0\0\3\0\1\0\xFE\xFE"
                                     "abc\xFE\xFE\xFE\xFE\xFE"
                                     "d\xFE\xFE\xFE\xFE\xFE\xFE\xFE",
                                     24));
}

TEST(MiniBlockChunk, IsAtMost32KiB) {
  MiniBlockBuffers page;
  EXPECT_THAT(AppendMiniBlockChunk({2, {std::string(32760, 'x')}}, nullptr, true, &page), IsOk());
  EXPECT_EQ(page.words, std::string("\xF0\xFF", 2));
  EXPECT_THAT(AppendMiniBlockChunk({2, {std::string(32761, 'x')}}, nullptr, true, &page),
              IsCapacityError(HasSubstr("32776")));
}

struct BrokenChunkCase {
  std::string name;
  std::string bytes;
  bool has_levels;
  std::string expected;
};

class BrokenChunkTest : public ::testing::TestWithParam<BrokenChunkCase> {};

TEST_P(BrokenChunkTest, IsRefusedNamingTheField) {
  MiniBlockChunk chunk;
  EXPECT_THAT(ParseMiniBlockChunk(AsBytes(GetParam().bytes), GetParam().has_levels, 1, &chunk),
              IsSerializationError(HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenChunkTest,
    ::testing::ValuesIn<BrokenChunkCase>({
        {"Empty", "", false, "num_levels"},
        {"NoLevelSize", std::string(2, '\0'), true, "def_size"},
        {"NoValueSize", std::string(2, '\0'), false, "value_size"},
        {"NoPadding", std::string(4, '\0'), false, "padding"},
        {"ValuesTooLong", std::string("\0\0\x09\0\0\0\0\0abcdefgh", 16), false,
         "values at byte 8: needs 9 bytes, 8 are left"},
        {"ValuePaddingMissing", std::string("\0\0\x07\0\0\0\0\0abcdefg", 15), false, "padding"},
        {"LevelsTooLong", std::string("\x04\0\xFF\xFF\x08\0\0\0abcdefgh", 16), true, "levels"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lance::format
