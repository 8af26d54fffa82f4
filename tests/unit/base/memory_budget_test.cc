#include "lance/base/memory_budget.h"

#include <atomic>
#include <utility>
#include <vector>

#include "lance/base/executor.h"
#include "lance/testing/matchers.h"

namespace lance {
namespace {

using lance::testing::HasDetail;
using lance::testing::IsCapacityError;
using lance::testing::IsOk;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;

TEST(MemoryBudget, CountsWhatIsReservedUntilItGoesOutOfScope) {
  const auto budget = MemoryBudget::Make(100);
  {
    LANCE_ASSERT_OK_AND_ASSIGN(const MemoryReservation first, budget->Reserve(60, "sort"));
    LANCE_ASSERT_OK_AND_ASSIGN(const MemoryReservation second, budget->Reserve(40, "sort"));
    EXPECT_EQ(first.size_bytes(), 60u);
    EXPECT_EQ(budget->in_use_bytes(), 100u);
  }

  EXPECT_EQ(budget->in_use_bytes(), 0u);
}

TEST(MemoryBudget, RefusesWhatDoesNotFitNamingNeedAndCap) {
  const auto budget = MemoryBudget::Make(100);
  LANCE_ASSERT_OK_AND_ASSIGN(const MemoryReservation held, budget->Reserve(60, "sort"));

  const auto refused = budget->Reserve(41, "index zones");

  EXPECT_THAT(refused, IsCapacityError(AllOf(HasSubstr("index zones"), HasSubstr("41"),
                                             HasSubstr("100"), HasSubstr("60"))));
  EXPECT_THAT(refused, HasDetail<OverBudget>(AllOf(Field(&OverBudget::budget, "max_memory_bytes"),
                                                   Field(&OverBudget::needed, 41u),
                                                   Field(&OverBudget::allowed, 100u))));
  EXPECT_EQ(budget->in_use_bytes(), 60u);
}

TEST(MemoryBudget, RefusesASizeThatWouldWrap) {
  const auto budget = MemoryBudget::Make(100);
  LANCE_ASSERT_OK_AND_ASSIGN(const MemoryReservation held, budget->Reserve(60, "sort"));

  EXPECT_THAT(budget->Reserve(UINT64_MAX, "sort"), IsCapacityError());
}

TEST(MemoryReservation, MovesWithoutCountingTwice) {
  const auto budget = MemoryBudget::Make(100);
  LANCE_ASSERT_OK_AND_ASSIGN(MemoryReservation first, budget->Reserve(30, "sort"));
  LANCE_ASSERT_OK_AND_ASSIGN(MemoryReservation second, budget->Reserve(50, "sort"));

  MemoryReservation moved(std::move(first));
  EXPECT_EQ(budget->in_use_bytes(), 80u);
  moved = std::move(second);

  EXPECT_EQ(moved.size_bytes(), 50u);
  EXPECT_EQ(budget->in_use_bytes(), 50u);
}

TEST(MemoryReservation, OutlivesTheHandleOfItsBudget) {
  MemoryReservation kept;
  {
    const auto budget = MemoryBudget::Make(100);
    LANCE_ASSERT_OK_AND_ASSIGN(kept, budget->Reserve(30, "sort"));
  }

  EXPECT_EQ(kept.size_bytes(), 30u);
}

TEST(MemoryBudget, NeverGivesOutMoreThanItsCapToManyThreads) {
  const auto budget = MemoryBudget::Make(100);
  std::atomic<int> over = 0;

  const auto status = ParallelFor(2000, 4, arrow::StopToken::Unstoppable(), [&](int) {
    const auto held = budget->Reserve(40, "task");
    if (budget->in_use_bytes() > 100) ++over;
    return arrow::Status::OK();
  });

  EXPECT_THAT(status, IsOk());
  EXPECT_EQ(over, 0);
  EXPECT_EQ(budget->in_use_bytes(), 0u);
}

}  // namespace
}  // namespace lance
