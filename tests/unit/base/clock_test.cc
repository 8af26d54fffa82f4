#include "lance/base/clock.h"

#include <future>

#include "lance/testing/matchers.h"

namespace lance {
namespace {

using lance::testing::IsCancelled;
using lance::testing::IsOk;
using std::chrono::milliseconds;

TEST(SystemClock, TellsATimeOfThisCentury) {
  const auto since_epoch = SystemClock().Now().time_since_epoch();

  EXPECT_GT(since_epoch, std::chrono::hours(24 * 365 * 50));
  EXPECT_LT(since_epoch, std::chrono::hours(24 * 365 * 130));
}

TEST(SystemClock, SleepsAtLeastAsLongAsAsked) {
  const auto start = SystemClock().Steady();

  const auto slept = SystemClock().Sleep(milliseconds(20), arrow::StopToken::Unstoppable());

  EXPECT_THAT(slept, IsOk());
  EXPECT_GE(SystemClock().Steady() - start, milliseconds(20));
}

TEST(SystemClock, SleepOfNothingReturnsAtOnceButSeesTheStop) {
  arrow::StopSource source;
  EXPECT_THAT(SystemClock().Sleep(milliseconds(0), source.token()), IsOk());

  source.RequestStop();

  EXPECT_THAT(SystemClock().Sleep(milliseconds(0), source.token()), IsCancelled());
}

TEST(SystemClock, SleepEndsSoonAfterTheStopFires) {
  arrow::StopSource source;
  auto sleeping = std::async(std::launch::async, [token = source.token()] {
    return SystemClock().Sleep(std::chrono::hours(1), token);
  });

  source.RequestStop();

  EXPECT_THAT(sleeping.get(), IsCancelled());
}

}  // namespace
}  // namespace lance
