// How ordinary compaction groups fragments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/dataset/compaction_impl.h"

namespace lance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Tasks = std::vector<std::vector<size_t>>;

ResolvedCompaction Options(uint64_t target_rows, double threshold = 0.1) {
  return {.target_rows_per_fragment = target_rows, .materialize_deletions_threshold = threshold};
}

/// Fragments of some rows each, of 10 bytes a row, ids from 100.
std::vector<CompactionCandidate> Fragments(const std::vector<uint64_t>& sizes) {
  std::vector<CompactionCandidate> fragments;
  for (const uint64_t rows : sizes) {
    fragments.push_back({.id = 100 + fragments.size(),
                         .physical_rows = rows,
                         .live_rows = rows,
                         .size_bytes = 10 * rows});
  }
  return fragments;
}

TEST(GroupFragmentsTest, CutsWhereBothSidesHaveRowsEnough) {
  EXPECT_EQ(GroupFragments(Fragments({2, 2, 2, 2, 2}), Options(3)).tasks,
            (Tasks{{0, 1}, {2, 3, 4}}));
  EXPECT_EQ(GroupFragments(Fragments({3, 3, 3, 3, 3}), Options(7)).tasks, (Tasks{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(GroupFragments(Fragments({10, 10, 10, 10, 10, 10, 10}), Options(25)).tasks,
            (Tasks{{0, 1, 2}, {3, 4, 5, 6}}));
}

TEST(GroupFragmentsTest, LeavesLargeFragmentsAndLonelySmallOnesAlone) {
  EXPECT_THAT(GroupFragments(Fragments({7, 3}), Options(3)).tasks, IsEmpty());
  EXPECT_THAT(GroupFragments(Fragments({5, 1, 5}), Options(5)).tasks, IsEmpty());
  EXPECT_EQ(GroupFragments(Fragments({1, 9, 1, 1, 9}), Options(5)).tasks, (Tasks{{2, 3}}));
}

TEST(GroupFragmentsTest, RewritesAFragmentForMoreDeletionsThanTheThreshold) {
  auto fragments = Fragments({100, 100});
  fragments[0].live_rows = 90;
  fragments[1].live_rows = 89;
  EXPECT_EQ(GroupFragments(fragments, Options(50)).tasks, (Tasks{{1}}));

  ResolvedCompaction off = Options(50);
  off.materialize_deletions = false;
  EXPECT_THAT(GroupFragments(fragments, off).tasks, IsEmpty());
  EXPECT_EQ(GroupFragments(fragments, Options(50, 0)).tasks, (Tasks{{0}, {1}}));
}

TEST(GroupFragmentsTest, KeepsFragmentsApartThatDifferentIndicesCover) {
  auto fragments = Fragments({5, 5, 5, 5});
  fragments[0].covered_by = {0, 1};
  fragments[1].covered_by = {0, 1};
  fragments[2].covered_by = {0};
  EXPECT_EQ(GroupFragments(fragments, Options(100)).tasks, (Tasks{{0, 1}}));
}

TEST(GroupFragmentsTest, StopsAtExcludedFragments) {
  ResolvedCompaction options = Options(100);
  options.excluded_fragment_ids = {102, 102, 77};
  EXPECT_EQ(GroupFragments(Fragments({5, 5, 5, 5, 5}), options).tasks, (Tasks{{0, 1}, {3, 4}}));
}

TEST(GroupFragmentsTest, LeavesAloneWhatAnUnknownIndexCovers) {
  auto fragments = Fragments({5, 5, 5, 5});
  fragments[1].live_rows = 1;
  for (const size_t held : {1, 2}) fragments[held].is_held_back = true;
  fragments.push_back(Fragments({5}).front());
  EXPECT_EQ(GroupFragments(fragments, Options(100)).tasks, (Tasks{{3, 4}}));
}

TEST(GroupFragmentsTest, TakesTasksInOrderWhileTheyFitTheBudget) {
  ResolvedCompaction options = Options(10);
  options.budget.max_source_rows = 29;
  const auto planned = GroupFragments(Fragments({5, 5, 5, 5, 5, 5}), options);
  EXPECT_EQ(planned.tasks, (Tasks{{0, 1}, {2, 3}}));
  ASSERT_TRUE(planned.stopped_by);
  EXPECT_EQ(planned.stopped_by->budget, "max_source_rows");
  EXPECT_EQ(planned.stopped_by->allowed, 29u);
  EXPECT_EQ(planned.stopped_by->needed, 30u);
  EXPECT_EQ(planned.stopped_by->next_fragment_id, 104u);

  options.budget = {.max_source_fragments = 3};
  EXPECT_EQ(GroupFragments(Fragments({5, 5, 5, 5}), options).tasks, (Tasks{{0, 1}}));
  options.budget = {.max_source_bytes = 100};
  EXPECT_EQ(GroupFragments(Fragments({5, 5, 5, 5}), options).tasks, (Tasks{{0, 1}}));
  options.budget = {.max_source_bytes = 99};
  EXPECT_THAT(GroupFragments(Fragments({5, 5, 5, 5}), options).tasks, IsEmpty());
}

}  // namespace
}  // namespace lance
