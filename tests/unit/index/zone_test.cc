#include "lance/index/zone.h"

#include "index_fixtures.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct BoundsCase {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::string values;  // JSON
  std::string zone;
};

class ZoneBuilderBounds : public ::testing::TestWithParam<BoundsCase> {};

TEST_P(ZoneBuilderBounds, AreThoseOfTheTable) {
  const auto zones = ZonesOf(*ArrayOf(GetParam().type, GetParam().values), 100);

  EXPECT_THAT(Describe(zones.zones), ElementsAre(GetParam().zone));
}

INSTANTIATE_TEST_SUITE_P(
    All, ZoneBuilderBounds,
    ::testing::ValuesIn<BoundsCase>({
        {"Int8", arrow::int8(), "[3, -128, null, 127]", "0+4 [-128, 127] nulls 1 nans 0"},
        {"Int16", arrow::int16(), "[3, -32768, 32767]", "0+3 [-32768, 32767] nulls 0 nans 0"},
        {"Int32", arrow::int32(), "[-5, -7]", "0+2 [-7, -5] nulls 0 nans 0"},
        {"Int64", arrow::int64(), "[9223372036854775807]",
         "0+1 [9223372036854775807, 9223372036854775807] nulls 0 nans 0"},
        {"Int64Lowest", arrow::int64(), "[null, -9223372036854775808]",
         "0+2 [-9223372036854775808, -9223372036854775808] nulls 1 nans 0"},
        {"UInt8", arrow::uint8(), "[3, 255, 128]", "0+3 [3, 255] nulls 0 nans 0"},
        {"UInt16", arrow::uint16(), "[65535, 1]", "0+2 [1, 65535] nulls 0 nans 0"},
        {"UInt32", arrow::uint32(), "[4294967295, 1]", "0+2 [1, 4294967295] nulls 0 nans 0"},
        {"UInt64Above2To63", arrow::uint64(), "[18446744073709551615, 9223372036854775808, 5]",
         "0+3 [5, 18446744073709551615] nulls 0 nans 0"},
        {"BoolBoth", arrow::boolean(), "[true, null, false]", "0+3 [false, true] nulls 1 nans 0"},
        {"BoolTrue", arrow::boolean(), "[true, null, true]", "0+3 [true, true] nulls 1 nans 0"},
        {"BoolFalse", arrow::boolean(), "[false]", "0+1 [false, false] nulls 0 nans 0"},
        {"BoolNull", arrow::boolean(), "[null]", "0+1 [null, null] nulls 1 nans 0"},
        {"String", arrow::utf8(), R"(["b", "", null, "ba", "\u00e4"])",
         "0+5 [, \xc3\xa4] nulls 1 nans 0"},
        {"EmptyStringsOnly", arrow::utf8(), R"(["", ""])", "0+2 [, ] nulls 0 nans 0"},
        {"LargeString", arrow::large_utf8(), R"(["b", "a"])", "0+2 [a, b] nulls 0 nans 0"},
        {"Binary", arrow::binary(), R"(["b", "a"])", "0+2 [a, b] nulls 0 nans 0"},
        {"LargeBinary", arrow::large_binary(), R"([null, "a"])", "0+2 [a, a] nulls 1 nans 0"},
        {"WideDecimal", arrow::decimal256(50, 2),
         R"(["-5.01", null, "340282366920938463463374607431768211457.00", "0.10"])",
         "0+4 [-5.01, 340282366920938463463374607431768211457.00] nulls 1 nans 0"},
        {"FixedSizeBinary", arrow::fixed_size_binary(2), R"(["bb", null, "ab", "ba"])",
         "0+4 [ab, bb] nulls 1 nans 0"},
        {"Decimal", arrow::decimal128(20, 2), R"(["-5.01", null, "184467440737095517.00"])",
         "0+3 [-5.01, 184467440737095517.00] nulls 1 nans 0"},
        {"Date32", arrow::date32(), "[1, -1]", "0+2 [1969-12-31, 1970-01-02] nulls 0 nans 0"},
        {"Date64", arrow::date64(), "[86400000, 0]", "0+2 [1970-01-01, 1970-01-02] nulls 0 nans 0"},
        {"Time32", arrow::time32(arrow::TimeUnit::SECOND), "[61, 1]",
         "0+2 [00:00:01, 00:01:01] nulls 0 nans 0"},
        {"Time64", arrow::time64(arrow::TimeUnit::MICRO), "[1, 0]",
         "0+2 [00:00:00.000000, 00:00:00.000001] nulls 0 nans 0"},
        {"Timestamp", arrow::timestamp(arrow::TimeUnit::SECOND), "[-1, 1]",
         "0+2 [1969-12-31 23:59:59, 1970-01-01 00:00:01] nulls 0 nans 0"},
        {"TimestampWithZone", arrow::timestamp(arrow::TimeUnit::SECOND, "UTC"), "[1, 0]",
         "0+2 [1970-01-01 00:00:00Z, 1970-01-01 00:00:01Z] nulls 0 nans 0"},
        {"Duration", arrow::duration(arrow::TimeUnit::SECOND), "[7, -7, null]",
         "0+3 [-7, 7] nulls 1 nans 0"},
        {"NullsOnly", arrow::int32(), "[null, null]", "0+2 [null, null] nulls 2 nans 0"},
    }),
    [](const auto& instance) { return instance.param.name; });

