#include "lance/dataset/filter/temporal_literal.h"

#include "arrow/api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::filter {
namespace {

using ::testing::HasSubstr;

struct WrittenDate {
  const char* text;
  std::optional<int32_t> days;
};

TEST(ParseDateText, KnowsDaysOfTheReferencesCalendar) {
  const WrittenDate cases[] = {
      {"1970-01-01", 0},
      {"1970-1-2", 1},
      {"1969-12-31", -1},
      {"2000-02-29", 11016},
      {"0001-01-01", -719162},
      {"9999-12-31", 2932896},
      {"2100-02-29", std::nullopt},
      {"2022-02-30", std::nullopt},
      {"2022-13-01", std::nullopt},
      {"2022-00-01", std::nullopt},
      {"2022-01-00", std::nullopt},
      {"2022-001-01", std::nullopt},
      {"22-01-01", std::nullopt},
      {"10000-01-01", std::nullopt},
      {"+10000-01-01", 2932897},
      {"+10000-1-1", 2932897},
      {"+0010000-01-01", 2932897},
      {"+1970-01-01", 0},
      {"0000-01-01", -719528},
      {"-0000-01-01", -719528},
      {"-0001-12-31", -719529},
      {"-0004-02-29", -720930},
      {"-0001-02-29", std::nullopt},
      {"+10000-02-30", std::nullopt},
      {"+262142-12-31", 95026236},
      {"+262143-01-01", std::nullopt},
      {"-262143-01-01", -96465292},
      {"-262144-12-31", std::nullopt},
      {"+999999999-01-01", std::nullopt},
      {"+4294969266-01-01", std::nullopt},
      {"-001-01-01", std::nullopt},
      {"+197-01-01", std::nullopt},
      {"+ 10000-01-01", std::nullopt},
      {"++1970-01-01", std::nullopt},
      {"2022/01/01", std::nullopt},
      {"20220101", std::nullopt},
      {" 2022-01-01", std::nullopt},
      {"2022-01-01 ", std::nullopt},
      {"2022-01-01 00:00:00", std::nullopt},
      {"", std::nullopt},
  };
  for (const WrittenDate& date : cases) {
    EXPECT_EQ(ParseDateText(date.text), date.days) << date.text;
  }
}

TEST(DateText, IsReadBackAsTheSameDay) {
  EXPECT_EQ(DateText(0), "1970-01-01");
  EXPECT_EQ(DateText(2932896), "9999-12-31");
  EXPECT_EQ(DateText(2932897), "+10000-01-01");
  EXPECT_EQ(DateText(-719528), "0000-01-01");
  EXPECT_EQ(DateText(-719529), "-0001-12-31");
  EXPECT_EQ(DateText(95026237), std::nullopt);
  EXPECT_EQ(DateText(-96465293), std::nullopt);
  EXPECT_EQ(DateText(INT32_MAX), std::nullopt);
  EXPECT_EQ(DateText(INT32_MIN), std::nullopt);
  for (int32_t days = -96465292; days <= 95026236; days += 9973) {
    ASSERT_EQ(ParseDateText(DateText(days).value_or("")), days);
  }
}

WrittenTime At(int64_t seconds, int32_t nanoseconds = 0, std::optional<int32_t> offset = {},
               int precision = 6) {
  WrittenTime time;
  time.seconds = seconds;
  time.nanoseconds = nanoseconds;
  time.offset_seconds = offset;
  time.precision = precision;
  return time;
}

TEST(ParseTimestampText, ReadsFractionsAndOffsets) {
  const std::pair<const char*, WrittenTime> cases[] = {
      {"1970-01-02", At(86400)},
      {"1970-01-02 00:00:01", At(86401)},
      {"1970-01-02T00:00:01", At(86401)},
      {"1970-01-02t00:00:01z", At(86401, 0, 0)},
      {"1969-12-31 23:59:59.5", At(-1, 500'000'000)},
      {"1970-01-01 00:00:00.0000019", At(0, 1'000)},
      {"1970-01-01 00:00:00.000000000000001", At(0, 0)},
      {"1970-01-01 00:00:00+05:30", At(0, 0, 19800)},
      {"1970-01-01 00:00:00-0530", At(0, 0, -19800)},
      {"1970-01-01 00:00:00 -05", At(0, 0, -18000)},
      {"1970-01-01 00:00:00.25 +00:00", At(0, 250'000'000, 0)},
  };
  for (const auto& [text, expected] : cases) {
    const auto time = ParseTimestampText(text, 6);
    ASSERT_TRUE(time.has_value()) << text;
    EXPECT_TRUE(*time == expected) << text;
  }
}

TEST(ParseTimestampText, DropsDigitsBeyondThePrecision) {
  for (const auto& [precision, nanoseconds] :
       {std::pair(0, 0), std::pair(3, 123'000'000), std::pair(6, 123'456'000),
        std::pair(9, 123'456'789)}) {
    const auto time = ParseTimestampText("1970-01-01 00:00:00.123456789", precision);
    ASSERT_TRUE(time.has_value());
    EXPECT_EQ(time->nanoseconds, nanoseconds) << precision;
  }
}

TEST(ParseTimestampText, RefusesOtherForms) {
  for (const char* text : {"",
                           "abc",
                           "1970-1-2 00:00:00",
                           "1970-01-02 0:00:00",
                           "1970-01-02 00:00",
                           "1970-01-02 00",
                           "1970-01-02 24:00:00",
                           "1970-01-02 00:60:00",
                           "1970-01-02 00:00:60",
                           "1970-01-02 ",
                           "1970-01-02 00:00:00.",
                           "1970-01-02 00:00:00,5",
                           "1970-01-02 00:00:00 ",
                           "1970-01-02 00:00:00 Z",
                           "1970-01-02 00:00:00+24:00",
                           "1970-01-02 00:00:00+5",
                           "1970-01-02 00:00:00+05:3",
                           "1970-01-02 00:00:00Zx",
                           " 1970-01-02 00:00:00",
                           "1970-01-02 000000",
                           "+1970-01-02 00:00:00",
                           "-0001-01-02",
                           "1970-01-02 00:00:00 Europe/Berlin"}) {
    EXPECT_FALSE(ParseTimestampText(text, 6).has_value()) << text;
  }
}

struct Conversion {
  const char* text;
  int precision;
  arrow::TimeUnit::type unit;
  const char* zone;
  int64_t value;
};

TEST(ToTimestampValue, CutsTowards1970AndReadsTheWallClockOfTheZone) {
  using arrow::TimeUnit;
  const Conversion cases[] = {
      {"1970-01-01 00:00:05.5", 6, TimeUnit::SECOND, "", 5},
      {"1969-12-31 23:59:59.5", 6, TimeUnit::SECOND, "", 0},
      {"1969-12-31 23:59:58.5", 6, TimeUnit::SECOND, "", -1},
      {"1969-12-31 23:59:59", 6, TimeUnit::SECOND, "", -1},
      {"1969-12-31 23:59:59.9995", 6, TimeUnit::MILLI, "", 0},
      {"1969-12-31 23:59:59.9985", 6, TimeUnit::MILLI, "", -1},
      {"1969-12-31 23:59:59.999", 6, TimeUnit::MILLI, "", -1},
      // The seventh digit is beyond the literal's own precision, which cuts downwards.
      {"1969-12-31 23:59:59.9999999", 6, TimeUnit::MICRO, "", -1},
      {"1970-01-01 00:00:00.000000005", 6, TimeUnit::NANO, "", 0},
      {"1970-01-01 00:00:00.000000005", 9, TimeUnit::NANO, "", 5},
      {"1969-12-31 23:59:59.999999995", 9, TimeUnit::NANO, "", -5},
      {"1970-01-01 00:00:01.5", 0, TimeUnit::MILLI, "", 1000},
      {"1970-01-01 02:00:00", 6, TimeUnit::SECOND, "+02:00", 0},
      {"1969-12-31 19:00:00", 6, TimeUnit::SECOND, "America/New_York", 0},
      {"1970-01-01 00:00:00Z", 6, TimeUnit::SECOND, "America/New_York", 0},
      {"1970-01-01 05:30:00+05:30", 6, TimeUnit::SECOND, "America/New_York", 0},
      {"2022-07-01 00:00:00", 6, TimeUnit::SECOND, "America/New_York", 1656648000},
      {"1970-01-01 00:00:07", 6, TimeUnit::SECOND, "UTC", 7},
      {"0001-01-01 00:00:00", 6, TimeUnit::MICRO, "", -62135596800000000},
  };
  for (const Conversion& conversion : cases) {
    const auto time = ParseTimestampText(conversion.text, conversion.precision);
    ASSERT_TRUE(time.has_value()) << conversion.text;
    const arrow::TimestampType type(conversion.unit, conversion.zone);
    EXPECT_THAT(ToTimestampValue(*time, type), testing::IsOkAndHolds(conversion.value))
        << conversion.text << " as " << type.ToString();
  }
}

TEST(ToTimestampValue, RefusesLocalTimesThatAreNoOneInstant) {
  const arrow::TimestampType type(arrow::TimeUnit::MICRO, "America/New_York");

  EXPECT_THAT(ToTimestampValue(*ParseTimestampText("2022-03-13 02:30:00", 6), type),
              testing::IsInvalid(HasSubstr("in a gap")));
  EXPECT_THAT(ToTimestampValue(*ParseTimestampText("2022-11-06 01:30:00", 6), type),
              testing::IsInvalid(HasSubstr("ambiguous")));
  EXPECT_THAT(ToTimestampValue(*ParseTimestampText("2022-11-06 01:30:00-05:00", 6), type),
              testing::IsOkAndHolds(1667716200000000));
}

TEST(ToTimestampValue, RefusesWhatTheUnitCannotHold) {
  const arrow::TimestampType type(arrow::TimeUnit::NANO);

  EXPECT_THAT(ToTimestampValue(*ParseTimestampText("2500-01-01 00:00:00", 6), type),
              testing::IsInvalid(HasSubstr("more than 64 bits")));
  EXPECT_THAT(ToTimestampValue(*ParseTimestampText("2262-04-11 23:47:16", 6), type),
              testing::IsOkAndHolds(9223372036000000000));
  EXPECT_THAT(MidnightValue(200000, type), testing::IsInvalid(HasSubstr("more than 64 bits")));
  EXPECT_THAT(MidnightValue(-1, type), testing::IsOkAndHolds(-86400000000000));
}

TEST(CompareInUtc, OrdersInstants) {
  EXPECT_EQ(CompareInUtc(At(3600, 0, 3600), At(0)), 0);
  EXPECT_LT(CompareInUtc(At(0), At(0, 1)), 0);
  EXPECT_GT(CompareInUtc(At(0, 0, -1), At(0, 5)), 0);
}

}  // namespace
}  // namespace lance::filter
