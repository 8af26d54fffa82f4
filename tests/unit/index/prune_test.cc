#include "lance/index/prune.h"

#include "index_fixtures.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int32_t kF = 1;
constexpr int32_t kS = 2;
constexpr int32_t kId = 3;  // has no zones

Literal D(double value) { return DoubleOf(value); }
Literal S(std::string value) { return StringOf(std::move(value)); }

ZoneLookup LookUp(const std::map<int32_t, FragmentZones>& zones) {
  return [&zones](int32_t field_id) -> const FragmentZones* {
    const auto found = zones.find(field_id);
    return found == zones.end() ? nullptr : &found->second;
  };
}

/// Fail when a row that matches is no candidate. What kUnknown stands for is tried both ways.
void ExpectNothingLost(const Predicate& predicate, const Columns& columns, const RowRanges& rows) {
  const int64_t num_rows = columns.begin()->second->length();
  for (int64_t row = 0; row < num_rows; ++row) {
    for (const std::optional<bool> unknown :
         {std::optional<bool>(true), std::optional<bool>(false), std::optional<bool>()}) {
      if (Evaluate(predicate, columns, row, unknown) != true) continue;
      const auto begin = static_cast<uint64_t>(row);
      EXPECT_TRUE(rows.Intersects({begin, begin + 1})) << "row " << row;
    }
  }
}

/// Fragment 0 of the published table A: 550 rows in zones of 100 (zonemap-and-indices 8.3, V1).
Columns TableA() {
  std::vector<std::optional<double>> f;
  arrow::StringBuilder s;
  for (int i = 0; i < 550; ++i) {
    char text[8];
    std::snprintf(text, sizeof(text), "s%04d", i);
    if (!s.Append(text).ok()) std::abort();
    const bool odd = i % 2 == 1;
    if (i < 100)
      f.emplace_back(i);
    else if (i < 200)
      f.emplace_back(std::nullopt);
    else if (i < 300)
      f.emplace_back(kNan);
    else if (i < 400)
      f.emplace_back(odd ? kNan : i);
    else if (i < 500)
      f.emplace_back(odd ? -0.0 : 0.0);
    else
      f.emplace_back(odd ? std::nullopt : std::optional<double>(i));
  }
  return {{kF, FloatsOf(arrow::float64(), f)}, {kS, s.Finish().ValueOrDie()}};
}

/// The bounds as release 14.0.2 writes them for the same rows.
void UseReleasedBounds(FragmentZones* zones) {
  for (Zone& zone : zones->zones) {
    if (zone.nan_count == 0) continue;
    const bool no_ordinary = zone.null_count + zone.nan_count == zone.zone_length;
    if (no_ordinary) zone.min = arrow::MakeNullScalar(arrow::float64());
    zone.max = D(kNan);
  }
}

struct TableACase {
  std::string name;
  Predicate predicate;
  std::vector<int> zones;  // those with candidates
  uint64_t rows;           // candidates
};

class PruneTableA : public ::testing::TestWithParam<TableACase> {};

TEST_P(PruneTableA, KeepsTheZonesThatCanMatch) {
  const Columns columns = TableA();
  for (const bool released_bounds : {false, true}) {
    SCOPED_TRACE(released_bounds ? "bounds of 14.0.2" : "our bounds");
    std::map<int32_t, FragmentZones> zones{{kF, ZonesOf(*columns.at(kF), 100)},
                                           {kS, ZonesOf(*columns.at(kS), 100)}};
    if (released_bounds) UseReleasedBounds(&zones[kF]);

    const auto pruned = PruneFragment(GetParam().predicate, 550, LookUp(zones));

    std::vector<int> kept;
    for (uint64_t zone = 0; zone < 6; ++zone) {
      if (pruned.candidates.Intersects({zone * 100, std::min<uint64_t>(zone * 100 + 100, 550)})) {
        kept.push_back(static_cast<int>(zone));
      }
    }
    EXPECT_EQ(kept, GetParam().zones);
    EXPECT_EQ(pruned.candidates.num_rows(), GetParam().rows);
    EXPECT_TRUE(pruned.used_zones);
    EXPECT_EQ(pruned.zones_total, 6u);
    EXPECT_EQ(pruned.zones_kept, GetParam().zones.size());
    Columns with_id = columns;
    with_id[kId] = columns.at(kS);  // leaves over it are kUnknown or not evaluated as true
    ExpectNothingLost(GetParam().predicate, with_id, pruned.candidates);
  }
}