struct NanCase {
  std::string name;
  std::vector<std::optional<double>> values;
  std::string zone;
};

class ZoneBuilderNans
    : public ::testing::TestWithParam<std::tuple<std::shared_ptr<arrow::DataType>, NanCase>> {};

TEST_P(ZoneBuilderNans, GiveTheBoundsThatEveryReaderReadsRight) {
  const auto& [type, param] = GetParam();

  const auto zones = ZonesOf(*FloatsOf(type, param.values), 100);

  EXPECT_THAT(Describe(zones.zones), ElementsAre(param.zone));
}

INSTANTIATE_TEST_SUITE_P(
    All, ZoneBuilderNans,
    ::testing::Combine(
        ::testing::Values(arrow::float16(), arrow::float32(), arrow::float64()),
        ::testing::ValuesIn<NanCase>({
            {"None", {1.5, -2.0, std::nullopt}, "0+3 [-2, 1.5] nulls 1 nans 0"},
            {"Zeros", {0.0, -0.0, 0.0}, "0+3 [-0, +0] nulls 0 nans 0"},
            {"Infinities", {kInf, -kInf}, "0+2 [-inf, inf] nulls 0 nans 0"},
            {"PositiveWithOrdinary", {1.5, kNan, -2.0}, "0+3 [-2, +NaN] nulls 0 nans 1"},
            {"PositiveWithInfinity", {kInf, kNan}, "0+2 [inf, +NaN] nulls 0 nans 1"},
            {"NegativeWithOrdinary", {1.5, -kNan}, "0+2 [null, null] nulls 0 nans 1"},
            {"BothWithOrdinary", {kNan, 1.5, -kNan}, "0+3 [null, null] nulls 0 nans 2"},
            {"PositiveOnly", {kNan, kNan, std::nullopt}, "0+3 [+NaN, +NaN] nulls 1 nans 2"},
            {"NegativeOnly", {-kNan, -kNan}, "0+2 [-NaN, -NaN] nulls 0 nans 2"},
            {"BothOnly", {kNan, -kNan}, "0+2 [-NaN, +NaN] nulls 0 nans 2"},
            {"NullsOnly", {std::nullopt}, "0+1 [null, null] nulls 1 nans 0"},
        })),
    [](const auto& instance) {
      return std::get<0>(instance.param)->name() + std::get<1>(instance.param).name;
    });

TEST(ZoneBuilder, WritesNanBoundsAsTheQuietNan) {
  const auto signalling = std::make_shared<arrow::DoubleArray>(
      1, arrow::Buffer::FromVector(std::vector<uint64_t>{0xfff0000000000001}));

  const auto zones = ZonesOf(*signalling, 10);

  const auto& min = static_cast<const arrow::DoubleScalar&>(*zones.zones[0].min);
  EXPECT_EQ(std::bit_cast<uint64_t>(min.value), 0xfff8000000000000);
}

std::shared_ptr<arrow::Array> Counting(int64_t begin, int64_t end) {
  arrow::Int64Builder builder;
  for (int64_t i = begin; i < end; ++i) {
    const auto status = i % 10 == 3 ? builder.AppendNull() : builder.Append(i);
    if (!status.ok()) std::abort();
  }
  return builder.Finish().ValueOrDie();
}

TEST(ZoneBuilder, CutsEveryRowsPerZonePhysicalRows) {
  const auto zones = ZonesOf(*Counting(0, 250), 100);

  EXPECT_EQ(zones.rows_per_zone, 100u);
  EXPECT_THAT(Describe(zones.zones),
              ElementsAre("0+100 [0, 99] nulls 10 nans 0", "100+100 [100, 199] nulls 10 nans 0",
                          "200+50 [200, 249] nulls 5 nans 0"));
  ASSERT_TRUE(zones.null_offsets);
  EXPECT_EQ(zones.null_offsets->size(), 25u);
  EXPECT_TRUE(zones.null_offsets->Contains(3));
  EXPECT_TRUE(zones.null_offsets->Contains(243));
}

TEST(ZoneBuilder, MakesNoEmptyZoneAfterAFullOne) {
  EXPECT_EQ(ZonesOf(*Counting(0, 200), 100).zones.size(), 2u);
  EXPECT_EQ(ZonesOf(*Counting(0, 0), 100).zones.size(), 0u);
}

