#include "lance/clustering/rank_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/testing/matchers.h"

namespace lance::clustering {
namespace {

using lance::testing::IsCapacityError;
using lance::testing::IsOkAndHolds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SampleLimit, ShrinksAsValuesGrow) {
  EXPECT_EQ(SampleLimit(0), 65536U);
  EXPECT_EQ(SampleLimit(88), 65536U);  // 8 MiB / 128
  EXPECT_EQ(SampleLimit(89), 65027U);
  EXPECT_EQ(SampleLimit(8'388'608 - 40), 1U);
  EXPECT_EQ(SampleLimit(8'388'608 - 39), 0U);
  EXPECT_EQ(SampleLimit(UINT64_MAX), 0U);
}

TEST(ColumnSample, KeepsTheRowsOfSmallestPriority) {
  ColumnSample sample(/*column_index=*/0, /*fixed_limit=*/1);
  sample.Add(1, "b");  // priority ebfb...
  sample.Add(0, "a");  // priority 2b8f...

  EXPECT_THAT(sample.KeptPositions(), ElementsAre(0));
  EXPECT_THAT(sample.SortedValues("c"), IsOkAndHolds(ElementsAre("a")));
}

TEST(ColumnSample, KeepsDuplicatesInAscendingOrder) {
  ColumnSample sample(/*column_index=*/0);
  for (uint64_t row = 0; row < 4; ++row) sample.Add(row, row % 2 == 0 ? "\xff" : "\x01");

  EXPECT_THAT(sample.SortedValues("c"), IsOkAndHolds(ElementsAre("\x01", "\x01", "\xff", "\xff")));
}

TEST(ColumnSample, IsEmptyWithoutCandidates) {
  EXPECT_THAT(ColumnSample(0).SortedValues("c"), IsOkAndHolds(IsEmpty()));
}

TEST(ColumnSample, ShrinksWhenAWideValueComes) {
  ColumnSample sample(/*column_index=*/0);
  for (uint64_t row = 0; row < 2000; ++row) sample.Add(row, "a");
  EXPECT_THAT(sample.KeptPositions(), SizeIs(2000));

  sample.Add(2000, std::string(8'300, 'b'));  // K is 8 MiB / 8,340

  EXPECT_EQ(sample.limit(), 1005U);
  EXPECT_THAT(sample.KeptPositions(), SizeIs(1005));
}

TEST(ColumnSample, CountsTheWidthOfValuesThatItDoesNotKeep) {
  ColumnSample sample(/*column_index=*/0, /*fixed_limit=*/1);
  sample.Add(0, "a");
  sample.Add(1, "longer");

  EXPECT_THAT(sample.KeptPositions(), ElementsAre(0));
  EXPECT_EQ(sample.widest_bytes(), 6U);
}

TEST(ColumnSample, TurnsAwayWhatCannotBeKeptOnceItWasCutBack) {
  ColumnSample sample(/*column_index=*/0, /*fixed_limit=*/1);
  EXPECT_TRUE(sample.CanKeep(UINT64_MAX));
  sample.Add(0, "a");
  sample.Add(1, "b");

  EXPECT_FALSE(sample.CanKeep(SamplePriority(1, 0)));
  EXPECT_TRUE(sample.CanKeep(SamplePriority(0, 0)));
}

TEST(ColumnSample, FailsNamingTheColumnWhenNotOneValueFits) {
  ColumnSample sample(/*column_index=*/0);
  sample.Add(0, "a");
  sample.NoteWidth(9'000'000);

  EXPECT_THAT(sample.SortedValues("page"),
              IsCapacityError(HasSubstr("column \"page\" has a value of 9000000 encoded bytes")));
  EXPECT_THAT(sample.KeptPositions(), IsEmpty());
}

TEST(ColumnSample, MergeTakesTheLargerWidthAndTheSmallestOfTheUnion) {
  ColumnSample small(/*column_index=*/0);
  ColumnSample wide(/*column_index=*/0);
  for (uint64_t row = 0; row < 1500; ++row) small.Add(row, "a");
  wide.Add(1500, std::string(8'300, 'b'));

  small.Merge(wide);

  EXPECT_EQ(small.widest_bytes(), 8'300U);
  EXPECT_THAT(small.KeptPositions(), SizeIs(1005));
}

}  // namespace
}  // namespace lance::clustering
