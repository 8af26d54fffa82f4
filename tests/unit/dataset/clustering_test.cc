// Declaring, clustered writes, optimize and pruning through the public classes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "lance/testing/matchers.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr uint64_t kRowsPerZone = 64;

class ClusteringTest : public ::testing::Test {
 protected:
  InsertBuilder Insert(WriteMode mode) {
    InsertBuilder builder(FaultySession::kUri);
    builder.WithMode(mode).WithOpenOptions(options_);
    return builder;
  }
  Dataset Open() { return Dataset::Open(FaultySession::kUri, options_).ValueOrDie(); }

  /// `num_writes` appends of 500 rows each to a new table.
  Dataset MakeTable(int num_writes) {
    for (int i = 0; i < num_writes; ++i) {
      Insert(i == 0 ? WriteMode::kCreate : WriteMode::kAppend)
          .Execute(RandomRows(500, next_id_, &random_))
          .ValueOrDie();
      next_id_ += 500;
    }
    return Open();
  }
  void MakeAppend(int64_t num_rows) {
    Insert(WriteMode::kAppend).Execute(RandomRows(num_rows, next_id_, &random_)).ValueOrDie();
    next_id_ += static_cast<uint64_t>(num_rows);
  }
  Dataset Declare(const Dataset& dataset) {
    return dataset.SetClustering({.columns = {"a", "s"}}).ValueOrDie();
  }
  static std::vector<uint64_t> SortedIds(const Dataset& dataset, ScanOptions options = {}) {
    auto ids = Ids(*dataset.Scan(std::move(options)).ValueOrDie().ToTable().ValueOrDie());
    std::sort(ids.begin(), ids.end());
    return ids;
  }
  std::vector<uint64_t> AllIds() const {
    std::vector<uint64_t> ids(next_id_);
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  }
  static std::vector<uint64_t> FragmentIds(const Dataset& dataset) {
    std::vector<uint64_t> ids;
    for (const auto& fragment : dataset.fragments()) ids.push_back(fragment.id());
    return ids;
  }

  FaultySession session_;
  OpenOptions options_ = session_.Options();
  SeededRandom random_{7};
  uint64_t next_id_ = 0;
};

TEST_F(ClusteringTest, DeclaringAgainCommitsNothing) {
  const Dataset declared = Declare(MakeTable(1));

  EXPECT_EQ(declared.version(), 2);
  EXPECT_EQ(declared.clustering_spec()->version, 1);
  EXPECT_EQ(declared.properties().writer_flags & (1 << 17), 1 << 17);
  EXPECT_EQ(declared.properties().reader_flags & (1 << 17), 0);
  EXPECT_EQ(Declare(declared).version(), 2);
}

TEST_F(ClusteringTest, ClearKeepsDefinitionsAndTheNextDeclarationGoesOn) {
  const Dataset declared = Declare(MakeTable(1));

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset cleared, declared.ClearClustering());
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset again, cleared.SetClustering({.columns = {"b"}}));

  EXPECT_FALSE(cleared.clustering_spec().has_value());
  EXPECT_THAT(cleared.properties().clustering_definitions, SizeIs(1));
  EXPECT_EQ(again.clustering_spec()->version, 2);
  EXPECT_EQ(again.properties().clustering_definitions.back().id, 2);
}

TEST_F(ClusteringTest, AppendToADeclaredTableArrivesStampedAndIsPrunedAtOnce) {
  Declare(MakeTable(1));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto appended,
                             Insert(WriteMode::kAppend).Execute(RandomRows(30'000, 500, &random_)));

  EXPECT_TRUE(appended.stamped);
  ASSERT_THAT(appended.dataset.fragments(), SizeIs(2));
  EXPECT_EQ(appended.dataset.fragments()[0].clustering_id(), 0);
  EXPECT_EQ(appended.dataset.fragments()[1].clustering_id(), 1);
  EXPECT_EQ(appended.dataset.fragments()[1].clustering_version(), 1);
  EXPECT_EQ(appended.dataset.fragments()[1].clustering_group_id().size(), 36);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto scanner,
                             appended.dataset.Scan({.filter = "a = 77 AND s = 'k5'"}));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto plan, scanner.Explain());
  EXPECT_EQ(plan.zones.total, 1 + 4);  // one without statistics, four of the seed
  EXPECT_LT(plan.zones.kept, 4);
  EXPECT_EQ(plan.predicates[0].index_type, "seed");
}

