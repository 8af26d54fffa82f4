#include "lance/testing/fake_clock.h"

#include "lance/testing/matchers.h"

namespace lance::testing {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const arrow::StopToken kNeverStop = arrow::StopToken::Unstoppable();

TEST(FakeClock, StandsStillUntilItIsMoved) {
  FakeClock clock;
  const Timestamp start = clock.Now();

  EXPECT_EQ(clock.Now(), start);
  EXPECT_EQ(start.time_since_epoch(), seconds(1704067200));
}

TEST(FakeClock, SleepMovesBothClocksAtOnce) {
  FakeClock clock(Timestamp(seconds(100)));

  EXPECT_THAT(clock.Sleep(hours(1), kNeverStop), IsOk());

  EXPECT_EQ(clock.Now(), Timestamp(seconds(3700)));
  EXPECT_EQ(clock.Steady(), hours(1));
  EXPECT_EQ(clock.slept(), hours(1));
}

TEST(FakeClock, SetNowLeavesTheSteadyClock) {
  FakeClock clock;
  clock.Advance(seconds(5));

  clock.SetNow(Timestamp(seconds(7)));

  EXPECT_EQ(clock.Now(), Timestamp(seconds(7)));
  EXPECT_EQ(clock.Steady(), seconds(5));
  EXPECT_EQ(clock.slept(), seconds(0));
}

TEST(FakeClock, SleepIsCancelledWhenTheStopHasFired) {
  FakeClock clock;
  arrow::StopSource source;
  source.RequestStop();

  EXPECT_THAT(clock.Sleep(hours(1), source.token()), IsCancelled());

  EXPECT_EQ(clock.slept(), seconds(0));
}

}  // namespace
}  // namespace lance::testing
