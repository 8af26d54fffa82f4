#include "lance/clustering/key_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/testing/matchers.h"

namespace lance::clustering {
namespace {

using ::arrow::json::ArrayFromJSONString;
using lance::testing::IsInvalid;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RequireKeyType, NamesTheColumnTheTypeAndWhatIsAccepted) {
  EXPECT_THAT(
      RequireKeyType(ClusteringAlgorithm::kQuantileRankV1, *arrow::utf8(), "column \"name\""),
      IsInvalid(AllOf(HasSubstr("column \"name\" has type string"),
                      HasSubstr("quantile-rank-v1 accepts: bool"), Not(HasSubstr("decimal")))));
  EXPECT_THAT(RequireKeyType(ClusteringAlgorithm::kTypedQuantileRankV2, *arrow::utf8_view(), "it"),
              IsInvalid(HasSubstr("double, string, large_string")));
}

TEST(PlainKeyColumn, DecodesADictionaryWithNulls) {
  const auto indices = ArrayFromJSONString(arrow::int8(), "[1, null, 0, 2]").ValueOrDie();
  const auto words = ArrayFromJSONString(arrow::utf8(), R"(["a", "b", null])").ValueOrDie();
  const auto encoded = arrow::DictionaryArray::FromArrays(indices, words).ValueOrDie();

  LANCE_ASSERT_OK_AND_ASSIGN(const auto plain, PlainKeyColumn(encoded, *arrow::utf8(), "w"));

  EXPECT_EQ(
      plain->ToString(),
      ArrayFromJSONString(arrow::utf8(), R"(["b", null, "a", null])").ValueOrDie()->ToString());
}

TEST(PlainKeyColumn, RefusesAnotherTypeNamingTheColumn) {
  const auto column = ArrayFromJSONString(arrow::int32(), "[1]").ValueOrDie();
  EXPECT_THAT(PlainKeyColumn(column, *arrow::int64(), "a"),
              IsInvalid(HasSubstr("key column \"a\" has type int32; expected int64")));
}

TEST(ReadOrderedWords, StartsAtTheOffsetOfASlice) {
  const auto slice =
      ArrayFromJSONString(arrow::int8(), "[5, -128, -1, 0, 127]").ValueOrDie()->Slice(1);
  std::array<uint64_t, 3> words{};

  ReadOrderedWords(*slice, {1}, words);

  EXPECT_THAT(words, ::testing::ElementsAre(0x7f, 0x80, 0xff));
}

TEST(ReadOrderedWords, ReadsPickedRows) {
  const auto column =
      ArrayFromJSONString(arrow::boolean(), "[false, true, false, true]").ValueOrDie()->Slice(1);
  const std::array<int64_t, 3> picked{2, 1, 0};
  std::array<uint64_t, 3> words{};

  ReadOrderedWords(*column, {0, picked.data()}, words);

  EXPECT_THAT(words, ::testing::ElementsAre(1, 0, 1));
}

TEST(LongestValue, LeavesOutNulls) {
  for (const auto& type : {arrow::utf8(), arrow::large_binary()}) {
    const auto column =
        ArrayFromJSONString(type, R"(["abcdef", "ab", null, ""])").ValueOrDie()->Slice(1);
    EXPECT_EQ(LongestValue(*column), 2U);
    EXPECT_EQ(LongestValue(*column->Slice(1, 1)), std::nullopt);
  }
}

TEST(LongestValue, DoesNotCountTheBytesUnderANull) {
  const auto offsets = arrow::Buffer::FromVector(std::vector<int32_t>{0, 5, 6});
  const auto bytes = arrow::Buffer::FromString("hidden");
  const auto validity = arrow::Buffer::FromVector(std::vector<uint8_t>{0b10});
  const arrow::BinaryArray column(2, offsets, bytes, validity);

  EXPECT_EQ(LongestValue(column), 1U);
}

}  // namespace
}  // namespace lance::clustering
