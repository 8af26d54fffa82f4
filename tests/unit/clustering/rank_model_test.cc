#include "lance/clustering/rank_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/testing/matchers.h"

namespace lance::clustering {
namespace {

using ::arrow::json::ArrayFromJSONString;
using lance::testing::IsCapacityError;
using lance::testing::IsInvalid;
using lance::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kTypedV1 = ClusteringAlgorithm::kTypedQuantileRankV1;

std::shared_ptr<arrow::RecordBatch> Batch(const std::string& name,
                                          const std::shared_ptr<arrow::DataType>& type,
                                          const std::string& values) {
  const auto column = ArrayFromJSONString(type, values).ValueOrDie();
  return arrow::RecordBatch::Make(arrow::schema({arrow::field(name, type)}), column->length(),
                                  {column});
}

std::shared_ptr<arrow::UInt64Array> Positions(const std::string& values) {
  return std::static_pointer_cast<arrow::UInt64Array>(
      ArrayFromJSONString(arrow::uint64(), values).ValueOrDie());
}

PartialRankModel SampleOf(const arrow::RecordBatch& batch, const std::string& positions) {
  auto sample = PartialRankModel::Make(*batch.schema(), kTypedV1).ValueOrDie();
  EXPECT_THAT(sample.Add(batch, *Positions(positions)), IsOk());
  return sample;
}

std::string DigestOf(const arrow::RecordBatch& batch, const std::string& positions) {
  return SampleOf(batch, positions).Finish().ValueOrDie().digest();
}

TEST(PartialRankModel, RefusesNoColumns) {
  EXPECT_THAT(PartialRankModel::Make(*arrow::schema({}), kTypedV1), IsInvalid(HasSubstr("none")));
}

TEST(PartialRankModel, RefusesATypeNamingTheColumn) {
  const auto schema = arrow::schema({arrow::field("when", arrow::date32())});
  EXPECT_THAT(PartialRankModel::Make(*schema, ClusteringAlgorithm::kQuantileRankV1),
              IsInvalid(HasSubstr("column \"when\" has type date32")));
}

TEST(PartialRankModel, RefusesPositionsThatAreMissingOrNull) {
  const auto batch = Batch("a", arrow::int32(), "[1, 2]");
  auto sample = PartialRankModel::Make(*batch->schema(), kTypedV1).ValueOrDie();

  EXPECT_THAT(sample.Add(*batch, *Positions("[1]")), IsInvalid(HasSubstr("are 1 for 2 rows")));
  EXPECT_THAT(sample.Add(*batch, *Positions("[1, null]")), IsInvalid(HasSubstr("1 are null")));
}

TEST(PartialRankModel, RefusesOtherColumnsOfABatch) {
  const auto batch = Batch("a", arrow::int32(), "[1]");
  auto sample = PartialRankModel::Make(*batch->schema(), kTypedV1).ValueOrDie();

  EXPECT_THAT(sample.Add(*Batch("a", arrow::int64(), "[1]"), *Positions("[1]")),
              IsInvalid(HasSubstr("key column \"a\" has type int64; expected int32")));
  const auto no_columns = arrow::RecordBatch::Make(arrow::schema({}), 1, arrow::ArrayVector{});
  EXPECT_THAT(sample.Add(*no_columns, *Positions("[1]")),
              IsInvalid(HasSubstr("has 0 key columns")));
}

TEST(PartialRankModel, LeavesOutNulls) {
  const auto batch = Batch("a", arrow::int8(), "[null, 3, null, -1]");

  LANCE_ASSERT_OK_AND_ASSIGN(const RankModel model, SampleOf(*batch, "[0, 1, 2, 3]").Finish());

  EXPECT_EQ(model.num_columns(), 1);
  EXPECT_THAT(ModelAccess::Of(model).columns[0].values, ElementsAre("\x01\x7f", "\x01\x83"));
}

TEST(PartialRankModel, TakesDictionaryArraysOfAPlainField) {
  const auto plain = Batch("a", arrow::utf8(), R"(["x", "y", "x"])");
  const auto encoded =
      Batch("a", arrow::dictionary(arrow::int32(), arrow::utf8()), R"(["x", "y", "x"])");
  auto sample = PartialRankModel::Make(*plain->schema(), kTypedV1).ValueOrDie();

  ASSERT_THAT(sample.Add(*encoded, *Positions("[0, 1, 2]")), IsOk());

  EXPECT_EQ(sample.Finish().ValueOrDie().digest(), DigestOf(*plain, "[0, 1, 2]"));
}

TEST(PartialRankModel, RefusesToMergeOtherColumnsOrAlgorithms) {
  auto sample = SampleOf(*Batch("a", arrow::int32(), "[1]"), "[0]");
  const auto two =
      PartialRankModel::Make(
          *arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b", arrow::int32())}),
          kTypedV1)
          .ValueOrDie();
  const auto v2 = PartialRankModel::Make(*arrow::schema({arrow::field("a", arrow::int32())}),
                                         ClusteringAlgorithm::kTypedQuantileRankV2)
                      .ValueOrDie();

  EXPECT_THAT(sample.Merge(SampleOf(*Batch("b", arrow::int32(), "[1]"), "[1]")),
              IsInvalid(HasSubstr("is \"b\" of type int32; expected \"a\"")));
  EXPECT_THAT(sample.Merge(SampleOf(*Batch("a", arrow::int64(), "[1]"), "[1]")),
              IsInvalid(HasSubstr("of type int64")));
  EXPECT_THAT(sample.Merge(two), IsInvalid(HasSubstr("has 2 key columns; expected 1")));
  EXPECT_THAT(sample.Merge(v2), IsInvalid(HasSubstr("has algorithm typed-quantile-rank-v2")));
  EXPECT_THAT(sample.Merge(sample), IsInvalid(HasSubstr("the same one")));
}

TEST(PartialRankModel, FailsNamingTheColumnWhenNotOneValueFits) {
  const auto batch = Batch("page", arrow::utf8(), "[\"" + std::string(9'000'000, 'x') + "\"]");
  EXPECT_THAT(SampleOf(*batch, "[0]").Finish(), IsCapacityError(HasSubstr("column \"page\"")));
}

TEST(SmallSampleWarnings, NameTheColumnThatKeepsFewValues) {
  const auto narrow = Batch("page", arrow::utf8(), "[\"" + std::string(1'000, 'x') + "\"]");
  const auto wide = Batch("page", arrow::utf8(), "[\"" + std::string(100'000, 'x') + "\"]");

  EXPECT_THAT(SmallSampleWarnings(SampleOf(*narrow, "[0]")), IsEmpty());
  EXPECT_THAT(SmallSampleWarnings(SampleOf(*wide, "[0]")),
              ElementsAre(HasSubstr("column \"page\" has a value of 103129 encoded bytes: its "
                                    "sample keeps only 81 values")));
}

TEST(RankModel, DigestTellsValuesTypesAndColumnsApartButNotNames) {
  const std::string digest = DigestOf(*Batch("a", arrow::int32(), "[1, 2]"), "[0, 1]");

  EXPECT_EQ(digest.size(), 64U);
  EXPECT_EQ(DigestOf(*Batch("b", arrow::int32(), "[2, 1]"), "[0, 1]"), digest);
  EXPECT_NE(DigestOf(*Batch("a", arrow::int32(), "[1, 3]"), "[0, 1]"), digest);
  EXPECT_NE(DigestOf(*Batch("a", arrow::int32(), "[1, 2, 2]"), "[0, 1, 2]"), digest);
  EXPECT_NE(DigestOf(*Batch("a", arrow::date32(), "[1, 2]"), "[0, 1]"), digest);
}

TEST(RankModel, DigestIsFrozen) {
  const FittedModel model{kTypedV1, {{"a", arrow::int8(), {"\x01\x80"}}}};
  EXPECT_EQ(ModelAccess::Make(model).digest(), FittedModelDigest(model));
  // SHA-256 over the pieces, computed elsewhere.
  EXPECT_EQ(FittedModelDigest(model),
            "0f45a61253b2bcd74bb435215b0c5a3802186d2a50520ea59871fdff04a925f1");
}

}  // namespace
}  // namespace lance::clustering
