#include "lance/base/row_ranges.h"

#include <bitset>

#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance {
namespace {

using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RowRanges, MakeSortsJoinsAndDropsEmptyRanges) {
  const RowRanges rows = RowRanges::Make({{20, 30}, {5, 5}, {0, 3}, {3, 6}, {25, 27}, {9, 8}});

  EXPECT_THAT(rows.ranges(), ElementsAre(RowRange{0, 6}, RowRange{20, 30}));
  EXPECT_EQ(rows.num_rows(), 16u);
}

TEST(RowRanges, FromAscendingJoinsNumbersAndMayGoBeyond32Bits) {
  const std::vector<uint32_t> numbers = {0, 1, 1, 2, 5, UINT32_MAX};
  const uint64_t base = uint64_t{3} << 32;
  EXPECT_THAT(RowRanges::FromAscending(numbers, base).ranges(),
              ElementsAre(RowRange{base, base + 3}, RowRange{base + 5, base + 6},
                          RowRange{base + UINT32_MAX, base + UINT32_MAX + 1}));
  EXPECT_TRUE(RowRanges::FromAscending({}).empty());
}

TEST(RowRanges, AllOfNoRowsIsEmpty) {
  EXPECT_TRUE(RowRanges::All(0).empty());
  EXPECT_THAT(RowRanges::All(7).ranges(), ElementsAre(RowRange{0, 7}));
}

TEST(RowRanges, IntersectsSeesTheFirstAndLastRowOnly) {
  const RowRanges rows = RowRanges::Make({{10, 20}, {30, 40}});

  EXPECT_TRUE(rows.Intersects({19, 20}));
  EXPECT_TRUE(rows.Intersects({0, 11}));
  EXPECT_TRUE(rows.Intersects({25, 31}));
  EXPECT_FALSE(rows.Intersects({0, 10}));
  EXPECT_FALSE(rows.Intersects({20, 30}));
  EXPECT_FALSE(rows.Intersects({40, 50}));
  EXPECT_FALSE(rows.Intersects({15, 15}));
}

TEST(RowRanges, UnionJoinsRangesThatTouch) {
  const RowRanges joined = RowRanges::Make({{0, 5}, {8, 9}}).Union(RowRanges::Make({{5, 8}}));

  EXPECT_THAT(joined.ranges(), ElementsAre(RowRange{0, 9}));
}

TEST(RowRanges, IntersectKeepsCommonRows) {
  const RowRanges common =
      RowRanges::Make({{0, 10}, {20, 30}}).Intersect(RowRanges::Make({{5, 25}, {29, 40}}));

  EXPECT_THAT(common.ranges(), ElementsAre(RowRange{5, 10}, RowRange{20, 25}, RowRange{29, 30}));
}

TEST(RowRanges, ComplementStopsAtTheNumberOfRows) {
  const RowRanges rows = RowRanges::Make({{0, 2}, {5, 7}, {90, 110}});

  EXPECT_THAT(rows.Complement(100).ranges(), ElementsAre(RowRange{2, 5}, RowRange{7, 90}));
  EXPECT_THAT(rows.Complement(6).ranges(), ElementsAre(RowRange{2, 5}));
  EXPECT_THAT(rows.Complement(2).ranges(), IsEmpty());
  EXPECT_THAT(RowRanges().Complement(3).ranges(), ElementsAre(RowRange{0, 3}));
}

constexpr size_t kNumRows = 64;
using Rows = std::bitset<kNumRows>;

Rows RowsOf(const RowRanges& set) {
  Rows rows;
  for (const RowRange range : set.ranges()) {
    for (uint64_t row = range.begin; row < range.end; ++row) rows.set(row);
  }
  return rows;
}

bool IsCanonical(const RowRanges& set) {
  uint64_t free_from = 0;
  for (const RowRange range : set.ranges()) {
    if (range.begin >= range.end || range.begin < free_from) return false;
    free_from = range.end + 1;
  }
  return true;
}

RowRanges RandomRanges(SeededRandom* random) {
  std::vector<RowRange> ranges(random->Below(6));
  for (RowRange& range : ranges) range = {random->Below(kNumRows), random->Below(kNumRows + 1)};
  return RowRanges::Make(std::move(ranges));
}

TEST(RowRanges, AgreesWithBitsetsOnRandomSets) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(2000); ++round) {
    const RowRanges lhs = RandomRanges(&random);
    const RowRanges rhs = RandomRanges(&random);
    const RowRange probe{random.Below(kNumRows), random.Below(kNumRows + 1)};

    const RowRanges joined = lhs.Union(rhs);
    const RowRanges common = lhs.Intersect(rhs);
    const RowRanges rest = lhs.Complement(kNumRows);

    ASSERT_EQ(RowsOf(joined), RowsOf(lhs) | RowsOf(rhs));
    ASSERT_EQ(RowsOf(common), RowsOf(lhs) & RowsOf(rhs));
    ASSERT_EQ(RowsOf(rest), ~RowsOf(lhs));
    ASSERT_EQ(lhs.num_rows(), RowsOf(lhs).count());
    ASSERT_EQ(lhs.Intersects(probe), (RowsOf(lhs) & RowsOf(RowRanges::Make({probe}))).any());
    ASSERT_TRUE(IsCanonical(lhs) && IsCanonical(joined) && IsCanonical(common) &&
                IsCanonical(rest));
  }
}

}  // namespace
}  // namespace lance