TEST(ZoneBuilder, GivesTheSameZonesForAnyBatchesAndSlices) {
  for (const auto& type : {arrow::int64(), arrow::utf8(), arrow::boolean(), arrow::float64()}) {
    std::shared_ptr<arrow::Array> all = *Counting(0, 1000)->View(arrow::int64());
    auto builder_of_type = arrow::MakeBuilder(type).ValueOrDie();
    for (int64_t i = 0; i < all->length(); ++i) {
      const auto scalar = *all->GetScalar(i);
      ASSERT_THAT(builder_of_type->AppendScalar(type->id() == arrow::Type::BOOL && scalar->is_valid
                                                    ? *arrow::MakeScalar((i / 70) % 2 == 0)
                                                    : **scalar->CastTo(type)),
                  IsOk());
    }
    all = *builder_of_type->Finish();
    const FragmentZones expected = ZonesOf(*all, 70);
    for (const int64_t batch_rows : {1, 7, 69, 70, 71, 333, 999}) {
      ZoneBuilder builder = ZoneBuilder::Make(type, 70).ValueOrDie();
      for (int64_t row = 0; row < all->length(); row += batch_rows) {
        ASSERT_THAT(builder.Add(*all->Slice(row, batch_rows)), IsOk());
      }
      const FragmentZones actual = builder.Finish().ValueOrDie();

      EXPECT_EQ(Describe(actual.zones), Describe(expected.zones)) << type->ToString() << batch_rows;
      EXPECT_EQ(actual.null_offsets, expected.null_offsets);
    }
  }
}

TEST(ZoneBuilder, KeepsStringBoundsBeyondTheirArrayAndWhole) {
  ZoneBuilder builder = ZoneBuilder::Make(arrow::utf8(), 10).ValueOrDie();
  const std::string longest = std::string(203, 'z') + "!";
  {
    auto array = ArrayOf(arrow::utf8(), "[\"" + longest + "\", \"m\"]");
    ASSERT_THAT(builder.Add(*array), IsOk());
    // Overwrite what the array held, in case a bound still pointed there.
    std::memset(const_cast<uint8_t*>(array->data()->buffers[2]->data()), 'q',
                static_cast<size_t>(array->data()->buffers[2]->size()));
  }
  ASSERT_THAT(builder.Add(*ArrayOf(arrow::utf8(), R"(["n"])")), IsOk());

  const auto zones = builder.Finish().ValueOrDie();

  EXPECT_THAT(Describe(zones.zones), ElementsAre("0+3 [m, " + longest + "] nulls 0 nans 0"));
}

TEST(ZoneBuilder, StartsAgainAfterFinish) {
  ZoneBuilder builder = ZoneBuilder::Make(arrow::int32(), 2).ValueOrDie();
  ASSERT_THAT(builder.Add(*ArrayOf(arrow::int32(), "[1, null, 9]")), IsOk());
  ASSERT_TRUE(builder.Finish().ok());
  ASSERT_THAT(builder.Add(*ArrayOf(arrow::int32(), "[4, 5]")), IsOk());

  const auto zones = builder.Finish().ValueOrDie();

  EXPECT_THAT(Describe(zones.zones), ElementsAre("0+2 [4, 5] nulls 0 nans 0"));
  EXPECT_TRUE(zones.null_offsets->empty());
}

TEST(ZoneBuilder, RefusesTypesWithoutAnOrder) {
  for (const auto& type : {arrow::null(), arrow::list(arrow::int32()),
                           arrow::struct_({arrow::field("a", arrow::int32())})}) {
    EXPECT_THAT(ZoneBuilder::Make(type, 100), IsNotImplemented(HasSubstr(type->ToString())));
  }
}

TEST(ZoneBuilder, RefusesWhatCannotBeZones) {
  EXPECT_THAT(ZoneBuilder::Make(arrow::int32(), 0), IsInvalid(HasSubstr("rows_per_zone is 0")));

  ZoneBuilder builder = ZoneBuilder::Make(arrow::int32(), 10).ValueOrDie();
  EXPECT_THAT(builder.Add(*ArrayOf(arrow::int64(), "[1]")),
              IsInvalid(HasSubstr("values of type int64")));
}

TEST(ZoneBuilder, RefusesMoreRowsThanAFragmentCanAddress) {
  ZoneBuilder builder = ZoneBuilder::Make(arrow::boolean(), uint64_t{1} << 40).ValueOrDie();
  const auto huge = std::make_shared<arrow::BooleanArray>(int64_t{1} << 32, nullptr);

  EXPECT_THAT(builder.Add(*huge), IsInvalid(HasSubstr("4294967296 rows")));
}

}  // namespace
}  // namespace lance::index
