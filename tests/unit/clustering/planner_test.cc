#include "lance/clustering/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lance::clustering {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PlannerFragment Stale(uint64_t id, uint64_t rows) {
  PlannerFragment fragment;
  fragment.id = id;
  fragment.live_rows = rows;
  fragment.size_bytes = 10 * rows;
  return fragment;
}

PlannerFragment Current(uint64_t id, const std::string& group, uint64_t rows) {
  PlannerFragment fragment = Stale(id, rows);
  fragment.is_current = true;
  fragment.group_id = group;
  return fragment;
}

PlannerFragment Excluded(PlannerFragment fragment) {
  fragment.is_excluded = true;
  return fragment;
}

PlannerFragment Covered(PlannerFragment fragment, std::vector<uint32_t> segments) {
  fragment.coverage = std::move(segments);
  return fragment;
}

PlannerOptions Target(uint64_t rows) {
  PlannerOptions options;
  options.target_rows_per_group = rows;
  return options;
}

std::vector<std::vector<uint64_t>> Ids(const PlannedTasks& plan) {
  std::vector<std::vector<uint64_t>> ids;
  for (const PlannedTask& task : plan.tasks) ids.push_back(task.fragment_ids);
  return ids;
}

TEST(PlanTasks, SaysWhatATaskHoldsAndWhatThePlanSpends) {
  const PlannedTasks plan =
      PlanTasks(std::vector{Current(1, "p", 100), Stale(2, 50), Excluded(Stale(3, 1)), Stale(4, 7)},
                Target(1000));

  EXPECT_THAT(Ids(plan), ElementsAre(ElementsAre(1, 2), ElementsAre(4)));
  EXPECT_EQ(plan.tasks[0].rows, 150U);
  EXPECT_EQ(plan.tasks[0].bytes, 1500U);
  EXPECT_TRUE(plan.tasks[0].has_partial_group);
  EXPECT_FALSE(plan.tasks[1].has_partial_group);
  EXPECT_EQ(plan.spent_fragments, 3U);
  EXPECT_EQ(plan.spent_rows, 157U);
  EXPECT_EQ(plan.spent_bytes, 1570U);
  EXPECT_FALSE(plan.stopped_by);
}

struct BudgetCase {
  std::string name;
  PlannerBudget budget;
  StoppedBy expected;
};

void PrintTo(const BudgetCase& budget_case, std::ostream* out) { *out << budget_case.name; }

class PlannerBudgetTest : public ::testing::TestWithParam<BudgetCase> {};

TEST_P(PlannerBudgetTest, StopsNamingTheBudgetTheNeedAndTheFragment) {
  PlannerOptions options = Target(1000);
  options.budget = GetParam().budget;
  const PlannedTasks plan =
      PlanTasks(std::vector{Stale(1, 100), Stale(2, 100), Stale(3, 100)}, options);

  ASSERT_TRUE(plan.stopped_by);
  EXPECT_EQ(plan.stopped_by->budget, GetParam().expected.budget);
  EXPECT_EQ(plan.stopped_by->allowed, GetParam().expected.allowed);
  EXPECT_EQ(plan.stopped_by->needed, GetParam().expected.needed);
  EXPECT_EQ(plan.stopped_by->next_fragment_id, GetParam().expected.next_fragment_id);
}

INSTANTIATE_TEST_SUITE_P(
    All, PlannerBudgetTest,
    ::testing::ValuesIn<BudgetCase>({
        {"Fragments", {1, {}, {}}, {"max_source_fragments", 1, 2, 2}},
        {"Rows", {{}, 250, {}}, {"max_source_rows", 250, 300, 3}},
        {"Bytes", {{}, {}, 999}, {"max_source_bytes", 999, 1000, 1}},
        {"TheFirstOfSeveral", {2, 200, 2000}, {"max_source_fragments", 2, 3, 3}},
        {"SpentUp", {0, {}, {}}, {"max_source_fragments", 0, 1, 1}},
    }));

TEST(PlanTasks, IsNotStoppedByAFragmentThatNeedsNoRewrite) {
  PlannerOptions options = Target(1000);
  options.budget.max_source_rows = 100;

  const PlannedTasks plan =
      PlanTasks(std::vector{Stale(1, 100), Current(2, "s", 5000), Current(3, "p", 900)}, options);

  EXPECT_THAT(Ids(plan), ElementsAre(ElementsAre(1)));
  EXPECT_FALSE(plan.stopped_by);
}

TEST(PlanTasks, ReturnsTheBudgetOfAGroupThatIsTakenOut) {
  PlannerOptions options = Target(1000);
  options.budget.max_source_rows = 1000;

  const PlannedTasks plan =
      PlanTasks(std::vector{Current(1, "p", 900), Stale(2, 50), Stale(3, 500)}, options);

  EXPECT_THAT(Ids(plan), ElementsAre(ElementsAre(2), ElementsAre(3)));
  EXPECT_EQ(plan.spent_rows, 550U);
  EXPECT_FALSE(plan.stopped_by);
}