const std::vector<TableACase>& TableACases() {
  static const std::vector<TableACase> cases{
      // NaNs of unknown sign: a zone with some stays wherever a side is open.
      {"Less", Less(kF, D(50)), {0, 2, 3, 4}, 400},
      {"Equal", Equal(kF, D(5)), {0}, 100},
      {"EqualZero", In(kF, {D(-0.0), D(0.0)}), {0, 4}, 200},
      {"LessZero", Less(kF, D(-0.0)), {2, 3}, 200},
      {"LessEqualZero", LessEqual(kF, D(0.0)), {0, 2, 3, 4}, 400},
      {"GreaterZero", Greater(kF, D(0.0)), {0, 2, 3, 5}, 350},
      {"GreaterEqualZero", GreaterEqual(kF, D(-0.0)), {0, 2, 3, 4, 5}, 450},
      {"GreaterThanAll", Greater(kF, D(1000)), {2, 3}, 200},
      {"EqualNan", Equal(kF, D(kNan)), {2, 3}, 200},
      {"GreaterEqualNan", GreaterEqual(kF, D(kNan)), {2, 3}, 200},
      {"GreaterNan", Greater(kF, D(kNan)), {}, 0},
      {"LessNan", Less(kF, D(kNan)), {0, 2, 3, 4, 5}, 450},
      {"IsNull", IsNull(kF), {1, 5}, 125},
      {"IsNotNull", Not(IsNull(kF)), {0, 2, 3, 4, 5}, 425},
      {"IsNullOrEqual", Or({IsNull(kF), Equal(kF, D(5))}), {0, 1, 5}, 225},
      {"NotEqualOrNull", Not(Or({Equal(kF, D(5)), IsNull(kF)})), {0, 2, 3, 4, 5}, 425},
      {"NotGreater", Not(Greater(kF, D(100))), {0, 2, 3, 4}, 400},
      {"Between", Between(kF, D(10), D(20)), {0}, 100},
      {"NarrowRange", Range(kF, Bound{D(299), false}, Bound{D(301), false}), {3}, 100},
      {"In", In(kF, {D(5), D(505)}), {0, 3, 5}, 250},
      {"InOfFour", In(kF, {D(1), D(2), D(3), D(4)}), {0}, 100},
      {"NotEqual", Not(Equal(kF, D(5))), {0, 2, 3, 4, 5}, 450},
      {"NotIn", Not(In(kF, {D(5), D(505)})), {0, 2, 3, 4, 5}, 450},
      {"NotBetween", Not(Between(kF, D(10), D(20))), {0, 2, 3, 4, 5}, 450},
      {"OrUnknown", Or({Less(kF, D(5)), Unknown()}), {0, 1, 2, 3, 4, 5}, 550},
      {"AndUnknown", And({Equal(kF, D(5)), Unknown()}), {0}, 100},
      {"OrOfColumns", Or({Less(kF, D(50)), Equal(kS, S("s0100"))}), {0, 1, 2, 3, 4}, 500},
      {"AndOfColumns",
       And({Less(kF, D(50)), Range(kS, Bound{S("s00"), true}, Bound{S("s01"), false})}),
       {0},
       100},
      {"LikePrefix", Range(kS, Bound{S("s05"), true}, Bound{S("s06"), false}), {5}, 50},
      {"StringGreater", Greater(kS, S("s0540")), {5}, 50},
      {"StringIsNull", IsNull(kS), {}, 0},
      {"StringIsNotNull", Not(IsNull(kS)), {0, 1, 2, 3, 4, 5}, 550},
      {"StringIn", In(kS, {S("s0001"), S("s0799")}), {0}, 100},
      {"NotLikePrefix",
       Not(Range(kS, Bound{S("s00"), true}, Bound{S("s01"), false})),
       {1, 2, 3, 4, 5},
       450},
      {"EqualOrStringIsNull", Or({Equal(kF, D(5)), IsNull(kS)}), {0}, 100},
      {"EmptyRange", Range(kF, Bound{D(100), false}, Bound{D(100), false}), {}, 0},
      {"AndIsShortCircuited", And({IsNull(kS), Less(kF, D(50))}), {}, 0},
      {"DoubleNot", Not(Not(Equal(kF, D(5)))), {0}, 100},
      {"DeMorgan",
       Not(And({Greater(kF, D(100)), Greater(kS, S("s0550"))})),
       {0, 1, 2, 3, 4, 5},
       550},
  };
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, PruneTableA, ::testing::ValuesIn(TableACases()),
                         [](const auto& instance) { return instance.param.name; });

