#include "lance/clustering/sort_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/progress.h"
#include "lance/testing/matchers.h"

namespace lance::clustering {
namespace {

using ::arrow::json::ArrayFromJSONString;
using lance::testing::IsCancelled;
using lance::testing::IsInvalid;
using lance::testing::IsKeyError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<arrow::Table> MakeTable(const arrow::FieldVector& fields,
                                        const std::vector<std::string>& values) {
  arrow::ArrayVector columns;
  for (size_t i = 0; i < fields.size(); ++i) {
    columns.push_back(ArrayFromJSONString(fields[i]->type(), values[i]).ValueOrDie());
  }
  const auto metadata = arrow::key_value_metadata({"kept"}, {"yes"});
  return arrow::Table::Make(arrow::schema(fields, metadata), columns);
}

std::shared_ptr<arrow::Table> NumbersAndNames() {
  return MakeTable({arrow::field("n", arrow::int32()), arrow::field("name", arrow::utf8())},
                   {"[3, 1, null, 2, 1]", R"(["three", "one", "none", "two", "one again"])"});
}

ClusteringSpec Spec(ClusteringAlgorithm algorithm = ClusteringAlgorithm::kTypedQuantileRankV2) {
  ClusteringSpec spec;
  spec.algorithm = algorithm;
  return spec;
}

arrow::Result<SortedRows> Sort(const arrow::Table& table, const std::vector<std::string>& keys,
                               const ClusteringSpec& spec = Spec(),
                               const RunContext& context = {}) {
  const auto positions = ConsecutivePositions(0, table.num_rows()).ValueOrDie();
  return ClusterSort(table, keys, spec, *positions, context);
}

TEST(ClusterSort, SortsOneKeyWithNullsLastAndTiesInOrder) {
  LANCE_ASSERT_OK_AND_ASSIGN(const SortedRows sorted, Sort(*NumbersAndNames(), {"n"}));

  EXPECT_THAT(sorted.permutation, ElementsAre(1, 4, 3, 0, 2));
  EXPECT_TRUE(sorted.table->Equals(
      *MakeTable({arrow::field("n", arrow::int32()), arrow::field("name", arrow::utf8())},
                 {"[1, 1, 2, 3, null]", R"(["one", "one again", "two", "three", "none"])"}),
      /*check_metadata=*/true));
}

TEST(ClusterSort, SortsTwoKeysAlongTheCurve) {
  // Four corners of a square, which Hilbert visits in the shape of a U.
  const auto table =
      MakeTable({arrow::field("x", arrow::int64()), arrow::field("y", arrow::int64())},
                {"[1, 1, 0, 0]", "[0, 1, 1, 0]"});
  ClusteringSpec zorder = Spec();
  zorder.curve = ClusteringCurve::kZOrder;

  LANCE_ASSERT_OK_AND_ASSIGN(const SortedRows by_hilbert, Sort(*table, {"x", "y"}));
  LANCE_ASSERT_OK_AND_ASSIGN(const SortedRows by_zorder, Sort(*table, {"x", "y"}, zorder));

  EXPECT_THAT(by_hilbert.permutation, ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(by_zorder.permutation, ElementsAre(3, 2, 0, 1));
}

TEST(ClusterSort, DecodesDictionaryKeysAndKeepsThemEncoded) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto table = MakeTable({arrow::field("name", type)}, {R"(["b", "c", "a"])"});

  LANCE_ASSERT_OK_AND_ASSIGN(const SortedRows sorted, Sort(*table, {"name"}));

  EXPECT_THAT(sorted.permutation, ElementsAre(2, 0, 1));
  EXPECT_TRUE(sorted.table->schema()->field(0)->type()->Equals(type));
}

TEST(ClusterSort, SortsNoRows) {
  const auto table = MakeTable({arrow::field("n", arrow::int32())}, {"[]"});

  LANCE_ASSERT_OK_AND_ASSIGN(const SortedRows sorted, Sort(*table, {"n"}));

  EXPECT_THAT(sorted.permutation, IsEmpty());
  EXPECT_EQ(sorted.table->num_rows(), 0);
}

TEST(ClusterSort, RefusesAKeyThatIsMissingOrAmbiguous) {
  const auto twice = MakeTable(
      {arrow::field("n", arrow::int32()), arrow::field("n", arrow::int32())}, {"[1]", "[1]"});

  EXPECT_THAT(Sort(*NumbersAndNames(), {"N"}), IsKeyError(HasSubstr("column \"N\"")));
  EXPECT_THAT(Sort(*twice, {"n"}), IsKeyError(HasSubstr("2 times; expected once")));
}

TEST(ClusterSort, RefusesATypeThatTheAlgorithmDoesNotTake) {
  EXPECT_THAT(Sort(*NumbersAndNames(), {"name"}, Spec(ClusteringAlgorithm::kQuantileRankV1)),
              IsInvalid(HasSubstr("column \"name\" has type string")));
}

TEST(ClusterSort, RefusesPositionsOfAnotherTypeOrNumber) {
  const auto table = NumbersAndNames();
  const auto few = ConsecutivePositions(0, 4).ValueOrDie();
  const arrow::ChunkedArray signed_ones(
      ArrayFromJSONString(arrow::int64(), "[0, 1, 2, 3, 4]").ValueOrDie());

  EXPECT_THAT(ClusterSort(*table, {"n"}, Spec(), *few, {}),
              IsInvalid(HasSubstr("there are 4 for 5 rows")));
  EXPECT_THAT(ClusterSort(*table, {"n"}, Spec(), signed_ones, {}),
              IsInvalid(HasSubstr("have type int64; expected uint64")));
}

class WarningCollector : public Observer {
 public:
  void OnWarning(const Warning& warning) override {
    warnings.push_back(warning.code + ": " + warning.message);
  }
  std::vector<std::string> warnings;
};

TEST(ClusterSort, WarnsOfASampleThatKeepsFewValues) {
  const auto table =
      MakeTable({arrow::field("page", arrow::utf8())}, {"[\"" + std::string(50'000, 'x') + "\"]"});
  const auto observer = std::make_shared<WarningCollector>();
  RunContext context;
  context.observer = observer;

  LANCE_ASSERT_OK_AND_ASSIGN(
      const SortedRows sorted,
      Sort(*table, {"page"}, Spec(ClusteringAlgorithm::kTypedQuantileRankV1), context));

  EXPECT_EQ(sorted.permutation.size(), 1U);
  EXPECT_THAT(observer->warnings,
              ElementsAre(HasSubstr("small_clustering_sample: clustering column \"page\"")));
}

TEST(ClusterSort, StopsWhenAskedTo) {
  arrow::StopSource stop;
  stop.RequestStop();
  RunContext context;
  context.stop_token = stop.token();

  EXPECT_THAT(Sort(*NumbersAndNames(), {"n"}, Spec(), context), IsCancelled());
}

TEST(ConsecutivePositions, CountFromTheFirst) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto positions, ConsecutivePositions(7, 3));
  EXPECT_TRUE(positions->Equals(
      arrow::ChunkedArray(ArrayFromJSONString(arrow::uint64(), "[7, 8, 9]").ValueOrDie())));
}

}  // namespace
}  // namespace lance::clustering
