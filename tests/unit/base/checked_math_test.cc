#include "lance/base/checked_math.h"

#include "lance/testing/matchers.h"

namespace lance {
namespace {

using lance::testing::IsOkAndHolds;
using lance::testing::IsSerializationError;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint64_t kMax = UINT64_MAX;

TEST(CheckedAdd, AddsUpToTheLargestNumber) {
  EXPECT_THAT(CheckedAdd(2, 3, "end"), IsOkAndHolds(5u));
  EXPECT_THAT(CheckedAdd(kMax - 3, 3, "end"), IsOkAndHolds(kMax));
  EXPECT_THAT(CheckedAdd(0, kMax, "end"), IsOkAndHolds(kMax));
}

TEST(CheckedAdd, NamesWhatOverflowsAndBothNumbers) {
  EXPECT_THAT(
      CheckedAdd(kMax, 1, "page.end"),
      IsSerializationError(AllOf(HasSubstr("page.end"), HasSubstr("18446744073709551615 + 1"))));
}

TEST(CheckedMul, MultipliesUpToTheLargestNumber) {
  EXPECT_THAT(CheckedMul(6, 7, "size"), IsOkAndHolds(42u));
  EXPECT_THAT(CheckedMul(0, kMax, "size"), IsOkAndHolds(0u));
  EXPECT_THAT(CheckedMul(uint64_t{1} << 32, (uint64_t{1} << 32) - 1, "size"),
              IsOkAndHolds(18446744069414584320u));
}

TEST(CheckedMul, NamesWhatOverflowsAndBothNumbers) {
  EXPECT_THAT(
      CheckedMul(uint64_t{1} << 32, uint64_t{1} << 32, "num_bits"),
      IsSerializationError(AllOf(HasSubstr("num_bits"), HasSubstr("4294967296 * 4294967296"))));
}

TEST(CeilDiv, RoundsUpWithoutWrapping) {
  EXPECT_EQ(CeilDiv(0, 8), 0u);
  EXPECT_EQ(CeilDiv(1, 8), 1u);
  EXPECT_EQ(CeilDiv(8, 8), 1u);
  EXPECT_EQ(CeilDiv(9, 8), 2u);
  EXPECT_EQ(CeilDiv(kMax, 2), uint64_t{1} << 63);
}

}  // namespace
}  // namespace lance
