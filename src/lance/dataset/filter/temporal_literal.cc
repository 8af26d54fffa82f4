#include "lance/dataset/filter/temporal_literal.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/executor.h"

namespace lance::filter {

namespace {

using arrow::Status;

constexpr int64_t kSecondsPerDay = 86400;
constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

// The first and last year of the reference's calendar.
constexpr int kMinYear = -262'143;
constexpr int kMaxYear = 262'142;

/// Reads fixed fields of a text from the left. Thread-compatible.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : text_(text) {}

  bool AtEnd() const { return text_.empty(); }

  /// Read a number of `min_digits` to `max_digits` digits that is at most `max`.
  std::optional<int> Number(size_t min_digits, size_t max_digits, int max) {
    size_t digits = 0;
    int value = 0;
    while (digits < max_digits && digits < text_.size() && IsDigit(text_[digits])) {
      value = value * 10 + (text_[digits] - '0');
      ++digits;
    }
    if (digits < min_digits || value > max) return std::nullopt;
    text_.remove_prefix(digits);
    return value;
  }

  /// Take one of the characters. \return which, or 0
  char OneOf(std::string_view allowed) {
    if (text_.empty() || allowed.find(text_.front()) == std::string_view::npos) return '\0';
    const char taken = text_.front();
    text_.remove_prefix(1);
    return taken;
  }

  /// Read digits of any number as a fraction in nanoseconds.
  std::optional<int32_t> Fraction() {
    int32_t nanoseconds = 0;
    int32_t unit = 100'000'000;
    size_t digits = 0;
    for (; digits < text_.size() && IsDigit(text_[digits]); ++digits) {
      nanoseconds += (text_[digits] - '0') * unit;
      unit /= 10;  // 0 from the tenth digit on
    }
    if (digits == 0) return std::nullopt;
    text_.remove_prefix(digits);
    return nanoseconds;
  }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  std::string_view text_;
};

/// Years of the Gregorian calendar, which repeats itself after 400 of them; the standard library's
/// calendar ends before a date of 32 bits does.
constexpr int kYearsOfCycle = 400;
constexpr int32_t kDaysOfCycle = 146'097;

/// Read a year: four digits, or a sign and at least four.
std::optional<int> ReadYear(FieldReader* reader) {
  const char sign = reader->OneOf("+-");
  if (!sign) return reader->Number(4, 4, 9999);
  constexpr size_t kMaxDigits = 9;  // zeros in front count
  const auto year = reader->Number(4, kMaxDigits, sign == '-' ? -kMinYear : kMaxYear);
  if (!year) return std::nullopt;
  return sign == '-' ? -*year : *year;
}

/// Read "-MM-DD" behind a year, with months and days of at least `min_digits` digits.
std::optional<int32_t> ReadDayOfYear(FieldReader* reader, int year, size_t min_digits) {
  if (!reader->OneOf("-")) return std::nullopt;
  const auto month = reader->Number(min_digits, 2, 12);
  if (!month || !reader->OneOf("-")) return std::nullopt;
  const auto day = reader->Number(min_digits, 2, 31);
  if (!day) return std::nullopt;
  const int year_of_cycle = (year % kYearsOfCycle + kYearsOfCycle) % kYearsOfCycle;
  const std::chrono::year_month_day date{std::chrono::year(year_of_cycle),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const int cycle = (year - year_of_cycle) / kYearsOfCycle;
  return static_cast<int32_t>(std::chrono::sys_days(date).time_since_epoch().count()) +
         cycle * kDaysOfCycle;
}

std::optional<int32_t> ReadSecondOfDay(FieldReader* reader) {
  const auto hour = reader->Number(2, 2, 23);
  if (!hour || !reader->OneOf(":")) return std::nullopt;
  const auto minute = reader->Number(2, 2, 59);
  if (!minute || !reader->OneOf(":")) return std::nullopt;
  const auto second = reader->Number(2, 2, 59);
  if (!second) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

/// Read what may follow the time of day; `seconds` is where the offset goes.
bool ReadOffset(FieldReader* reader, std::optional<int32_t>* seconds) {
  if (reader->AtEnd()) return true;
  if (reader->OneOf("Zz")) {
    *seconds = 0;
    return reader->AtEnd();
  }
  reader->OneOf(" ");
  const char sign = reader->OneOf("+-");
  const auto hours = reader->Number(2, 2, 23);
  if (!sign || !hours) return false;
  int minutes = 0;
  if (!reader->AtEnd()) {
    reader->OneOf(":");
    const auto written = reader->Number(2, 2, 59);
    if (!written) return false;
    minutes = *written;
  }
  *seconds = (*hours * 3600 + minutes * 60) * (sign == '-' ? -1 : 1);
  return reader->AtEnd();
}

int32_t CutFraction(int32_t nanoseconds, int precision) {
  int32_t unit = 1;
  for (int digits = 9; digits > precision; --digits) unit *= 10;
  return nanoseconds - nanoseconds % unit;
}

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1'000;
    case arrow::TimeUnit::MICRO:
      return 1'000'000;
    case arrow::TimeUnit::NANO:
      return kNanosecondsPerSecond;
  }
  return 1;
}

arrow::Result<int64_t> InUnit(int64_t seconds, int32_t nanoseconds, arrow::TimeUnit::type unit) {
  const int64_t units = UnitsPerSecond(unit);
  const auto nanoseconds_per_unit = static_cast<int32_t>(kNanosecondsPerSecond / units);
  int64_t value = 0;
  if (__builtin_mul_overflow(seconds, units, &value) ||
      __builtin_add_overflow(value, nanoseconds / nanoseconds_per_unit, &value)) {
    return Status::Invalid("it needs more than 64 bits in the column's unit");
  }
  // So far the rest was cut downwards; towards zero is one more for negative values.
  if (seconds < 0 && nanoseconds % nanoseconds_per_unit != 0) ++value;
  return value;
}

/// Seconds since 1970 of a wall clock in a zone that has no fixed offset.
arrow::Result<int64_t> LocalToInstant(int64_t wall_seconds, const std::string& zone) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const auto wall = std::make_shared<arrow::TimestampScalar>(
      wall_seconds, arrow::timestamp(arrow::TimeUnit::SECOND));
  const arrow::compute::AssumeTimezoneOptions options(zone);
  auto instant = arrow::compute::AssumeTimezone(arrow::Datum(wall), options);
  if (!instant.ok()) {
    return Status::Invalid(instant.status().message(), "; a text with an offset is an instant");
  }
  return instant->scalar_as<arrow::TimestampScalar>().value;
}