/// The published negative NaN table (V2b): 400 rows in zones of 100.
Columns NegativeNanTable() {
  std::vector<std::optional<double>> f;
  for (int i = 0; i < 400; ++i) {
    const double value = i;
    if (i < 100)
      f.emplace_back(-kNan);
    else if (i < 200)
      f.emplace_back(i % 2 == 1 ? -kNan : value);
    else if (i < 300)
      f.emplace_back(i % 3 == 0 ? -kNan : i % 3 == 1 ? kNan : value);
    else
      f.emplace_back(i % 2 == 1 ? kNan : value);
  }
  return {{kF, FloatsOf(arrow::float64(), f)}};
}

TEST(Prune, ReadsOurBoundsOfNegativeNansAsPublished) {
  const auto zones = ZonesOf(*NegativeNanTable().at(kF), 100);

  EXPECT_THAT(
      Describe(zones.zones),
      ElementsAre("0+100 [-NaN, -NaN] nulls 0 nans 100", "100+100 [null, null] nulls 0 nans 50",
                  "200+100 [null, null] nulls 0 nans 66", "300+100 [300, +NaN] nulls 0 nans 50"));
}

struct NegativeNanCase {
  std::string name;
  Predicate predicate;
  int right_rows;
};

class PruneNegativeNans : public ::testing::TestWithParam<NegativeNanCase> {};

