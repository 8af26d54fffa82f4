#include "lance/format/pages/chunk_table.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/base/byte_reader.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

std::string Words(const std::vector<uint16_t>& words) {
  std::string bytes;
  for (const uint16_t word : words) AppendLittleEndian(word, &bytes);
  return bytes;
}

std::string Index(const std::vector<uint64_t>& numbers) {
  std::string bytes;
  for (const uint64_t number : numbers) AppendLittleEndian(number, &bytes);
  return bytes;
}

/// A chunk's word: its bytes and the logarithm of its values.
uint16_t Word(int size_bytes, int log_values) {
  return static_cast<uint16_t>((size_bytes / 8 - 1) << 4 | log_values);
}

arrow::Result<ChunkTable> Parse(const std::string& words, uint64_t num_values, uint64_t num_bytes) {
  return ParseChunkTable(
      AsBytes(words), 2,
      {.num_values = num_values, .num_rows = num_values, .num_bytes = num_bytes});
}

TEST(ChunkTable, GivesTheLastChunkWhatIsLeft) {
  const auto table = Parse(Words({Word(32, 3), Word(8, 1), Word(32768, 0)}), 25, 32808);

  ASSERT_THAT(table, IsOk());
  ASSERT_EQ(table->num_chunks(), 3u);
  EXPECT_EQ(table->byte_of(1), 32u);
  EXPECT_EQ(table->values_before(1), 8u);
  EXPECT_EQ(table->byte_of(2), 40u);
  EXPECT_EQ(table->values_before(2), 10u);
  EXPECT_EQ(table->num_values(2), 15u);
}

TEST(ChunkTable, TakesEveryValueForARowWithoutLists) {
  const auto table = Parse(Words({Word(32, 3), Word(8, 1), Word(32768, 0)}), 25, 32808);

  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(table->ChunkWhereRowBegins(0), 0u);
  EXPECT_EQ(table->ChunkWhereRowBegins(7), 0u);
  EXPECT_EQ(table->ChunkWhereRowBegins(8), 1u);
  EXPECT_EQ(table->ChunkWhereRowEnds(9), 1u);
  EXPECT_EQ(table->ChunkWhereRowEnds(10), 2u);
  EXPECT_EQ(table->ChunkWhereRowEnds(24), 2u);
  EXPECT_FALSE(table->begins_inside_row(1));
}

TEST(ChunkTable, IgnoresTheLogarithmOfTheLastChunk) {
  EXPECT_THAT(Parse(Words({Word(8, 9)}), 3, 8), IsOk());
}

TEST(ChunkTable, ReadsWordsOf32BitsOfLargeChunks) {
  std::string words;
  AppendLittleEndian(uint32_t{(1'000'000 / 8 - 1) << 4 | 12}, &words);
  AppendLittleEndian(uint32_t{0}, &words);

  const auto table = ParseChunkTable(
      AsBytes(words), 4, {.num_values = 4097, .num_rows = 4097, .num_bytes = 1'000'008});

  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(table->byte_of(1), 1'000'000u);
  EXPECT_EQ(table->values_before(1), 4096u);
}

struct BrokenTableCase {
  std::string name;
  std::string words;
  uint64_t num_values;
  uint64_t num_bytes;
  std::string expected;
};

class BrokenTableTest : public ::testing::TestWithParam<BrokenTableCase> {};

TEST_P(BrokenTableTest, IsRefused) {
  const auto& c = GetParam();
  EXPECT_THAT(Parse(c.words, c.num_values, c.num_bytes),
              IsSerializationError(HasSubstr(c.expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenTableTest,
    ::testing::ValuesIn<BrokenTableCase>({
        {"NoWord", "", 1, 0, "0 bytes are no words"},
        {"HalfAWord", Words({Word(8, 0)}) + "x", 1, 8, "3 bytes are no words"},
        {"OneValueBeforeTheLast", Words({Word(8, 0), Word(8, 0)}), 2, 16, "has one value"},
        {"NothingLeftForTheLast", Words({Word(8, 1), Word(8, 0)}), 2, 16, "chunk 1 of 2"},
        {"MoreThanTheValues", Words({Word(8, 4), Word(8, 0)}), 10, 16, "ends at value 16"},
        {"BytesMissing", Words({Word(16, 1), Word(16, 0)}), 4, 24, "have 32 bytes together"},
        {"BytesLeftOver", Words({Word(16, 1), Word(16, 0)}), 4, 40, "have 32 bytes together"},
    }),
    [](const auto& test) { return test.param.name; });

/// Three chunks of two values each.
arrow::Result<ChunkTable> WithIndex(const std::vector<uint64_t>& index, uint64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(auto table, Parse(Words({Word(8, 1), Word(8, 1), Word(8, 1)}), 6, 24));
  ARROW_RETURN_NOT_OK(ParseRepetitionIndex(AsBytes(Index(index)), num_rows, &table));
  return table;
}

TEST(RepetitionIndex, FindsRowsThatGoOnInOtherChunks) {
  // Rows 0 and 1 end in chunk 0, where row 2 begins; it goes on through chunk 1 and ends in chunk
  // 2, which has row 3 as well.
  const auto table = WithIndex({2, 1, 0, 5, 2, 0}, 4);

  ASSERT_THAT(table, IsOk());
  EXPECT_EQ(table->ChunkWhereRowBegins(2), 0u);
  EXPECT_EQ(table->ChunkWhereRowEnds(2), 2u);
  EXPECT_EQ(table->ChunkWhereRowBegins(3), 2u);
  EXPECT_EQ(table->ChunkWhereRowEnds(1), 0u);
  EXPECT_FALSE(table->begins_inside_row(0));
  EXPECT_TRUE(table->begins_inside_row(1));
  EXPECT_TRUE(table->begins_inside_row(2));
  EXPECT_EQ(table->rows_begun_before(1), 3u);
  EXPECT_EQ(table->rows_finished_before(2), 2u);
  EXPECT_EQ(table->leftover(1), 5u);
}

struct BrokenIndexCase {
  std::string name;
  std::vector<uint64_t> index;
  uint64_t num_rows;
  std::string expected;
};

class BrokenRepetitionIndexTest : public ::testing::TestWithParam<BrokenIndexCase> {};

TEST_P(BrokenRepetitionIndexTest, IsRefused) {
  const auto& c = GetParam();
  EXPECT_THAT(WithIndex(c.index, c.num_rows), IsSerializationError(HasSubstr(c.expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenRepetitionIndexTest,
    ::testing::ValuesIn<BrokenIndexCase>({
        {"TooShort", {2, 0, 2, 0, 2}, 6, "leftover"},
        {"TooLong", {2, 0, 2, 0, 2, 0, 0}, 6, "8 bytes follow"},
        {"TooManyRows", {2, 0, 2, 0, 3, 0}, 6, "chunk 2 ends 3 rows, 2 are left"},
        {"TooFewRows", {2, 0, 2, 0, 1, 0}, 6, "end 5 rows together, the page has 6"},
        {"Wraps", {2, 0, ~uint64_t{0}, 0, 2, 0}, 6, "chunk 1 ends"},
        {"LastGoesOn", {2, 0, 2, 0, 2, 1}, 6, "the last chunk has 1"},
        {"RowThatEndsNowhere", {2, 1, 0, 0, 2, 0}, 4, "behind chunk 1 2 rows have begun"},
        {"RowBehindThePage", {4, 1, 0, 1, 0, 0}, 4, "5 rows have begun"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lance::format