/// The offset of zones written as "UTC", "Z" or "+02:00"; nothing for names of places.
std::optional<int32_t> FixedOffset(const std::string& zone) {
  if (zone.empty() || zone == "UTC" || zone == "Etc/UTC") return 0;
  FieldReader reader(zone);
  std::optional<int32_t> seconds;
  if (!ReadOffset(&reader, &seconds)) return std::nullopt;
  return seconds;
}

}  // namespace

std::optional<int32_t> ParseDateText(std::string_view text) {
  FieldReader reader(text);
  const auto year = ReadYear(&reader);
  if (!year) return std::nullopt;
  const auto days = ReadDayOfYear(&reader, *year, 1);
  return reader.AtEnd() ? days : std::nullopt;
}

std::optional<std::string> DateText(int32_t days) {
  const int32_t cycle = days / kDaysOfCycle;  // of 1970
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(days % kDaysOfCycle))};
  const int year = static_cast<int>(date.year()) + cycle * kYearsOfCycle;
  if (year < kMinYear || year > kMaxYear) return std::nullopt;
  char text[32];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02u", std::abs(year),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  const char* sign = year < 0 ? "-" : (year > 9999 ? "+" : "");
  return sign + std::string(text);
}

std::optional<WrittenTime> ParseTimestampText(std::string_view text, int precision) {
  FieldReader reader(text);
  WrittenTime time;
  time.precision = precision;
  const auto year = reader.Number(4, 4, 9999);
  if (!year) return std::nullopt;
  const auto days = ReadDayOfYear(&reader, *year, 2);
  if (!days) return std::nullopt;
  time.seconds = *days * kSecondsPerDay;
  if (reader.AtEnd()) return time;

  if (!reader.OneOf(" Tt")) return std::nullopt;
  const auto second_of_day = ReadSecondOfDay(&reader);
  if (!second_of_day) return std::nullopt;
  time.seconds += *second_of_day;
  if (reader.OneOf(".")) {
    const auto nanoseconds = reader.Fraction();
    if (!nanoseconds) return std::nullopt;
    time.nanoseconds = CutFraction(*nanoseconds, precision);
  }
  if (!ReadOffset(&reader, &time.offset_seconds)) return std::nullopt;
  return time;
}

arrow::Result<int64_t> ToTimestampValue(const WrittenTime& time, const arrow::TimestampType& type) {
  std::optional<int32_t> offset = time.offset_seconds;
  if (!offset) offset = FixedOffset(type.timezone());
  int64_t seconds = time.seconds;
  if (offset) {
    seconds -= *offset;
  } else {
    ARROW_ASSIGN_OR_RAISE(seconds, LocalToInstant(time.seconds, type.timezone()));
  }
  return InUnit(seconds, time.nanoseconds, type.unit());
}

arrow::Result<int64_t> MidnightValue(int32_t days, const arrow::TimestampType& type) {
  return InUnit(days * kSecondsPerDay, 0, type.unit());
}

int CompareInUtc(const WrittenTime& left, const WrittenTime& right) {
  const int64_t left_seconds = left.seconds - left.offset_seconds.value_or(0);
  const int64_t right_seconds = right.seconds - right.offset_seconds.value_or(0);
  if (left_seconds != right_seconds) return left_seconds < right_seconds ? -1 : 1;
  return left.nanoseconds - right.nanoseconds;
}

}  // namespace lance::filter