TEST_F(ClusteringTest, WithoutClusteringKeepsOrderAndStampsNothing) {
  Declare(MakeTable(1));

  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto appended,
      Insert(WriteMode::kAppend).WithoutClustering().Execute(RandomRows(100, 500, &random_)));

  EXPECT_FALSE(appended.stamped);
  EXPECT_FALSE(appended.clustered_by.has_value());
  EXPECT_EQ(appended.dataset.fragments()[1].clustering_id(), 0);
  const auto ids = Ids(*appended.dataset.Scan().ValueOrDie().ToTable().ValueOrDie());
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

TEST_F(ClusteringTest, RefusesOtherColumnsThanTheDeclaredOnes) {
  Declare(MakeTable(1));

  EXPECT_THAT(Insert(WriteMode::kAppend)
                  .WithClusterByColumns({"s", "a"})
                  .Execute(RandomRows(10, 500, &random_)),
              IsInvalid(HasSubstr("a, s")));
  EXPECT_THAT(Insert(WriteMode::kAppend)
                  .WithClusterByColumns({"A", "s"})
                  .Execute(RandomRows(10, 500, &random_)),
              IsOk());
}

TEST_F(ClusteringTest, OneShotSortDeclaresAndStampsNothing) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto created,
      Insert(WriteMode::kCreate).WithClusterByColumns({"a"}).Execute(RandomRows(500, 0, &random_)));

  EXPECT_FALSE(created.stamped);
  EXPECT_EQ(created.clustered_by->version, 0);
  EXPECT_FALSE(created.dataset.clustering_spec().has_value());
  EXPECT_EQ(created.dataset.properties().writer_flags & (1 << 17), 0);
  const auto rows = created.dataset.Scan({.columns = {"a"}, .filter = "a IS NOT NULL"})
                        .ValueOrDie()
                        .ToTable()
                        .ValueOrDie()
                        ->CombineChunksToBatch()
                        .ValueOrDie();
  const auto& a = static_cast<const arrow::Int64Array&>(*rows->column(0));
  EXPECT_TRUE(std::is_sorted(a.raw_values(), a.raw_values() + a.length()));
}

TEST_F(ClusteringTest, CreatesAndDeclaresInOneCommit) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto created, Insert(WriteMode::kCreate)
                                                     .WithClustering({.columns = {"a", "b"}})
                                                     .Execute(RandomRows(500, 0, &random_)));

  EXPECT_TRUE(created.stamped);
  EXPECT_EQ(created.dataset.version(), 1);
  EXPECT_THAT(created.dataset.clustering_spec()->columns, ElementsAre("a", "b"));
  EXPECT_EQ(created.dataset.fragments()[0].clustering_id(), 1);
}

TEST_F(ClusteringTest, OverwriteWithoutADeclaredColumnIsRefusedBeforeAnythingIsWritten) {
  Declare(MakeTable(1));
  const auto other = TableFromJson({{"x", arrow::int64()}}, "[[1]]");

  EXPECT_THAT(Insert(WriteMode::kOverwrite).Execute(other), IsInvalid(HasSubstr("a")));
  EXPECT_EQ(Open().version(), 2);
}

