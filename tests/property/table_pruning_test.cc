// Whatever was written, clustered or optimized: a pruned scan gives the rows of a full one, in the
// same order, and sorting neither loses nor invents a row.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "lance/testing/matchers.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

/// Conditions over the columns of RandomRows, nested to a small depth.
class FilterGenerator {
 public:
  explicit FilterGenerator(SeededRandom* random) : random_(*random) {}

  std::string Make(int depth = 2) {
    if (depth == 0 || random_.OneIn(3)) return Leaf();
    switch (random_.Below(3)) {
      case 0:
        return "(" + Make(depth - 1) + " AND " + Make(depth - 1) + ")";
      case 1:
        return "(" + Make(depth - 1) + " OR " + Make(depth - 1) + ")";
      default:
        return "NOT (" + Make(depth - 1) + ")";
    }
  }

 private:
  std::string Leaf() {
    const std::string column = std::vector<std::string>{"a", "b", "s"}[random_.Below(3)];
    switch (random_.Below(5)) {
      case 0:
        return column + (random_.OneIn(2) ? " IS NULL" : " IS NOT NULL");
      case 1:
        return column + " IN (" + Literal(column) + ", " + Literal(column) + ")";
      case 2:
        return column + " BETWEEN " + Literal(column) + " AND " + Literal(column);
      default: {
        const char* const operators[] = {"=", "<>", "<", "<=", ">", ">="};
        return column + " " + operators[random_.Below(6)] + " " + Literal(column);
      }
    }
  }

  std::string Literal(const std::string& column) {
    if (column == "s") return "'k" + std::to_string(random_.Below(220)) + "'";
    if (column == "b" && random_.OneIn(6)) return random_.OneIn(2) ? "0.0" : "-0.0";
    const int64_t value = random_.Between(-520, 520);
    return column == "b" ? std::to_string(value / 4.0) : std::to_string(value);
  }

  SeededRandom& random_;
};

/// One table with a random life: plain and clustered appends, optimize runs of some size.
class RandomTable {
 public:
  RandomTable(FaultySession* session, SeededRandom* random)
      : options_(session->Options()), random_(*random) {}

  Dataset Make() {
    Append(WriteMode::kCreate);
    if (!random_.OneIn(4)) Declare();  // most tables are clustered: pruning is what is looked at
    const uint64_t num_steps = 2 + random_.Below(6);
    for (uint64_t step = 0; step < num_steps; ++step) {
      switch (random_.Below(4)) {
        case 0:
          Declare();
          break;
        case 1:
          Optimize();
          break;
        default:
          Append(WriteMode::kAppend);
      }
    }
    return Open();
  }

  uint64_t num_rows() const { return next_id_; }

 private:
  Dataset Open() { return Dataset::Open(FaultySession::kUri, options_).ValueOrDie(); }

  void Append(WriteMode mode) {
    const auto num_rows = static_cast<int64_t>(random_.Below(random_.OneIn(4) ? 3 : 700));
    WriteOptions write;
    write.max_rows_per_file = 50 + random_.Below(400);
    InsertBuilder builder(FaultySession::kUri);
    builder.WithMode(mode).WithOpenOptions(options_).WithOptions(write);
    if (random_.OneIn(4)) builder.WithoutClustering();
    builder.Execute(RandomRows(num_rows, next_id_, &random_)).ValueOrDie();
    next_id_ += static_cast<uint64_t>(num_rows);
  }

  void Declare() {
    std::vector<std::string> columns = {"a", "b", "s"};
    std::rotate(columns.begin(), columns.begin() + static_cast<long>(random_.Below(3)),
                columns.end());
    columns.resize(1 + random_.Below(3));
    Open()
        .SetClustering(
            {.columns = columns,
             .curve = random_.OneIn(2) ? ClusteringCurve::kHilbert : ClusteringCurve::kZOrder})
        .ValueOrDie();
  }

  void Optimize() {
    const Dataset dataset = Open();
    if (!dataset.clustering_spec()) return;
    ClusteringCompactionOptions options{.target_rows_per_fragment = 100 + random_.Below(600),
                                        .rows_per_zone = 1 + random_.Below(90)};
    if (random_.OneIn(2)) options.budget.max_source_rows = 1 + random_.Below(1500);
    CompactFilesWithClustering(dataset, options).ValueOrDie();
  }

  OpenOptions options_;
  SeededRandom& random_;
  uint64_t next_id_ = 0;
};

std::vector<uint64_t> ScanIds(const Dataset& dataset, ScanOptions options) {
  options.columns = {"id"};
  return Ids(*dataset.Scan(std::move(options)).ValueOrDie().ToTable().ValueOrDie());
}

TEST(TableProperty, PrunedScansGiveTheRowsOfFullOnes) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  int num_pruned = 0;
  int num_filters = 0;
  const int num_tables = NumRounds(25);
  for (int round = 0; round < num_tables; ++round) {
    SCOPED_TRACE("table " + std::to_string(round));
    FaultySession session;
    RandomTable maker(&session, &random);
    const Dataset dataset = maker.Make();
    std::vector<uint64_t> all = ScanIds(dataset, {});
    std::sort(all.begin(), all.end());
    std::vector<uint64_t> expected_all(maker.num_rows());
    std::iota(expected_all.begin(), expected_all.end(), 0);
    ASSERT_EQ(all, expected_all);

    FilterGenerator filters(&random);
    for (int i = 0; i < 20; ++i) {
      const std::string filter = filters.Make();
      SCOPED_TRACE(filter);
      const auto expected = ScanIds(dataset, {.filter = filter, .use_stats = false});
      ASSERT_EQ(ScanIds(dataset, {.filter = filter}), expected);
      ASSERT_EQ(ScanIds(dataset, {.filter = filter, .use_scalar_index = false}), expected);
      ASSERT_THAT(dataset.CountRows(filter), IsOkAndHolds(expected.size()));
      const auto plan = dataset.Scan({.filter = filter}).ValueOrDie().Explain().ValueOrDie();
      ASSERT_GE(plan.rows.kept, expected.size());
      ++num_filters;
      num_pruned += plan.rows.kept < plan.rows.total ? 1 : 0;
    }
  }
  // The law would hold for a scan that never prunes; this one must.
  EXPECT_GT(num_pruned, num_filters / 8) << num_pruned << " of " << num_filters << " pruned";
}

TEST(TableProperty, LimitAndOffsetCutWhatTheWholeScanGives) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random(TestSeed() + 1);
  for (int round = 0; round < NumRounds(10); ++round) {
    FaultySession session;
    const Dataset dataset = RandomTable(&session, &random).Make();
    const std::string filter = FilterGenerator(&random).Make();
    SCOPED_TRACE(filter);
    const auto whole = ScanIds(dataset, {.filter = filter});
    for (int i = 0; i < 10; ++i) {
      const uint64_t offset = random.Below(whole.size() + 3);
      const uint64_t limit = random.Below(whole.size() + 3);
      const size_t begin = std::min<size_t>(offset, whole.size());
      const size_t end = std::min<size_t>(begin + limit, whole.size());
      EXPECT_EQ(ScanIds(dataset, {.filter = filter, .limit = limit, .offset = offset}),
                std::vector<uint64_t>(whole.begin() + static_cast<long>(begin),
                                      whole.begin() + static_cast<long>(end)));
    }
  }
}

}  // namespace
}  // namespace lance::testing
