#include <algorithm>
#include <bit>

#include "index_columns.h"
#include "lance/index/prune.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

// The law: whatever the column, its zones and the predicate are, every row for which the predicate
// is true is a candidate. And pruning is worth it: a good part of the zones goes.

namespace lance::index {
namespace {

using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

/// Bounds as released writers leave them: they do not tell the signs of NaNs.
void UseReleasedBounds(const arrow::Array& values, FragmentZones* zones) {
  for (Zone& zone : zones->zones) {
    if (zone.nan_count == 0) continue;
    zone.min = arrow::MakeNullScalar(values.type());
    for (uint64_t i = 0; i < zone.zone_length; ++i) {
      const auto value = *values.GetScalar(static_cast<int64_t>(zone.zone_start + i));
      if (!value->is_valid || std::isnan(std::get<double>(ValueOf(*value)))) continue;
      if (!zone.min->is_valid || CompareValues(ValueOf(*value), ValueOf(*zone.min)) < 0) {
        zone.min = value;
      }
    }
    zone.max = FloatScalar(values.type(), kNan);
  }
}

/// Zones that say less than they could, in the ways that files in the wild do.
FragmentZones MakeZones(const arrow::Array& values, SeededRandom& random) {
  FragmentZones zones = ZonesOf(values, 5 + random.Below(60));
  if (arrow::is_floating(values.type_id()) && random.OneIn(2)) UseReleasedBounds(values, &zones);
  if (random.OneIn(3)) zones.null_offsets.reset();
  if (random.OneIn(3)) std::erase_if(zones.zones, [&](const Zone&) { return random.OneIn(6); });
  for (Zone& zone : zones.zones) {
    const bool has_values = zone.zone_length > uint64_t{zone.null_count} + zone.nan_count;
    if (has_values && random.OneIn(12)) {
      zone.min = zone.max = arrow::MakeNullScalar(values.type());
    }
  }
  return zones;
}

Predicate MakePredicate(const std::map<int32_t, RandomColumn>& columns, int depth,
                        SeededRandom& random) {
  if (depth == 0 || random.OneIn(3)) return MakeLeaf(columns, random);
  if (random.OneIn(3)) return Not(MakePredicate(columns, depth - 1, random));
  std::vector<Predicate> children;
  for (uint64_t i = random.Below(4); i > 0; --i) {
    children.push_back(MakePredicate(columns, depth - 1, random));
  }
  return random.OneIn(2) ? And(children) : Or(children);
}

class PruneLaw : public ::testing::TestWithParam<std::shared_ptr<arrow::DataType>> {};

TEST_P(PruneLaw, NoMatchingRowIsOutsideTheCandidates) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  constexpr int64_t kRows = 600;
  uint64_t zones_total = 0, zones_kept = 0;
  for (int round = 0; round < NumRounds(6); ++round) {
    std::map<int32_t, RandomColumn> columns;
    columns[0] = MakeColumn(GetParam(), kRows, random);
    columns[1] = MakeColumn(random.OneIn(2) ? GetParam() : arrow::int32(), kRows, random);
    Columns arrays;
    std::map<int32_t, FragmentZones> zones;
    for (const auto& [field, column] : columns) {
      arrays[field] = column.values;
      if (field == 0 || !random.OneIn(4)) zones[field] = MakeZones(*column.values, random);
    }
    const auto look_up = [&](int32_t field) {
      const auto found = zones.find(field);
      return found == zones.end() ? nullptr : &found->second;
    };
    for (int i = 0; i < 60; ++i) {
      const Predicate predicate = MakePredicate(columns, static_cast<int>(random.Below(5)), random);

      const auto pruned = PruneFragment(predicate, kRows, look_up);

      zones_total += pruned.zones_total;
      zones_kept += pruned.zones_kept;
      for (int64_t row = 0; row < kRows; ++row) {
        const std::optional<bool> unknown[] = {true, false, std::nullopt};
        if (Evaluate(predicate, arrays, row, unknown[random.Below(3)]) != true) continue;
        const auto begin = static_cast<uint64_t>(row);
        ASSERT_TRUE(pruned.candidates.Intersects({begin, begin + 1}))
            << "round " << round << " row " << row << ": " << Describe(predicate);
      }
    }
  }
  EXPECT_LT(zones_kept * 10, zones_total * 9) << "hardly a zone is pruned";
}

INSTANTIATE_TEST_SUITE_P(
    All, PruneLaw,
    ::testing::Values(arrow::boolean(), arrow::int8(), arrow::int16(), arrow::int32(),
                      arrow::int64(), arrow::uint8(), arrow::uint16(), arrow::uint32(),
                      arrow::uint64(), arrow::float16(), arrow::float32(), arrow::float64(),
                      arrow::utf8(), arrow::large_utf8(), arrow::binary(), arrow::large_binary(),
                      arrow::date32(), arrow::date64(), arrow::time32(arrow::TimeUnit::SECOND),
                      arrow::time64(arrow::TimeUnit::NANO),
                      arrow::timestamp(arrow::TimeUnit::MICRO),
                      arrow::duration(arrow::TimeUnit::MILLI), arrow::decimal128(28, 2)),
    [](const auto& instance) { return instance.param->name(); });

TEST(PruneLaw, ExactZonesLoseNoNullRowAndNoOther) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(20); ++round) {
    const RandomColumn column = MakeColumn(arrow::int32(), 300, random);
    const FragmentZones zones = ZonesOf(*column.values, 1 + random.Below(50));
    const auto look_up = [&](int32_t) { return &zones; };

    const auto nulls = PruneFragment(IsNull(0), 300, look_up).candidates;
    const auto others = PruneFragment(Not(IsNull(0)), 300, look_up).candidates;

    EXPECT_EQ(nulls.num_rows(), static_cast<uint64_t>(column.values->null_count()));
    EXPECT_EQ(others, nulls.Complement(300));
  }
}

}  // namespace
}  // namespace lance::index