TEST_F(ClusteringTest, OptimizeSortsEverythingAndTheNextRunDoesNothing) {
  const Dataset declared = Declare(MakeTable(4));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto result,
                             CompactFilesWithClustering(declared, {.rows_per_zone = kRowsPerZone}));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto again, CompactFilesWithClustering(result.dataset));

  EXPECT_EQ(result.rows_rewritten, 2000);
  EXPECT_EQ(result.fragments_removed, 4);
  EXPECT_EQ(result.fragments_added, 1);
  EXPECT_EQ(result.remaining.rows, 0);
  EXPECT_EQ(result.version, result.versions.back());
  EXPECT_THAT(result.zonemaps, SizeIs(2));
  EXPECT_FALSE(again.version.has_value());
  EXPECT_EQ(again.dataset.version(), result.dataset.version());
  EXPECT_EQ(SortedIds(result.dataset), AllIds());
  const auto plan = result.dataset.Scan({.filter = "a = 7"}).ValueOrDie().Explain().ValueOrDie();
  EXPECT_EQ(plan.zones.total, 32);
  EXPECT_LT(plan.zones.kept, 16);
  EXPECT_EQ(plan.predicates[0].index, "a_idx");
}

TEST_F(ClusteringTest, OptimizeHoldsItsRowBudgetOverAllPasses) {
  const Dataset declared = Declare(MakeTable(5));

  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto result,
      CompactFilesWithClustering(declared, {.budget = {.max_source_rows = 1200}}));

  EXPECT_EQ(result.rows_rewritten, 1000);
  ASSERT_TRUE(result.stopped_by.has_value());
  EXPECT_EQ(result.stopped_by->budget, "max_source_rows");
  EXPECT_EQ(SortedIds(result.dataset), AllIds());
}

TEST_F(ClusteringTest, FullRewritesWhatIsStableOnce) {
  const Dataset declared = Declare(MakeTable(2));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto first, CompactFilesWithClustering(declared));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto full,
                             CompactFilesWithClustering(first.dataset, {.full = true}));

  EXPECT_EQ(full.rows_rewritten, 1000);
  EXPECT_EQ(full.tasks_committed, 1);
}

TEST_F(ClusteringTest, DryRunAndPlanChangeNothing) {
  const Dataset declared = Declare(MakeTable(3));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto plan, PlanClusteringCompaction(declared));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto same, PlanClusteringCompaction(declared));

  ASSERT_THAT(plan.tasks(), SizeIs(1));
  EXPECT_THAT(plan.tasks()[0].source_fragment_ids(), ElementsAre(0, 1, 2));
  EXPECT_EQ(plan.plan_id(), same.plan_id());
  EXPECT_EQ(Open().version(), declared.version());
}

TEST_F(ClusteringTest, UndeclaredTableCannotBeOptimized) {
  EXPECT_THAT(CompactFilesWithClustering(MakeTable(1)),
              IsInvalid(::testing::AllOf(HasSubstr("SetClustering"), HasSubstr("CompactFiles"))));
}

TEST_F(ClusteringTest, TakesUnsetOptionsFromTheConfigAndRefusesNonsense) {
  const Dataset declared = Declare(MakeTable(3));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset budgeted,
      UpdateMetadata(declared, {.values = {{"lance.compaction.max_source_fragments", "2"}}}));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto plan, PlanClusteringCompaction(budgeted));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset broken,
      UpdateMetadata(budgeted, {.values = {{"lance.compaction.max_source_fragments", "many"}}}));

  EXPECT_THAT(plan.tasks()[0].source_fragment_ids(), ElementsAre(0, 1));
  EXPECT_THAT(PlanClusteringCompaction(broken),
              IsInvalid(HasSubstr("lance.compaction.max_source_fragments")));
  EXPECT_THAT(PlanClusteringCompaction(declared, {.rows_per_zone = 0}),
              IsInvalid(HasSubstr("rows_per_zone")));
  EXPECT_THAT(PlanClusteringCompaction(declared, {.min_merge_ratio = -1}),
              IsInvalid(HasSubstr("min_merge_ratio")));
}

TEST_F(ClusteringTest, AppendDuringARewriteLandsBeside) {
  const Dataset declared = Declare(MakeTable(2));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto plan, PlanClusteringCompaction(declared));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto rewritten, plan.tasks()[0].Execute(declared));
  MakeAppend(300);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto result,
                             CommitClusteringCompaction(declared, plan, {rewritten}));

  EXPECT_EQ(SortedIds(result.dataset), AllIds());
  EXPECT_THAT(FragmentIds(result.dataset), ElementsAre(2, 3));
}

