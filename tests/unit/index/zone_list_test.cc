#include "lance/index/zone_list.h"

#include "index_fixtures.h"
#include "lance/index/literal_comparison.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance::index {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Zone IntZone(uint64_t start, uint64_t length, int64_t min, int64_t max, uint32_t nulls = 0) {
  return {.zone_start = start,
          .zone_length = length,
          .null_count = nulls,
          .min = arrow::MakeScalar(min),
          .max = arrow::MakeScalar(max)};
}

ZoneList IntZones(const std::vector<Zone>& zones) {
  return ZoneList::Make(arrow::int64(), zones).ValueOrDie();
}

TEST(ZoneList, GivesBackTheZonesThatItWasMadeOf) {
  const ZoneList zones = IntZones({IntZone(0, 10, -5, 5, 3), IntZone(10, 4, 7, 7)});

  EXPECT_EQ(zones.size(), 2u);
  EXPECT_TRUE(zones.type()->Equals(arrow::int64()));
  EXPECT_THAT(Describe(zones),
              ElementsAre("0+10 [-5, 5] nulls 3 nans 0", "10+4 [7, 7] nulls 0 nans 0"));
  EXPECT_EQ(zones.zone_start(1), 10u);
  EXPECT_EQ(zones.zone_length(0), 10u);
  EXPECT_EQ(zones.null_count(0), 3u);
  EXPECT_LT(zones.min(0), zones.max(0));
}

TEST(ZoneList, IsEmptyWhenItWasMadeOfNothing) {
  EXPECT_TRUE(ZoneList().empty());
  EXPECT_EQ(ZoneList().type(), nullptr);
  const ZoneList none;
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_THAT(ZoneList().Check(), IsOk());
}

TEST(ZoneList, CountsASliceFromItsFirstZone) {
  const ZoneList all =
      IntZones({IntZone(0, 10, 0, 1), IntZone(10, 10, 2, 3), IntZone(20, 10, 4, 5)});

  const ZoneList slice = all.Slice(1, 2);

  EXPECT_THAT(Describe(slice),
              ElementsAre("10+10 [2, 3] nulls 0 nans 0", "20+10 [4, 5] nulls 0 nans 0"));
  EXPECT_THAT(Describe(ZoneList(slice.Columns())),
              ElementsAre(Describe(slice)[0], Describe(slice)[1]));
}

TEST(ZoneList, RefusesABoundOfAnotherType) {
  EXPECT_THAT(ZoneList::Make(arrow::int32(), {IntZone(0, 10, 0, 1)}),
              IsInvalid(HasSubstr("bound of type int64")));
}

TEST(ZoneList, ChecksEachZoneByItself) {
  EXPECT_THAT(IntZones({IntZone(0, 10, 0, 1)}).Check(), IsOk());
  EXPECT_THAT(IntZones({IntZone(0, 10, 0, 1), IntZone(10, 0, 0, 1)}).Check(),
              IsSerializationError(HasSubstr("zone 1: zone_length is 0")));
  EXPECT_THAT(IntZones({IntZone(0, 10, 0, 1, 11)}).Check(),
              IsSerializationError(HasSubstr("11 nulls")));
  EXPECT_THAT(IntZones({IntZone(0, 10, 2, 1)}).Check(),
              IsSerializationError(HasSubstr("min is above max")));
  Zone with_nans = IntZone(0, 10, 0, 1);
  with_nans.nan_count = 1;
  EXPECT_THAT(IntZones({with_nans}).Check(), IsSerializationError(HasSubstr("1 NaNs")));
}

TEST(ZoneList, SeesZonesThatShareRows) {
  EXPECT_TRUE(IntZones({IntZone(0, 10, 0, 1), IntZone(10, 5, 0, 1)}).AreDisjoint());
  EXPECT_FALSE(IntZones({IntZone(0, 10, 0, 1), IntZone(9, 5, 0, 1)}).AreDisjoint());
  EXPECT_FALSE(IntZones({IntZone(10, 10, 0, 1), IntZone(0, 5, 0, 1)}).AreDisjoint());
}

// --- What is ruled out fast is what a closer look rules out
// ---------------------------------------

class ZoneScreen : public ::testing::TestWithParam<std::shared_ptr<arrow::DataType>> {};

