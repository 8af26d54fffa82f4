#include "lance/dataset/fragment_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Contract section 5: of R rows and at most M per file.
TEST(ClusteredFileSizes, GiveAllButTheLastTheMaximumWhenTheLastIsLargeEnough) {
  EXPECT_THAT(ClusteredFileSizes(0, 100), IsEmpty());
  EXPECT_THAT(ClusteredFileSizes(1, 100), ElementsAre(1));
  EXPECT_THAT(ClusteredFileSizes(100, 100), ElementsAre(100));
  EXPECT_THAT(ClusteredFileSizes(113, 100), ElementsAre(100, 13));
  EXPECT_THAT(ClusteredFileSizes(312, 96), ElementsAre(96, 96, 96, 24));
}

TEST(ClusteredFileSizes, BalanceWhenTheLastWouldHaveFewerThanAnEighth) {
  EXPECT_THAT(ClusteredFileSizes(112, 100), ElementsAre(56, 56));
  EXPECT_THAT(ClusteredFileSizes(203, 100), ElementsAre(68, 68, 67));
  EXPECT_THAT(ClusteredFileSizes(11, 10), ElementsAre(6, 5));
  // 12 of 100 is below 12.5, 12 of 96 is exactly an eighth.
  EXPECT_THAT(ClusteredFileSizes(108, 96), ElementsAre(96, 12));
}

}  // namespace
}  // namespace lance