TEST(PlanTasks, CountsAFragmentWithoutAGroupAsAGroupOfItsOwn) {
  EXPECT_THAT(Ids(PlanTasks(std::vector{Current(1, "", 600), Current(2, "", 600)}, Target(1000))),
              ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(Ids(PlanTasks(std::vector{Current(1, "g", 600), Current(2, "g", 600)}, Target(1000))),
              IsEmpty());
}

TEST(PlanTasks, CountsLeftOutFragmentsForTheirGroup) {
  const std::vector fragments{Excluded(Current(1, "g", 700)), Current(2, "g", 400), Stale(3, 1)};
  EXPECT_THAT(Ids(PlanTasks(fragments, Target(1000))), ElementsAre(ElementsAre(3)));
}

TEST(PlanTasks, NeverMixesCoverage) {
  const std::vector fragments{Covered(Stale(1, 1), {1}), Covered(Stale(2, 1), {1}),
                              Covered(Stale(3, 1), {1, 2}), Stale(4, 1), Covered(Stale(5, 1), {1})};
  EXPECT_THAT(Ids(PlanTasks(fragments, Target(1000))),
              ElementsAre(ElementsAre(1, 2), ElementsAre(3), ElementsAre(4), ElementsAre(5)));
}

TEST(PlanTasks, TakesStableGroupsTooWhenFull) {
  PlannerOptions options = Target(1000);
  options.full = true;
  options.budget.max_source_rows = 5000;
  const std::vector fragments{Current(1, "s", 2000), Current(2, "p", 10), Excluded(Stale(3, 10))};

  EXPECT_THAT(Ids(PlanTasks(fragments, options)), ElementsAre(ElementsAre(1), ElementsAre(2)));
}

TEST(PlanTasks, JudgesWhatIsLeftOfATaskAgain) {
  // p goes, then q goes for the same reason, then the stale crumb stands alone.
  const std::vector fragments{Current(1, "p", 4000), Current(2, "q", 700), Stale(3, 100)};
  EXPECT_THAT(Ids(PlanTasks(fragments, Target(6000))), ElementsAre(ElementsAre(3)));
}

TEST(PlanTasks, KeepsTheOrderOfPartsOnBothSidesOfAGroup) {
  const std::vector fragments{Stale(1, 5),          Current(2, "p", 3000), Stale(3, 7), Stale(4, 7),
                              Current(5, "p", 500), Current(6, "q", 2),    Stale(7, 10)};
  EXPECT_THAT(Ids(PlanTasks(fragments, Target(9000))),
              ElementsAre(ElementsAre(1), ElementsAre(3, 4), ElementsAre(6, 7)));
}

TEST(PlanTasks, JudgesTheFirstOfEqualGroupsFirst) {
  PlannerOptions options = Target(9000);
  options.min_merge_ratio = 3;
  // Taking q out first would leave 3 and 4 together instead of 2 and 3.
  const std::vector fragments{Current(1, "p", 250), Current(2, "q", 250), Stale(3, 800),
                              Current(4, "p", 250), Current(5, "q", 250), Stale(6, 10)};
  EXPECT_THAT(Ids(PlanTasks(fragments, options)), ElementsAre(ElementsAre(2, 3), ElementsAre(6)));
}

TEST(PlanTasks, MergesOnTheExactRatio) {
  PlannerOptions options = Target(5000);
  options.min_merge_ratio = 0.07;
  // In IEEE double 0.07 * 100 is greater than 7, and 0.07 * 500 is 35.
  EXPECT_THAT(Ids(PlanTasks(std::vector{Current(1, "p", 100), Current(2, "q", 7)}, options)),
              IsEmpty());
  EXPECT_THAT(Ids(PlanTasks(std::vector{Current(1, "p", 500), Current(2, "q", 35)}, options)),
              ElementsAre(ElementsAre(1, 2)));
}

TEST(PlanTasks, SurvivesRowCountsThatAddUpBeyond64Bits) {
  const uint64_t huge = UINT64_MAX - 1;
  PlannerOptions options = Target(UINT64_MAX);
  const std::vector fragments{Stale(1, huge), Stale(2, huge), Current(3, "g", huge),
                              Current(4, "g", huge)};

  const PlannedTasks plan = PlanTasks(fragments, options);

  EXPECT_THAT(Ids(plan), ElementsAre(ElementsAre(1, 2)));  // g is at the target: stable
  EXPECT_EQ(plan.spent_rows, UINT64_MAX);
}

}  // namespace
}  // namespace lance::clustering
