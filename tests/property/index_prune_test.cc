#include <algorithm>
#include <bit>

#include "../unit/index/index_fixtures.h"
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

using Scalars = std::vector<std::shared_ptr<arrow::Scalar>>;

std::shared_ptr<arrow::Scalar> FloatScalar(const std::shared_ptr<arrow::DataType>& type,
                                           double value) {
  return FloatsOf(type, {value})->GetScalar(0).ValueOrDie();
}

/// Values that tests of the type must meet, extremes first.
Scalars SpecialValues(const std::shared_ptr<arrow::DataType>& type) {
  Scalars values;
  const auto from_json = [&](const std::string& json) {
    const auto array = ArrayOf(type, json);
    for (int64_t i = 0; i < array->length(); ++i) values.push_back(*array->GetScalar(i));
  };
  if (arrow::is_floating(type->id())) {
    for (const double value : {-kInf, kInf, -0.0, 0.0, kNan, -kNan, -60000.0, 60000.0, 1e-7}) {
      values.push_back(FloatScalar(type, value));
    }
    return values;
  }
  switch (type->id()) {
    case arrow::Type::BOOL:
      from_json("[false, true]");
      break;
    case arrow::Type::INT8:
      from_json("[-128, 127, 0]");
      break;
    case arrow::Type::INT16:
      from_json("[-32768, 32767, 0]");
      break;
    case arrow::Type::INT32:
      from_json("[-2147483648, 2147483647, 0]");
      break;
    case arrow::Type::UINT8:
      from_json("[0, 255, 128]");
      break;
    case arrow::Type::UINT16:
      from_json("[0, 65535, 32768]");
      break;
    case arrow::Type::UINT32:
      from_json("[0, 4294967295, 2147483648]");
      break;
    case arrow::Type::UINT64:
      from_json("[0, 18446744073709551615, 9223372036854775808]");
      break;
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
      from_json(R"(["", "\u0000", "zzzzzzzzzzzzzzzz", "00000100", "00000100\u0000", "\u00ff"])");
      break;
    case arrow::Type::DECIMAL128:
      from_json(R"(["-99999999999999999999999999.99", "99999999999999999999999999.99", "0.00"])");
      break;
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      from_json("[0, 86399]");
      break;
    case arrow::Type::DATE64:
    case arrow::Type::TIME64:
      from_json("[0, 86400000]");
      break;
    default:
      from_json("[-9223372036854775808, 9223372036854775807, 0]");
  }
  return values;
}

/// The value that stands for a place on a line of 200.
std::shared_ptr<arrow::Scalar> ValueAt(const std::shared_ptr<arrow::DataType>& type,
                                       int64_t place) {
  switch (type->id()) {
    case arrow::Type::BOOL:
      return arrow::MakeScalar(place >= 100);
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      return FloatScalar(type, (static_cast<double>(place) - 100) / 4);
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY: {
      std::string digits = std::to_string(place);
      digits.insert(0, 8 - digits.size(), '0');
      return ScalarOf(type, '"' + digits + '"');
    }
    case arrow::Type::DECIMAL128:
      return ScalarOf(type, "\"" + std::to_string(place - 100) + ".25\"");
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return ScalarOf(type, std::to_string(place - 100));
    case arrow::Type::DATE64:
      return ScalarOf(type, std::to_string(place * 86400000));
    default:
      return ScalarOf(type, std::to_string(place));
  }
}

/// One random column, and what literals over it are drawn from.
struct RandomColumn {
  std::shared_ptr<arrow::Array> values;
  Scalars literals;
};

RandomColumn MakeColumn(const std::shared_ptr<arrow::DataType>& type, int64_t num_rows,
                        SeededRandom& random) {
  RandomColumn column;
  column.literals = SpecialValues(type);
  const size_t num_special = column.literals.size();
  for (int64_t place = 0; place < 200; ++place) column.literals.push_back(ValueAt(type, place));
  const uint64_t null_rarity = 1 + random.Below(20), special_rarity = 10 + random.Below(400);
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  int64_t place = random.Between(0, 199);
  bool in_null_run = false;
  for (int64_t row = 0; row < num_rows; ++row) {
    if (random.OneIn(30)) in_null_run = random.OneIn(null_rarity);
    place = std::clamp<int64_t>(place + random.Between(-2, 2), 0, 199);
    if (random.OneIn(150)) place = random.Between(0, 199);
    auto value = column.literals[num_special + static_cast<size_t>(place)];
    if (random.OneIn(special_rarity)) value = column.literals[random.Below(num_special)];
    const bool is_null = in_null_run || random.OneIn(40 * null_rarity);
    if (!(is_null ? builder->AppendNull() : builder->AppendScalar(*value)).ok()) std::abort();
  }
  column.values = builder->Finish().ValueOrDie();
  return column;
}

/// Bounds as released writers leave them: they do not tell the signs of NaNs.
void UseReleasedBounds(const arrow::Array& values, std::vector<Zone>* zones) {
  for (Zone& zone : *zones) {
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
  if (random.OneIn(3)) zones.null_offsets.reset();
  ChangeZones(&zones.zones, [&](std::vector<Zone>* changed) {
    if (arrow::is_floating(values.type_id()) && random.OneIn(2)) {
      UseReleasedBounds(values, changed);
    }
    if (random.OneIn(3)) std::erase_if(*changed, [&](const Zone&) { return random.OneIn(6); });
    for (Zone& zone : *changed) {
      const bool has_values = zone.zone_length > uint64_t{zone.null_count} + zone.nan_count;
      if (has_values && random.OneIn(12)) {
        zone.min = zone.max = arrow::MakeNullScalar(values.type());
      }
    }
  });
  return zones;
}

Predicate MakeLeaf(const std::map<int32_t, RandomColumn>& columns, SeededRandom& random) {
  const auto field = static_cast<int32_t>(random.Below(columns.size()));
  const Scalars& literals = columns.at(field).literals;
  const auto literal = [&] { return literals[random.Below(literals.size())]; };
  const auto bound = [&]() -> std::optional<Bound> {
    if (random.OneIn(3)) return std::nullopt;
    return Bound{literal(), random.OneIn(2)};
  };
  switch (random.Below(12)) {
    case 0:
      return Unknown();
    case 1:
      return AlwaysFalse();
    case 2:
    case 3:
      return IsNull(field);
    case 4:
    case 5: {
      Scalars values;
      for (uint64_t i = random.Below(6); i > 0; --i) values.push_back(literal());
      return In(field, values);
    }
    case 6:
    case 7:
      return Equal(field, literal());
    default:
      return Range(field, bound(), bound());
  }
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

std::string Describe(const Predicate& predicate) {
  static const char* const kNames[] = {"?", "FALSE", "AND", "OR", "NOT", "RANGE", "IN", "NULL"};
  std::string text = kNames[static_cast<int>(predicate.kind)];
  if (predicate.field_id >= 0) text += " c" + std::to_string(predicate.field_id);
  const auto end = [](const std::optional<Bound>& bound) {
    return bound ? DescribeBound(bound->value) + (bound->inclusive ? " incl" : " excl") : "open";
  };
  if (predicate.kind == Predicate::Kind::kRange) {
    text += " " + end(predicate.lower) + ".." + end(predicate.upper);
  }
  for (const auto& value : predicate.values) text += " " + DescribeBound(value);
  for (const Predicate& child : predicate.children) text += " (" + Describe(child) + ")";
  return text;
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
