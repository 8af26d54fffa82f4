#include "lance/table/backoff.h"

#include <gtest/gtest.h>

namespace lance::table {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Always gives the largest number.
class Highest : public RandomSource {
 public:
  uint64_t Next() override { return 127; }
};

TEST(Backoff, DoublesItsSlotsUpTo128) {
  Highest random;
  Backoff backoff(&random);
  backoff.AttemptTook(milliseconds(10));

  EXPECT_EQ(backoff.Next(), milliseconds(11) * 3);
  EXPECT_EQ(backoff.Next(), milliseconds(11) * 7);
  EXPECT_EQ(backoff.Next(), milliseconds(11) * 15);
  EXPECT_EQ(backoff.Next(), milliseconds(11) * 31);
  EXPECT_EQ(backoff.Next(), milliseconds(11) * 63);
  EXPECT_EQ(backoff.Next(), milliseconds(11) * 127);
  EXPECT_EQ(backoff.Next(), milliseconds(11) * 127);
}

TEST(Backoff, TakesFiftyMillisecondsBeforeAnAttemptIsKnown) {
  Highest random;
  Backoff backoff(&random);

  EXPECT_EQ(backoff.Next(), milliseconds(150));
}

TEST(Backoff, OnlyTheFirstAttemptCounts) {
  Highest random;
  Backoff backoff(&random);
  backoff.AttemptTook(microseconds(100));
  backoff.AttemptTook(milliseconds(900));

  EXPECT_EQ(backoff.Next(), microseconds(330));
}

}  // namespace
}  // namespace lance::table
