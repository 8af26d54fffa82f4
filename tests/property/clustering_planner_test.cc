#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "lance/clustering/planner.h"
#include "lance/testing/seeded_random.h"

namespace lance::clustering {
namespace {

using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

std::vector<PlannerFragment> RandomFragments(SeededRandom* random) {
  static const uint64_t kRows[] = {0, 1, 50, 250, 400, 999, 1000, 1500};
  std::vector<PlannerFragment> fragments(random->Below(40));
  for (size_t i = 0; i < fragments.size(); ++i) {
    PlannerFragment& fragment = fragments[i];
    fragment.id = 2 * i + 1;
    fragment.is_current = random->OneIn(2);
    fragment.group_id = random->OneIn(4) ? "" : std::string(1, "abcdef"[random->Below(6)]);
    fragment.live_rows = kRows[random->Below(std::size(kRows))];
    fragment.size_bytes = fragment.live_rows * 10;
    fragment.is_excluded = random->OneIn(15);
    if (random->OneIn(5)) fragment.coverage = {static_cast<uint32_t>(random->Below(2))};
  }
  return fragments;
}

PlannerOptions RandomOptions(SeededRandom* random) {
  static const double kRatios[] = {0, 0.25, 1, 1.5};
  PlannerOptions options;
  options.target_rows_per_group = 1 + random->Below(4000);
  options.min_merge_ratio = kRatios[random->Below(std::size(kRatios))];
  options.full = random->OneIn(6);
  if (random->OneIn(3)) options.budget.max_source_fragments = 1 + random->Below(10);
  if (random->OneIn(3)) options.budget.max_source_rows = 1 + random->Below(5000);
  if (random->OneIn(3)) options.budget.max_source_bytes = 1 + random->Below(50'000);
  return options;
}

using GroupRows = std::map<std::string, uint64_t>;

std::string GroupOf(const PlannerFragment& fragment) {
  return fragment.group_id.empty() ? "#" + std::to_string(fragment.id) : fragment.group_id;
}

GroupRows RowsByGroup(const std::vector<PlannerFragment>& fragments) {
  GroupRows rows;
  for (const PlannerFragment& fragment : fragments) {
    if (fragment.is_current) rows[GroupOf(fragment)] += fragment.live_rows;
  }
  return rows;
}

std::map<uint64_t, const PlannerFragment*> ById(const std::vector<PlannerFragment>& fragments) {
  std::map<uint64_t, const PlannerFragment*> by_id;
  for (const PlannerFragment& fragment : fragments) by_id[fragment.id] = &fragment;
  return by_id;
}

void ExpectTaskIsLawful(const PlannedTask& task, const std::vector<PlannerFragment>& fragments,
                        const PlannerOptions& options) {
  const auto by_id = ById(fragments);
  const GroupRows group_rows = RowsByGroup(fragments);
  ASSERT_FALSE(task.fragment_ids.empty());
  GroupRows partial_rows;
  uint64_t rows = 0;
  size_t num_stale = 0;
  for (const uint64_t id : task.fragment_ids) {
    const PlannerFragment& fragment = *by_id.at(id);
    EXPECT_FALSE(fragment.is_excluded);
    EXPECT_EQ(fragment.coverage, by_id.at(task.fragment_ids[0])->coverage);
    rows += fragment.live_rows;
    if (!fragment.is_current || options.full) {
      ++num_stale;
      continue;
    }
    EXPECT_LT(group_rows.at(GroupOf(fragment)), options.target_rows_per_group) << "stable";
    partial_rows[GroupOf(fragment)] += fragment.live_rows;
  }
  EXPECT_EQ(task.rows, rows);
  EXPECT_EQ(task.has_partial_group, !partial_rows.empty());
  EXPECT_GE(num_stale + partial_rows.size(), num_stale > 0 ? 1U : 2U) << "a lone partial group";
  for (const auto& [group, group_in_task] : partial_rows) {
    EXPECT_GE(static_cast<double>(rows - group_in_task),
              options.min_merge_ratio * static_cast<double>(group_in_task));
  }
  // Only the last fragment may take it past the target.
  EXPECT_LT(rows - by_id.at(task.fragment_ids.back())->live_rows, options.target_rows_per_group);
}

void ExpectPlanIsLawful(const PlannedTasks& plan, const std::vector<PlannerFragment>& fragments,
                        const PlannerOptions& options) {
  std::vector<uint64_t> ids;
  uint64_t rows = 0;
  uint64_t bytes = 0;
  for (const PlannedTask& task : plan.tasks) {
    ExpectTaskIsLawful(task, fragments, options);
    ids.insert(ids.end(), task.fragment_ids.begin(), task.fragment_ids.end());
    rows += task.rows;
    bytes += task.bytes;
  }
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end())) << "manifest order";
  EXPECT_EQ(std::set<uint64_t>(ids.begin(), ids.end()).size(), ids.size()) << "disjoint";
  EXPECT_LE(ids.size(), options.budget.max_source_fragments.value_or(UINT64_MAX));
  EXPECT_LE(rows, options.budget.max_source_rows.value_or(UINT64_MAX));
  EXPECT_LE(bytes, options.budget.max_source_bytes.value_or(UINT64_MAX));
  EXPECT_EQ(plan.spent_fragments, ids.size());
  EXPECT_EQ(plan.spent_rows, rows);
  EXPECT_EQ(plan.spent_bytes, bytes);
  if (plan.stopped_by) {
    EXPECT_GT(plan.stopped_by->needed, plan.stopped_by->allowed);
  }
}

TEST(PlannerProperty, EveryPlanIsLawful) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(3000) && !::testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const auto fragments = RandomFragments(&random);
    const PlannerOptions options = RandomOptions(&random);

