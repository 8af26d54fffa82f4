#include "lance/index/literal_comparison.h"

#include "index_fixtures.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

Zone MakeZone(Literal min, Literal max, uint32_t nulls, uint32_t nans, uint64_t length = 100) {
  return {.zone_start = 0,
          .zone_length = length,
          .null_count = nulls,
          .nan_count = nans,
          .min = std::move(min),
          .max = std::move(max)};
}

Literal D(double value) { return DoubleOf(value); }
Literal Null() { return arrow::MakeNullScalar(arrow::float64()); }

/// Zones of a float column: ours, and those of older writers.
Zone FloatZone(const std::string& name) {
  if (name == "10..20") return MakeZone(D(10), D(20), 5, 0);
  if (name == "15..15") return MakeZone(D(15), D(15), 5, 0);
  if (name == "nulls") return MakeZone(Null(), Null(), 100, 0);
  if (name == "10..NaN") return MakeZone(D(10), D(kNan), 5, 3);
  if (name == "unknown") return MakeZone(Null(), Null(), 0, 0);
  if (name == "unknown with NaNs") return MakeZone(Null(), Null(), 5, 3);
  if (name == "NaNs") return MakeZone(D(kNan), D(kNan), 0, 100);
  if (name == "-NaNs") return MakeZone(D(-kNan), D(-kNan), 0, 100);
  if (name == "NaNs of 12.0.0") return MakeZone(Null(), D(kNan), 0, 100);
  if (name == "-NaN..20") return MakeZone(D(-kNan), D(20), 0, 3);
  if (name == "..20 only") return MakeZone(Null(), D(20), 0, 0);
  if (name == "10.. only") return MakeZone(D(10), Null(), 0, 0);
  if (name == "one value") return MakeZone(Null(), Null(), 90, 9);
  if (name == "zeros") return MakeZone(D(-0.0), D(0.0), 0, 0);
  ADD_FAILURE() << "no zone " << name;
  return {};
}

struct FloatCase {
  std::string name;
  Predicate leaf;
  std::string zone;
  bool may_be_true;
  bool may_be_false;
};

class LiteralComparisonFloats : public ::testing::TestWithParam<FloatCase> {};

TEST_P(LiteralComparisonFloats, FollowsTheZoneTest) {
  const FloatCase& param = GetParam();
  const auto comparison = LiteralComparison::Make(param.leaf);
  const Zone zone = FloatZone(param.zone);

  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->MayBeTrue(ReadZoneFacts(zone)), param.may_be_true);
  EXPECT_EQ(comparison->MayBeFalse(ReadZoneFacts(zone)), param.may_be_false);
}