/// Few different values, so that bounds and literals meet.
std::shared_ptr<arrow::Scalar> ValueIn(const std::shared_ptr<arrow::DataType>& type,
                                       SeededRandom& random) {
  const int64_t number = random.Between(-3, 3);
  if (arrow::is_floating(type->id())) {
    const double doubles[] = {kNan, -kNan, kInf, -kInf, -0.0};
    const double value = random.OneIn(3) ? doubles[random.Below(5)] : static_cast<double>(number);
    return FloatsOf(type, {value})->GetScalar(0).ValueOrDie();
  }
  if (arrow::is_base_binary_like(type->id()) || type->id() == arrow::Type::FIXED_SIZE_BINARY) {
    std::string text(type->id() == arrow::Type::FIXED_SIZE_BINARY ? 9 : random.Below(10), 'b');
    if (!text.empty()) text.back() = static_cast<char>('a' + random.Below(3));
    return arrow::MakeScalar(type, arrow::Buffer::FromString(text)).ValueOrDie();
  }
  if (arrow::is_decimal(type->id())) return ScalarOf(type, "\"" + std::to_string(number) + ".00\"");
  const int64_t allowed = arrow::is_unsigned_integer(type->id()) ? number + 3 : number;
  return arrow::MakeScalar(allowed)->CastTo(type).ValueOrDie();
}

Zone RandomZone(const std::shared_ptr<arrow::DataType>& type, SeededRandom& random) {
  Zone zone{.zone_length = 4};
  zone.null_count = static_cast<uint32_t>(random.Below(5));
  const bool is_float = arrow::is_floating(type->id());
  if (is_float) zone.nan_count = static_cast<uint32_t>(random.Below(5 - zone.null_count));
  zone.min = random.OneIn(6) ? arrow::MakeNullScalar(type) : ValueIn(type, random);
  zone.max = random.OneIn(6) ? arrow::MakeNullScalar(type) : ValueIn(type, random);
  const OrderedValue low = ToOrderedValue(*zone.min), high = ToOrderedValue(*zone.max);
  if (low.is_ordinary() && high.is_ordinary() && low > high) std::swap(zone.min, zone.max);
  return zone;
}

Predicate RandomLeaf(const std::shared_ptr<arrow::DataType>& type, SeededRandom& random) {
  if (random.OneIn(3)) {
    std::vector<Literal> values;
    for (uint64_t i = random.Below(4); i > 0; --i) values.push_back(ValueIn(type, random));
    return In(1, values);
  }
  std::optional<Bound> lower, upper;
  if (!random.OneIn(3)) lower = Bound{ValueIn(type, random), random.OneIn(2)};
  if (!random.OneIn(3)) upper = Bound{ValueIn(type, random), random.OneIn(2)};
  return Range(1, lower, upper);
}

TEST_P(ZoneScreen, RulesOutWhatACloserLookRulesOut) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  uint64_t num_apart = 0;
  for (int round = 0; round < NumRounds(200); ++round) {
    std::vector<Zone> zones;
    for (int i = 0; i < 20; ++i) zones.push_back(RandomZone(GetParam(), random));
    const auto list = ZoneList::Make(GetParam(), zones).ValueOrDie();
    const size_t first = random.Below(10);
    const ZoneList slice = list.Slice(first, 10);
    const auto comparison = LiteralComparison::Make(RandomLeaf(GetParam(), random));
    ASSERT_TRUE(comparison.has_value());

    std::vector<uint8_t> may;
    comparison->MayBeTrue(slice, &may);

    for (size_t i = 0; i < 10; ++i) {
      const Zone& zone = zones[first + i];
      ASSERT_EQ(may[i] != 0, comparison->MayBeTrue(ReadZoneFacts(zone))) << Describe(zone);
      num_apart += may[i] == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(num_apart, 100u);
}

INSTANTIATE_TEST_SUITE_P(
    Types, ZoneScreen,
    ::testing::Values(arrow::boolean(), arrow::int8(), arrow::int16(), arrow::int32(),
                      arrow::int64(), arrow::uint8(), arrow::uint16(), arrow::uint32(),
                      arrow::uint64(), arrow::float16(), arrow::float32(), arrow::float64(),
                      arrow::utf8(), arrow::large_utf8(), arrow::binary(), arrow::large_binary(),
                      arrow::fixed_size_binary(9), arrow::date32(),
                      arrow::timestamp(arrow::TimeUnit::MICRO), arrow::decimal128(20, 2)),
    [](const auto& instance) {
      std::string name = instance.param->name();
      return name + std::to_string(instance.index);
    });

}  // namespace
}  // namespace lance::index