    ExpectPlanIsLawful(PlanTasks(fragments, options), fragments, options);
  }
}

TEST(PlannerProperty, TakesEveryStaleFragmentWhenNoBudgetStopsIt) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(1000); ++round) {
    const auto fragments = RandomFragments(&random);
    PlannerOptions options = RandomOptions(&random);
    options.budget = {};
    std::set<uint64_t> expected;
    for (const PlannerFragment& fragment : fragments) {
      const bool is_stale = !fragment.is_current || options.full;
      if (is_stale && !fragment.is_excluded) expected.insert(fragment.id);
    }

    const PlannedTasks plan = PlanTasks(fragments, options);

    EXPECT_FALSE(plan.stopped_by);
    for (const PlannedTask& task : plan.tasks) {
      for (const uint64_t id : task.fragment_ids) expected.erase(id);
    }
    ASSERT_TRUE(expected.empty()) << "left: " << ::testing::PrintToString(expected);
  }
}

/// The manifest after every task is done: sources gone, outputs of up to 500 rows at the end, each
/// task's of one new group.
std::vector<PlannerFragment> Execute(const std::vector<PlannerFragment>& fragments,
                                     const PlannedTasks& plan, int* num_groups) {
  const auto by_id = ById(fragments);
  std::set<uint64_t> sources;
  std::vector<PlannerFragment> outputs;
  uint64_t next_id = fragments.empty() ? 0 : fragments.back().id + 1;
  for (const PlannedTask& task : plan.tasks) {
    sources.insert(task.fragment_ids.begin(), task.fragment_ids.end());
    const std::string group = "new" + std::to_string((*num_groups)++);
    for (uint64_t rows = task.rows; rows > 0;) {
      PlannerFragment output = *by_id.at(task.fragment_ids[0]);
      output.id = next_id++;
      output.is_current = true;
      output.group_id = group;
      output.live_rows = std::min<uint64_t>(rows, 500);
      output.size_bytes = output.live_rows * 10;
      rows -= output.live_rows;
      outputs.push_back(output);
    }
  }
  std::vector<PlannerFragment> next;
  for (const PlannerFragment& fragment : fragments) {
    if (sources.count(fragment.id) == 0) next.push_back(fragment);
  }
  next.insert(next.end(), outputs.begin(), outputs.end());
  return next;
}

TEST(PlannerProperty, PlanningAgainAfterEveryPassEndsWithAnEmptyPlan) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(500); ++round) {
    std::vector<PlannerFragment> fragments = RandomFragments(&random);
    PlannerOptions options = RandomOptions(&random);
    options.budget = {};
    int num_groups = 0;
    int num_passes = 0;
    const auto plan_progress = [&] {
      PlannedTasks plan = PlanTasks(fragments, options);
      std::erase_if(plan.tasks, [&](const PlannedTask& task) {
        return !MakesProgress(task, fragments, options);
      });
      return plan;
    };
    for (PlannedTasks plan = plan_progress(); !plan.tasks.empty(); plan = plan_progress()) {
      ASSERT_LT(++num_passes, 50) << "round " << round;
      fragments = Execute(fragments, plan, &num_groups);
      options.full = false;  // full makes stale only what the call began with
    }
  }
}

TEST(MakesProgress, LeavesOutATaskThatOnlyMovesTheBorderOfAGroup) {
  const std::vector<PlannerFragment> fragments = {
      {.id = 1, .is_current = true, .group_id = "a", .live_rows = 2398},
      {.id = 2, .is_current = true, .group_id = "b", .live_rows = 500},
      {.id = 3, .is_current = true, .group_id = "c", .live_rows = 500},
      {.id = 4, .is_current = true, .group_id = "c", .live_rows = 500},
      {.id = 5, .is_current = false, .live_rows = 10},
  };
  const PlannerOptions options{.target_rows_per_group = 3014, .min_merge_ratio = 1.0};

  // b whole and half of c become one partial group beside the other half: two as before.
  EXPECT_FALSE(MakesProgress({.fragment_ids = {2, 3}, .rows = 1000}, fragments, options));
  EXPECT_TRUE(MakesProgress({.fragment_ids = {2, 3, 4}, .rows = 1500}, fragments, options));
  EXPECT_TRUE(MakesProgress({.fragment_ids = {3, 5}, .rows = 510}, fragments, options));
  EXPECT_TRUE(MakesProgress({.fragment_ids = {1, 2, 3}, .rows = 3398}, fragments, options));
}

}  // namespace
}  // namespace lance::clustering