INSTANTIATE_TEST_SUITE_P(
    All, LiteralComparisonFloats,
    ::testing::ValuesIn<FloatCase>({
        {"LowerMeetsMax", GreaterEqual(1, D(20)), "10..20", true, true},
        {"LowerExcludesMax", Greater(1, D(20)), "10..20", false, true},
        {"LowerAboveMax", GreaterEqual(1, D(20.5)), "10..20", false, true},
        {"UpperMeetsMin", LessEqual(1, D(10)), "10..20", true, true},
        {"UpperExcludesMin", Less(1, D(10)), "10..20", false, true},
        {"UpperBelowMin", LessEqual(1, D(9)), "10..20", false, true},
        {"WholeZoneInside", Between(1, D(10), D(20)), "10..20", true, false},
        {"EndsOutside", Range(1, Bound{D(10), false}, Bound{D(20), true}), "10..20", true, true},
        {"EverythingAbove", GreaterEqual(1, D(10)), "10..20", true, false},
        {"EverythingBelow", Less(1, D(21)), "10..20", true, false},
        {"EqualInside", Equal(1, D(15)), "10..20", true, true},
        {"EqualOutside", Equal(1, D(25)), "10..20", false, true},
        {"EqualToTheOnlyValue", Equal(1, D(15)), "15..15", true, false},
        {"InHitsTheGap", In(1, {D(5), D(30)}), "10..20", false, true},
        {"InHitsTheMiddle", In(1, {D(30), D(12), D(5)}), "10..20", true, true},
        {"InHitsTheMin", In(1, {D(30), D(10)}), "10..20", true, true},
        {"InHitsTheMax", In(1, {D(20), D(1)}), "10..20", true, true},
        {"InHoldsTheOnlyValue", In(1, {D(1), D(15)}), "15..15", true, false},
        {"InNothing", In(1, {}), "10..20", false, true},
        {"InNansOnlyWithoutNans", In(1, {D(kNan), D(-kNan)}), "10..20", false, true},
        {"NullsAreNeither", Less(1, D(5)), "nulls", false, false},
        {"NullsInNothing", In(1, {}), "nulls", false, false},
        {"UnknownIsKept", Equal(1, D(5)), "unknown", true, true},
        {"UnknownIsKeptByIn", In(1, {D(5)}), "unknown", true, true},
        {"UnknownWithoutNansHasNoNan", Equal(1, D(kNan)), "unknown", false, true},
        {"UnknownWithNansMayHaveNan", Equal(1, D(-kNan)), "unknown with NaNs", true, true},
        {"AboveWithNanMax", Greater(1, D(1000)), "10..NaN", true, true},
        {"BelowWithNansOfUnknownSign", Less(1, D(5)), "10..NaN", true, true},
        {"ClosedBelowMin", Between(1, D(1), D(5)), "10..NaN", false, true},
        {"ClosedAboveMin", Between(1, D(100), D(200)), "10..NaN", true, true},
        {"InAboveMin", In(1, {D(100)}), "10..NaN", true, true},
        {"InBelowMin", In(1, {D(5)}), "10..NaN", false, true},
        {"NansAreNoOrdinaryValue", Equal(1, D(5)), "NaNs", false, true},
        {"NansAreAbove", Greater(1, D(1000)), "NaNs", true, true},
        {"NansMayBeBelow", Less(1, D(5)), "NaNs", true, true},
        {"NansInClosedRange", Between(1, D(1), D(5)), "NaNs", false, true},
        {"NansNotAboveNan", Greater(1, D(kNan)), "NaNs", false, true},
        {"NansFromNan", GreaterEqual(1, D(kNan)), "NaNs", true, true},
        {"NansBelowNan", Less(1, D(kNan)), "NaNs", true, true},
        {"NansUpToNan", LessEqual(1, D(kNan)), "NaNs", true, false},
        {"NansBelowNegativeNan", Less(1, D(-kNan)), "NaNs", false, true},
        {"NegativeNansBelow", Less(1, D(-1000)), "-NaNs", true, true},
        {"NegativeNansAreNoOrdinaryValue", Equal(1, D(5)), "-NaNs", false, true},
        {"NegativeNansIn", In(1, {D(-kNan), D(5)}), "-NaNs", true, true},
        {"OldNansAbove", Greater(1, D(1000)), "NaNs of 12.0.0", true, true},
        {"OldNansBelow", Less(1, D(1000)), "NaNs of 12.0.0", true, true},
        {"OldNansIn", In(1, {D(1), D(2), D(3), D(4)}), "NaNs of 12.0.0", false, true},
        {"NegativeNanMinIn", In(1, {D(1), D(2), D(3), D(4)}), "-NaN..20", true, true},
        {"NegativeNanMinAbove", Between(1, D(21), D(22)), "-NaN..20", false, true},
        {"UnknownMinMeansUnknownMax", Equal(1, D(100)), "..20 only", true, true},
        {"UnknownMaxMeansUnknownMin", Equal(1, D(5)), "10.. only", true, true},
        {"OneValueThatIsNotCountedAway", Equal(1, D(5)), "one value", true, true},
        {"NegativeZeroOnly", LessEqual(1, D(-0.0)), "zeros", true, true},
        {"BelowBothZeros", Less(1, D(-0.0)), "zeros", false, true},
        {"AboveBothZeros", Greater(1, D(0.0)), "zeros", false, true},
        {"BothZeros", In(1, {D(0.0), D(-0.0)}), "zeros", true, true},
        {"EveryValue", Range(1, std::nullopt, std::nullopt), "10..NaN", true, true},
    }),
    [](const auto& instance) { return instance.param.name; });

TEST(LiteralComparison, ComparesStringsBytewise) {
  const Zone zone = MakeZone(StringOf("s0100"), StringOf("s0199"), 0, 0);
  const auto may_match = [&](const Predicate& leaf) {
    return LiteralComparison::Make(leaf)->MayBeTrue(ReadZoneFacts(zone));
  };

  EXPECT_TRUE(may_match(Range(1, Bound{StringOf("s01"), true}, Bound{StringOf("s02"), false})));
  EXPECT_FALSE(may_match(Range(1, Bound{StringOf("s02"), true}, Bound{StringOf("s03"), false})));
  EXPECT_FALSE(may_match(Less(1, StringOf("s0100"))));
  EXPECT_TRUE(may_match(Less(1, StringOf(std::string("s0100\0", 6)))));
}

TEST(LiteralComparison, KeepsZonesWhoseCountsContradictTheirBounds) {
  const Zone all_null_with_bounds = MakeZone(D(10), D(20), 100, 0);
  const Zone nan_bound_without_nans = MakeZone(D(10), D(kNan), 0, 0);

  EXPECT_TRUE(
      LiteralComparison::Make(Equal(1, D(15)))->MayBeTrue(ReadZoneFacts(all_null_with_bounds)));
  EXPECT_TRUE(
      LiteralComparison::Make(Equal(1, D(kNan)))->MayBeTrue(ReadZoneFacts(nan_bound_without_nans)));
}

TEST(LiteralComparison, IsNotMadeOfLiteralsThatHaveNoOrder) {
  EXPECT_FALSE(LiteralComparison::Make(Equal(1, Null())));
  EXPECT_FALSE(LiteralComparison::Make(Equal(1, nullptr)));
  EXPECT_FALSE(LiteralComparison::Make(In(1, {D(1), Null()})));
  EXPECT_FALSE(LiteralComparison::Make(In(1, {D(1), StringOf("1")})));
  EXPECT_FALSE(LiteralComparison::Make(IsNull(1)));
  EXPECT_FALSE(LiteralComparison::Make(Unknown()));
}

}  // namespace
}  // namespace lance::index