TEST_P(PruneNegativeNans, LosesNoRow) {
  const Columns columns = NegativeNanTable();
  for (const bool released_bounds : {false, true}) {
    SCOPED_TRACE(released_bounds ? "bounds of 14.0.2" : "our bounds");
    std::map<int32_t, FragmentZones> zones{{kF, ZonesOf(*columns.at(kF), 100)}};
    if (released_bounds) {
      UseReleasedBounds(&zones[kF]);
      zones[kF].zones[1].min = D(100);
      zones[kF].zones[2].min = D(200);
    }

    const auto pruned = PruneFragment(GetParam().predicate, 400, LookUp(zones));

    int matches = 0;
    for (int64_t row = 0; row < 400; ++row) {
      matches += Evaluate(GetParam().predicate, columns, row) == true;
    }
    EXPECT_EQ(matches, GetParam().right_rows);
    ExpectNothingLost(GetParam().predicate, columns, pruned.candidates);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PruneNegativeNans,
                         ::testing::ValuesIn<NegativeNanCase>({
                             {"Greater1000", Greater(kF, D(1000)), 83},
                             {"Less50", Less(kF, D(50)), 183},
                             {"LessEqual100", LessEqual(kF, D(100)), 184},
                             {"LessNan", Less(kF, D(kNan)), 317},
                             {"LessEqualNan", LessEqual(kF, D(kNan)), 400},
                             {"GreaterEqualNan", GreaterEqual(kF, D(kNan)), 83},
                             {"LessNegativeInfinity", Less(kF, D(-kInf)), 183},
                             {"GreaterInfinity", Greater(kF, D(kInf)), 83},
                             {"NotBetween", Not(Between(kF, D(100), D(120))), 389},
                             {"In", In(kF, {D(102), D(150), D(170), D(180)}), 4},
                             {"InWithNan", In(kF, {D(102), D(150), D(170), D(302), D(kNan)}), 87},
                             {"Between", Between(kF, D(100), D(120)), 11},
                             {"GreaterEqual300", GreaterEqual(kF, D(300)), 133},
                             {"EqualZero", In(kF, {D(-0.0), D(0.0)}), 0},
                             {"GreaterNan", Greater(kF, D(kNan)), 0},
                             {"Equal102", Equal(kF, D(102)), 1},
                             {"NotLess50", Not(Less(kF, D(50))), 217},
                         }),
                         [](const auto& instance) { return instance.param.name; });

/// Zones of an int64 column given by hand.
Zone IntZone(uint64_t start, uint64_t length, int64_t min, int64_t max, uint32_t nulls = 0) {
  return {.zone_start = start,
          .zone_length = length,
          .null_count = nulls,
          .min = arrow::MakeScalar(min),
          .max = arrow::MakeScalar(max)};
}
Literal I(int64_t value) { return arrow::MakeScalar(value); }

FragmentZones IntZones(std::vector<Zone> zones, uint64_t rows_per_zone = 100) {
  FragmentZones result;
  result.rows_per_zone = rows_per_zone;
  result.zones = std::move(zones);
  return result;
}

std::vector<RowRange> Candidates(const Predicate& predicate, uint64_t rows,
                                 const FragmentZones& zones) {
  return PruneFragment(predicate, rows, [&](int32_t) { return &zones; }).candidates.ranges();
}

TEST(Prune, KeepsRowsThatAreInNoZone) {
  const auto zones = IntZones({IntZone(50, 100, 0, 9), IntZone(200, 100, 10, 19)});

  EXPECT_THAT(Candidates(Equal(kF, I(99)), 350, zones),
              ElementsAre(RowRange{0, 50}, RowRange{150, 200}, RowRange{300, 350}));
  EXPECT_THAT(Candidates(Not(GreaterEqual(kF, I(0))), 350, zones),
              ElementsAre(RowRange{0, 50}, RowRange{150, 200}, RowRange{300, 350}));
  EXPECT_THAT(Candidates(Equal(kF, I(5)), 350, zones),
              ElementsAre(RowRange{0, 200}, RowRange{300, 350}));
}

TEST(Prune, KeepsRowsInNoZoneForIsNull) {
  auto zones = IntZones({IntZone(50, 100, 0, 9, 2)});
  EXPECT_THAT(Candidates(IsNull(kF), 200, zones), ElementsAre(RowRange{0, 200}));
  EXPECT_THAT(Candidates(Not(IsNull(kF)), 200, zones), ElementsAre(RowRange{0, 200}));

  zones.null_offsets = RoaringBitmap{60, 61};
  EXPECT_THAT(Candidates(IsNull(kF), 200, zones),
              ElementsAre(RowRange{0, 50}, RowRange{60, 62}, RowRange{150, 200}));
  EXPECT_THAT(Candidates(Not(IsNull(kF)), 200, zones),
              ElementsAre(RowRange{0, 60}, RowRange{62, 200}));
}

TEST(Prune, AnswersIsNullByZonesWhenNullRowsAreNotKnown) {
  const auto zones = IntZones({IntZone(0, 100, 0, 9, 0),
                               IntZone(100, 100, 0, 9, 40),
                               {.zone_start = 200,
                                .zone_length = 100,
                                .null_count = 100,
                                .min = arrow::MakeNullScalar(arrow::int64()),
                                .max = arrow::MakeNullScalar(arrow::int64())}});

  EXPECT_THAT(Candidates(IsNull(kF), 300, zones), ElementsAre(RowRange{100, 300}));
  EXPECT_THAT(Candidates(Not(IsNull(kF)), 300, zones), ElementsAre(RowRange{0, 200}));
}

TEST(Prune, KeepsARowWhenAnyZoneThatHoldsItIsKept) {
  const auto zones =
      IntZones({IntZone(0, 100, 0, 9), IntZone(0, 100, 50, 59), IntZone(50, 100, 70, 79)});

  EXPECT_THAT(Candidates(Equal(kF, I(5)), 200, zones),
              ElementsAre(RowRange{0, 100}, RowRange{150, 200}));
  EXPECT_THAT(Candidates(Equal(kF, I(75)), 200, zones), ElementsAre(RowRange{50, 200}));
}

TEST(Prune, KeepsAZoneWhoseBoundsAreNotKnown) {
  const auto null = arrow::MakeNullScalar(arrow::int64());
  const auto zones = IntZones({{.zone_start = 0, .zone_length = 100, .min = null, .max = null}});
  for (const Predicate& predicate : {Equal(kF, I(1)), Less(kF, I(1)), Greater(kF, I(1)),
                                     In(kF, {I(1), I(2)}), Not(Equal(kF, I(1)))}) {
    EXPECT_THAT(Candidates(predicate, 100, zones), ElementsAre(RowRange{0, 100}));
  }
  EXPECT_THAT(Candidates(IsNull(kF), 100, zones), IsEmpty());
}

TEST(Prune, SkipsZonesOfTheOneValueThatIsExcluded) {
  const auto zones =
      IntZones({IntZone(0, 100, 7, 7), IntZone(100, 100, 7, 8), IntZone(200, 100, 7, 7, 10)});

  EXPECT_THAT(Candidates(Not(Equal(kF, I(7))), 300, zones), ElementsAre(RowRange{100, 200}));
  EXPECT_THAT(Candidates(Not(In(kF, {I(3), I(7)})), 300, zones), ElementsAre(RowRange{100, 200}));
}

TEST(Prune, CutsZonesAtTheEndOfTheFragment) {
  const auto zones =
      IntZones({IntZone(0, 100, 0, 9), IntZone(100, 100, 0, 9), IntZone(300, UINT64_MAX, 0, 9)});

  EXPECT_THAT(Candidates(Equal(kF, I(5)), 150, zones), ElementsAre(RowRange{0, 150}));
}

TEST(Prune, ReadsEverythingWhenTheLiteralCannotBeCompared) {
  const auto zones = IntZones({IntZone(0, 100, 0, 9)});
  for (const Predicate& predicate :
       {Equal(kF, arrow::MakeNullScalar(arrow::int64())), Equal(kF, StringOf("x")),
        Equal(kF, arrow::MakeScalar(int32_t{99})), In(kF, {I(99), nullptr}),
        Not(Equal(kF, arrow::MakeNullScalar(arrow::int64())))}) {
    EXPECT_THAT(Candidates(predicate, 100, zones), ElementsAre(RowRange{0, 100}));
  }
}

TEST(Prune, CountsDefaultZonesWhenThereAreNone) {
  const auto pruned = PruneFragment(Equal(kF, I(5)), 8193, [](int32_t) { return nullptr; });

  EXPECT_EQ(pruned.candidates, RowRanges::All(8193));
  EXPECT_FALSE(pruned.used_zones);
  EXPECT_EQ(pruned.zones_total, 2u);
  EXPECT_EQ(pruned.zones_kept, 2u);
  EXPECT_EQ(pruned.zones_tested, 0u);
}

TEST(Prune, KeepsNothingWhenNothingCanMatch) {
  const auto pruned = PruneFragment(AlwaysFalse(), 8193, nullptr);

  EXPECT_TRUE(pruned.candidates.empty());
  EXPECT_EQ(pruned.zones_total, 2u);
  EXPECT_EQ(pruned.zones_kept, 0u);
  EXPECT_EQ(PruneFragment(Not(AlwaysFalse()), 100, nullptr).candidates, RowRanges::All(100));
}

TEST(Prune, KeepsEverythingUnderNotOfWhatStatisticsCannotAnswer) {
  EXPECT_THAT(Candidates(Not(Predicate{}), 200, {}), ElementsAre(RowRange{0, 200}));
  EXPECT_THAT(Candidates(Not(And({Predicate{}, Predicate{}})), 200, {}),
              ElementsAre(RowRange{0, 200}));
}

TEST(Prune, GivesTheNeutralElementsOfEmptyTrees) {
  EXPECT_EQ(PruneFragment(And({}), 10, nullptr).candidates, RowRanges::All(10));
  EXPECT_TRUE(PruneFragment(Or({}), 10, nullptr).candidates.empty());
  EXPECT_EQ(PruneFragment(Tree(Predicate::Kind::kNot, {}), 10, nullptr).candidates,
            RowRanges::All(10));
}

TEST(Prune, CountsZonesOnTheFinestGrid) {
  const std::map<int32_t, FragmentZones> zones{
      {kF, IntZones({IntZone(0, 100, 0, 9), IntZone(100, 100, 10, 19)}, 100)},
      {kS, IntZones({IntZone(0, 50, 0, 4), IntZone(50, 50, 5, 9), IntZone(100, 50, 10, 14),
                     IntZone(150, 50, 15, 19)},
                    50)}};

  const auto pruned =
      PruneFragment(And({Less(kF, I(10)), Unknown(), GreaterEqual(kS, I(5))}), 200, LookUp(zones));

  EXPECT_THAT(pruned.candidates.ranges(), ElementsAre(RowRange{50, 100}));
  EXPECT_EQ(pruned.zones_total, 4u);
  EXPECT_EQ(pruned.zones_kept, 1u);
  EXPECT_EQ(pruned.zones_tested, 6u);
}

TEST(Prune, IgnoresColumnsThatThePredicateDoesNotAskFor) {
  const std::map<int32_t, FragmentZones> zones{{kS, IntZones({IntZone(0, 50, 0, 4)}, 50)}};

  const auto pruned = PruneFragment(Equal(kF, I(5)), 50, LookUp(zones));

  EXPECT_FALSE(pruned.used_zones);
  EXPECT_EQ(pruned.zones_total, 1u);
}

TEST(Prune, KeepsOfALeafOnlyTheRowsThatAnIndexNames) {
  // F has zones [0, 50) and [50, 100), of which the first cannot hold 15; Id has none.
  const std::map<int32_t, FragmentZones> zones{
      {kF, IntZones({IntZone(0, 50, 0, 9), IntZone(50, 50, 10, 19)}, 50)}};
  Predicate has_any{.kind = Predicate::Kind::kHasAny, .field_id = kId};
  const std::vector<LeafRows> named{
      {RowRanges::Make({{40, 60}}), RowRanges::Make({{0, 10}})},    // F = 15
      {RowRanges::Make({{55, 70}}), RowRanges::Make({{56, 58}})}};  // has_any(Id)
  const auto prune = [&](const Predicate& predicate) {
    return PruneFragment(predicate, 100, LookUp(zones),
                         [&](size_t leaf) { return leaf < 2 ? &named[leaf] : nullptr; })
        .candidates.ranges();
  };

  EXPECT_THAT(prune(And({Equal(kF, I(15)), has_any})), ElementsAre(RowRange{55, 60}));
  EXPECT_THAT(prune(Or({Equal(kF, I(15)), has_any})), ElementsAre(RowRange{50, 70}));
  EXPECT_THAT(prune(And({Equal(kF, I(15)), Not(has_any)})), ElementsAre(RowRange{56, 58}));
  EXPECT_THAT(prune(Or({Not(Equal(kF, I(15))), has_any})),
              ElementsAre(RowRange{0, 10}, RowRange{55, 70}));
}

TEST(ZoneMayMatch, TellsForEveryKindOfLeaf) {
  const Zone zone = IntZone(0, 100, 10, 19, 3);

  EXPECT_TRUE(ZoneMayMatch(Equal(kF, I(10)), zone));
  EXPECT_FALSE(ZoneMayMatch(Equal(kF, I(9)), zone));
  EXPECT_FALSE(ZoneMayMatch(In(kF, {I(9), I(20)}), zone));
  EXPECT_TRUE(ZoneMayMatch(IsNull(kF), zone));
  EXPECT_FALSE(ZoneMayMatch(IsNull(kF), IntZone(0, 100, 10, 19, 0)));
  EXPECT_FALSE(ZoneMayMatch(AlwaysFalse(), zone));
  EXPECT_TRUE(ZoneMayMatch(Unknown(), zone));
  EXPECT_TRUE(ZoneMayMatch(Equal(kF, arrow::MakeNullScalar(arrow::int64())), zone));
}

}  // namespace
}  // namespace lance::index