TEST_F(ClusteringTest, TwoRewritesOfOneFragmentConflictAndTheSecondChangesNothing) {
  const Dataset declared = Declare(MakeTable(2));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto plan, PlanClusteringCompaction(declared));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto first, plan.tasks()[0].Execute(declared));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto second, plan.tasks()[0].Execute(declared));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto result,
                             CommitClusteringCompaction(declared, plan, {first}));

  const auto conflict = CommitClusteringCompaction(declared, plan, {second});

  ASSERT_THAT(conflict, IsAlreadyExists());
  ASSERT_NE(CommitConflict::From(conflict.status()), nullptr);
  EXPECT_TRUE(CommitConflict::From(conflict.status())->retryable());
  EXPECT_EQ(Open().version(), result.dataset.version());
  EXPECT_EQ(SortedIds(Open()), AllIds());
}

TEST_F(ClusteringTest, ChangeOfDeclarationDuringARewriteLandsWithTheOldDefinition) {
  const Dataset declared = Declare(MakeTable(2));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto plan, PlanClusteringCompaction(declared));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto rewritten, plan.tasks()[0].Execute(declared));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto changed, declared.SetClustering({.columns = {"b"}}));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto result,
                             CommitClusteringCompaction(declared, plan, {rewritten}));

  ASSERT_THAT(result.dataset.fragments(), SizeIs(1));
  EXPECT_EQ(result.dataset.fragments()[0].clustering_id(), 1);
  EXPECT_THAT(result.dataset.clustering_spec()->columns, ElementsAre("b"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto next, PlanClusteringCompaction(result.dataset));
  EXPECT_THAT(next.tasks(), SizeIs(1));  // stale under the new declaration
}

TEST_F(ClusteringTest, CommitRefusesWhatDoesNotBelongTogether) {
  const Dataset declared = Declare(MakeTable(2));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto plan, PlanClusteringCompaction(declared));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto other, PlanClusteringCompaction(declared, {.full = true}));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto rewritten, plan.tasks()[0].Execute(declared));

  EXPECT_THAT(CommitClusteringCompaction(declared, plan, {}), IsInvalid(HasSubstr("no results")));
  EXPECT_THAT(CommitClusteringCompaction(declared, other, {rewritten}),
              IsInvalid(HasSubstr("cannot be committed with plan")));
  EXPECT_THAT(CommitClusteringCompaction(declared, plan, {rewritten, rewritten}),
              IsInvalid(HasSubstr("more than one result")));
  ASSERT_THAT(session_.memory()->Delete("data/" + rewritten.new_fragments()[0].files()[0].path),
              IsOk());
  EXPECT_THAT(CommitClusteringCompaction(declared, plan, {rewritten}), IsKeyError());
  EXPECT_EQ(Open().version(), declared.version());
}

TEST_F(ClusteringTest, ScansGiveTheSameRowsWithAndWithoutStatistics) {
  const Dataset declared = Declare(MakeTable(3));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto optimized,
                             CompactFilesWithClustering(declared, {.rows_per_zone = kRowsPerZone}));
  MakeAppend(700);
  const Dataset dataset = Open();
  for (const char* filter :
       {"a = 3", "a < -400", "s = 'k7' OR a IS NULL", "NOT (a > -450)", "b > 70 AND a < 0",
        "s IN ('k1', 'k2') AND b <> 5", "b IS NULL", "s BETWEEN 'k10' AND 'k12'"}) {
    SCOPED_TRACE(filter);
    const auto expected = SortedIds(dataset, {.filter = filter, .use_stats = false});
    EXPECT_EQ(SortedIds(dataset, {.filter = filter}), expected);
    EXPECT_EQ(SortedIds(dataset, {.filter = filter, .use_scalar_index = false}), expected);
    EXPECT_THAT(dataset.CountRows(filter), IsOkAndHolds(expected.size()));
  }
}

}  // namespace
}  // namespace lance::testing
