#include "lance/clustering/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/json/from_string.h"
#include "lance/testing/matchers.h"

namespace lance::clustering {
namespace {

struct GatherCase {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::vector<std::string> chunks;
  std::vector<uint64_t> order;
  std::string expected;
};

void PrintTo(const GatherCase& gather_case, std::ostream* out) { *out << gather_case.name; }

class GatherColumnTest : public ::testing::TestWithParam<GatherCase> {
 protected:
  std::shared_ptr<arrow::ChunkedArray> column() const {
    return arrow::json::ChunkedArrayFromJSONString(GetParam().type, GetParam().chunks).ValueOrDie();
  }

  arrow::ChunkedArray expected() const {
    return arrow::ChunkedArray(
        arrow::json::ArrayFromJSONString(GetParam().type, GetParam().expected).ValueOrDie());
  }
};

TEST_P(GatherColumnTest, TakesTheRowsInOneGo) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto gathered, GatherColumn(*column(), GetParam().order, 1 << 20,
                                                               arrow::default_memory_pool()));

  EXPECT_TRUE(gathered->Equals(expected())) << gathered->ToString();
}

TEST_P(GatherColumnTest, TakesTheRowsInPiecesWhenTheyAreTooLarge) {
  for (const int64_t max_array_bytes : {1, 8, 20}) {
    LANCE_ASSERT_OK_AND_ASSIGN(
        const auto gathered,
        GatherColumn(*column(), GetParam().order, max_array_bytes, arrow::default_memory_pool()));

    EXPECT_TRUE(gathered->Equals(expected())) << gathered->ToString();
    EXPECT_TRUE(gathered->ValidateFull().ok());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GatherColumnTest,
    ::testing::ValuesIn<GatherCase>({
        {"Integers",
         arrow::int64(),
         {"[0, 1]", "[]", "[2, null, 4]"},
         {4, 0, 3, 2, 1},
         "[4, 0, null, 2, 1]"},
        {"Strings",
         arrow::utf8(),
         {R"(["a", "bb"])", R"(["", null, "cccccccccccccccccccccccc"])"},
         {3, 4, 1, 2, 0},
         R"([null, "cccccccccccccccccccccccc", "bb", "", "a"])"},
        {"Lists",
         arrow::list(arrow::utf8()),
         {R"([["a", "b"], null])", R"([[], ["c"]])"},
         {3, 0, 2, 1},
         R"([["c"], ["a", "b"], [], null])"},
        {"Structs",
         arrow::struct_({arrow::field("x", arrow::int32())}),
         {R"([{"x": 1}])", R"([{"x": 2}, null])"},
         {2, 0, 1},
         R"([null, {"x": 1}, {"x": 2}])"},
        {"Nulls", arrow::null(), {"[null, null]"}, {1, 0}, "[null, null]"},
        {"OneChunk", arrow::utf8(), {R"(["a", "b", "c"])"}, {2, 0, 1}, R"(["c", "a", "b"])"},
    }));

TEST(GatherColumn, CutsWhatIsTooLargeIntoPieces) {
  const auto column =
      arrow::json::ChunkedArrayFromJSONString(
          arrow::utf8(), {R"(["aaaaaaaaaaaaaaaa", "b"])", R"(["cccccccccccccccc"])"})
          .ValueOrDie();
  const std::vector<uint64_t> order{2, 1, 0};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto gathered,
                             GatherColumn(*column, order, 24, arrow::default_memory_pool()));

  EXPECT_GT(gathered->num_chunks(), 1);
  EXPECT_EQ(gathered->length(), 3);
}

TEST(GatherColumn, GathersChunksWithDictionariesOfTheirOwn) {
  const auto column =
      arrow::json::ChunkedArrayFromJSONString(arrow::dictionary(arrow::int32(), arrow::utf8()),
                                              {R"(["a", "b"])", R"(["c", null, "a"])"})
          .ValueOrDie();
  const std::vector<uint64_t> order{2, 4, 3, 1, 0};
  for (const int64_t max_array_bytes : {1, 1 << 20}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto gathered, GatherColumn(*column, order, max_array_bytes,
                                                                 arrow::default_memory_pool()));

    const auto decoded = arrow::compute::Cast(gathered, arrow::utf8()).ValueOrDie();
    EXPECT_TRUE(decoded.chunked_array()->Equals(arrow::ChunkedArray(
        arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["c", "a", null, "b", "a"])")
            .ValueOrDie())));
  }
}

TEST(GatherColumn, GathersNoRows) {
  const arrow::ChunkedArray column({}, arrow::utf8());

  LANCE_ASSERT_OK_AND_ASSIGN(const auto gathered,
                             GatherColumn(column, {}, 1, arrow::default_memory_pool()));

  EXPECT_EQ(gathered->length(), 0);
  EXPECT_EQ(gathered->type()->id(), arrow::Type::STRING);
}

}  // namespace
}  // namespace lance::clustering
