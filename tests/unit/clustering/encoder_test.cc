#include "lance/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/testing/matchers.h"

namespace lance {
namespace {

using ::arrow::json::ArrayFromJSONString;
using lance::testing::IsInvalid;
using lance::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<arrow::RecordBatch> Batch(const std::shared_ptr<arrow::Schema>& schema,
                                          const std::vector<std::string>& values) {
  arrow::ArrayVector columns;
  for (size_t i = 0; i < values.size(); ++i) {
    columns.push_back(
        ArrayFromJSONString(schema->field(static_cast<int>(i))->type(), values[i]).ValueOrDie());
  }
  return arrow::RecordBatch::Make(schema, columns[0]->length(), columns);
}

std::shared_ptr<arrow::Schema> OneColumn(const std::shared_ptr<arrow::DataType>& type) {
  return arrow::schema({arrow::field("a", type)});
}

RankModel FitInOrder(const arrow::RecordBatch& batch, ClusteringAlgorithm algorithm) {
  arrow::UInt64Builder positions;
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    EXPECT_TRUE(positions.Append(static_cast<uint64_t>(row)).ok());
  }
  auto sample = PartialRankModel::Make(*batch.schema(), algorithm).ValueOrDie();
  const auto array = positions.Finish().ValueOrDie();
  EXPECT_THAT(sample.Add(batch, static_cast<const arrow::UInt64Array&>(*array)), IsOk());
  return sample.Finish().ValueOrDie();
}

std::vector<int> OneByteKeys(const SpaceFillingEncoder& encoder, const arrow::RecordBatch& batch) {
  const auto keys = encoder.Encode(batch).ValueOrDie();
  EXPECT_EQ(keys->byte_width(), 1);
  std::vector<int> numbers;
  for (int64_t row = 0; row < keys->length(); ++row) {
    numbers.push_back(static_cast<uint8_t>(keys->GetView(row)[0]));
  }
  return numbers;
}

SpaceFillingEncoder MakeEncoder(const arrow::Schema& schema, uint32_t bits,
                                std::optional<RankModel> model = std::nullopt) {
  return SpaceFillingEncoder::Make(
             schema,
             {.curve = ClusteringCurve::kZOrder, .bits_per_dim = bits, .model = std::move(model)})
      .ValueOrDie();
}

TEST(SpaceFillingEncoder, RefusesBitsOutsideOneTo64) {
  const auto schema = OneColumn(arrow::int32());
  for (const uint32_t bits : {0U, 65U}) {
    EXPECT_THAT(SpaceFillingEncoder::Make(*schema, {.bits_per_dim = bits, .model = {}}),
                IsInvalid(HasSubstr("bits_per_dim is " + std::to_string(bits))));
  }
  EXPECT_EQ(MakeEncoder(*schema, 1).key_size_bytes(), 1);
  EXPECT_EQ(MakeEncoder(*schema, 64).key_size_bytes(), 8);
}

TEST(SpaceFillingEncoder, RefusesNoColumns) {
  EXPECT_THAT(SpaceFillingEncoder::Make(*arrow::schema({})), IsInvalid(HasSubstr("none")));
}

TEST(SpaceFillingEncoder, RefusesAStringWithoutAModel) {
  EXPECT_THAT(SpaceFillingEncoder::Make(*OneColumn(arrow::utf8())),
              IsInvalid(HasSubstr("column \"a\" has type string")));
}

TEST(SpaceFillingEncoder, RefusesAModelOfOtherColumns) {
  const auto batch = Batch(OneColumn(arrow::int32()), {"[1]"});
  const EncoderOptions options{.model = FitInOrder(*batch, ClusteringAlgorithm::kQuantileRankV1)};
  const auto renamed = arrow::schema({arrow::field("b", arrow::int32())});
  const auto two = arrow::schema({arrow::field("a", arrow::int32()), renamed->field(0)});

  EXPECT_THAT(SpaceFillingEncoder::Make(*renamed, options),
              IsInvalid(HasSubstr("the rank model is \"a\" of type int32; the schema has \"b\"")));
  EXPECT_THAT(SpaceFillingEncoder::Make(*OneColumn(arrow::int64()), options),
              IsInvalid(HasSubstr("of type int64")));
  EXPECT_THAT(SpaceFillingEncoder::Make(*two, options),
              IsInvalid(HasSubstr("has 1 key columns; the schema has 2")));
}

TEST(SpaceFillingEncoder, RefusesABatchOfOtherColumns) {
  const auto encoder = MakeEncoder(*OneColumn(arrow::int32()), 8);

  EXPECT_THAT(encoder.Encode(*Batch(OneColumn(arrow::int64()), {"[1]"})),
              IsInvalid(HasSubstr("has type int64; expected int32")));
  EXPECT_THAT(encoder.Encode(*arrow::RecordBatch::Make(arrow::schema({}), 1, arrow::ArrayVector{})),
              IsInvalid(HasSubstr("has 0 key columns; expected 1")));
}

TEST(SpaceFillingEncoder, PutsNullAtTheTopOfItsDimension) {
  const auto schema = OneColumn(arrow::uint8());
  const auto batch = Batch(schema, {"[0, null, 254, 255]"});

  EXPECT_THAT(OneByteKeys(MakeEncoder(*schema, 8), *batch), ElementsAre(0, 255, 254, 255));
}

TEST(SpaceFillingEncoder, KeepsNullAboveTheLargestRank) {
  const auto batch = Batch(OneColumn(arrow::int32()), {"[30, null, 10, 20]"});
  const RankModel model = FitInOrder(*batch, ClusteringAlgorithm::kQuantileRankV1);

  EXPECT_THAT(OneByteKeys(MakeEncoder(*batch->schema(), 8, model), *batch),
              ElementsAre(254, 255, 0, 127));
}

TEST(SpaceFillingEncoder, RanksValuesThatTheSampleHasNot) {
  const auto schema = OneColumn(arrow::float64());
  const RankModel model =
      FitInOrder(*Batch(schema, {"[1, 2, 3]"}), ClusteringAlgorithm::kQuantileRankV1);

  EXPECT_THAT(OneByteKeys(MakeEncoder(*schema, 8, model), *Batch(schema, {"[0, 1.5, 2.5, 9]"})),
              ElementsAre(0, 0, 127, 254));
}

TEST(SpaceFillingEncoder, GivesZeroWhenTheSampleHasNothing) {
  const auto schema = OneColumn(arrow::utf8());
  const RankModel model =
      FitInOrder(*Batch(schema, {"[null]"}), ClusteringAlgorithm::kTypedQuantileRankV2);

  EXPECT_THAT(OneByteKeys(MakeEncoder(*schema, 8, model), *Batch(schema, {R"(["a", null])"})),
              ElementsAre(0, 255));
}

TEST(SpaceFillingEncoder, ComparesTheFirst256BytesOfAString) {
  const std::string stem(256, 'x');
  const auto schema = OneColumn(arrow::utf8());
  const std::string values = R"([")" + stem + R"(", ")" + stem + R"(a", ")" + stem + R"(b", "y"])";
  const auto batch = Batch(schema, {values});

  const auto v1 = FitInOrder(*batch, ClusteringAlgorithm::kTypedQuantileRankV1);
  const auto v2 = FitInOrder(*batch, ClusteringAlgorithm::kTypedQuantileRankV2);

  EXPECT_THAT(OneByteKeys(MakeEncoder(*schema, 8, v1), *batch), ElementsAre(0, 84, 169, 254));
  EXPECT_THAT(OneByteKeys(MakeEncoder(*schema, 8, v2), *batch), ElementsAre(0, 169, 169, 254));
}

TEST(SpaceFillingEncoder, EncodesSlicesAndDictionariesAsTheRowsTheyAre) {
  const auto schema = OneColumn(arrow::utf8());
  const auto batch = Batch(schema, {R"(["d", "a", null, "c", "b"])"});
  const auto encoder =
      MakeEncoder(*schema, 8, FitInOrder(*batch, ClusteringAlgorithm::kTypedQuantileRankV2));
  const auto dictionary = Batch(OneColumn(arrow::dictionary(arrow::int8(), arrow::utf8())),
                                {R"(["d", "a", null, "c", "b"])"});

  EXPECT_THAT(OneByteKeys(encoder, *batch), ElementsAre(254, 0, 255, 169, 84));
  EXPECT_THAT(OneByteKeys(encoder, *batch->Slice(2, 2)), ElementsAre(255, 169));
  EXPECT_THAT(OneByteKeys(encoder, *dictionary), ElementsAre(254, 0, 255, 169, 84));
  EXPECT_THAT(OneByteKeys(encoder, *batch->Slice(0, 0)), ElementsAre());
}

TEST(SpaceFillingEncoder, InterleavesColumnsOfDifferentTypes) {
  const auto schema =
      arrow::schema({arrow::field("a", arrow::uint8()), arrow::field("b", arrow::boolean())});
  const auto batch = Batch(schema, {"[192, 0, 64]", "[true, true, null]"});

  EXPECT_THAT(OneByteKeys(MakeEncoder(*schema, 2), *batch), ElementsAre(0b1110, 0b0100, 0b0111));
}

}  // namespace
}  // namespace lance
