#include "lance/dataset/filter/cast_leaf.h"

#include <string>

#include "arrow/api.h"
#include "gtest/gtest.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/testing/matchers.h"
#include "sample_rows.h"

namespace lance::filter {
namespace {

std::string Show(const std::optional<index::Bound>& bound) {
  if (!bound) return "open";
  EXPECT_TRUE(bound->inclusive);
  return bound->value->ToString();
}

/// The range that a filter of the sample rows is asked for.
std::string RangeOf(const std::string& sql) {
  const auto filter = BoundFilter::Make(sql, SampleSchema());
  if (!filter.ok()) return filter.status().message();
  const index::Predicate& leaf = filter->predicate();
  if (leaf.kind != index::Predicate::Kind::kRange) return "none";
  return "[" + Show(leaf.lower) + ", " + Show(leaf.upper) + "]";
}

TEST(ToCastLeaf, AsksForIntegersNearTheConstant) {
  EXPECT_EQ(RangeOf("CAST(i8 AS BIGINT) = 5"), "[5, 5]");
  EXPECT_EQ(RangeOf("CAST(i8 AS DOUBLE) = 5.5"), "[5, 5]");
  EXPECT_EQ(RangeOf("CAST(i8 AS DOUBLE) < 5.5"), "[open, 5]");
  EXPECT_EQ(RangeOf("CAST(i8 AS DOUBLE) <= -5.5"), "[open, -5]");
  EXPECT_EQ(RangeOf("CAST(i8 AS DOUBLE) > -5.5"), "[-5, open]");
  EXPECT_EQ(RangeOf("CAST(i8 AS DOUBLE) >= 5.5"), "[5, open]");
  EXPECT_EQ(RangeOf("5 < CAST(i8 AS BIGINT)"), "[5, open]");
  EXPECT_EQ(RangeOf("NOT (CAST(i8 AS BIGINT) < 5)"), "[5, open]");
}

TEST(ToCastLeaf, SaysNothingOfNumbersThatTheColumnDoesNotReach) {
  EXPECT_EQ(RangeOf("CAST(i8 AS BIGINT) < 128"), "none");
  EXPECT_EQ(RangeOf("CAST(i8 AS DOUBLE) < 128.5"), "none");
  EXPECT_EQ(RangeOf("CAST(i8 AS DOUBLE) > -1e10"), "none");
  EXPECT_EQ(RangeOf("CAST(u8 AS DOUBLE) > -1.5"), "none");
  EXPECT_EQ(RangeOf("CAST(i64 AS DOUBLE) < 9.3e18"), "none");
}

TEST(ToCastLeaf, SaysNothingWhereIntegersShareAFloat) {
  EXPECT_EQ(RangeOf("CAST(i64 AS DOUBLE) = 9007199254740991"),
            "[9007199254740991, 9007199254740991]");
  EXPECT_EQ(RangeOf("CAST(i64 AS DOUBLE) = 9007199254740992"), "none");
  EXPECT_EQ(RangeOf("CAST(i32 AS FLOAT) = CAST(16777215 AS FLOAT)"), "[16777215, 16777215]");
  EXPECT_EQ(RangeOf("CAST(i32 AS FLOAT) = CAST(16777216 AS FLOAT)"), "none");
}

TEST(ToCastLeaf, TakesBothZeros) {
  EXPECT_EQ(RangeOf("CAST(f32 AS DOUBLE) = 0.0"), "[-0, 0]");
  EXPECT_EQ(RangeOf("CAST(f32 AS DOUBLE) >= 0.0"), "[-0, open]");
  EXPECT_EQ(RangeOf("CAST(f32 AS DOUBLE) = CAST('NaN' AS DOUBLE)"), "none");
}

TEST(ToCastLeaf, SaysNothingOfOtherCasts) {
  EXPECT_EQ(RangeOf("CAST(i8 AS BIGINT) <> 5"), "none");
  EXPECT_EQ(RangeOf("TRY_CAST(i8 AS BIGINT) = 5"), "none");
  EXPECT_EQ(RangeOf("CAST(i8 AS STRING) = '5'"), "none");
  EXPECT_EQ(RangeOf("CAST(s AS BIGINT) = 5"), "none");
  EXPECT_EQ(RangeOf("CAST(f64 AS BIGINT) = 5"), "none");
  EXPECT_EQ(RangeOf("CAST(i8 + 1 AS BIGINT) = 5"), "none");
  EXPECT_EQ(RangeOf("CAST(i8 AS BIGINT) = CAST(i16 AS BIGINT)"), "none");
}

}  // namespace
}  // namespace lance::filter
