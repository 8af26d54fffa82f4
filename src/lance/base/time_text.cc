#include "lance/base/time_text.h"

#include <cstdio>

#include "arrow/type.h"
#include "arrow/util/value_parsing.h"

namespace lance {

std::string ToText(Timestamp time) {
  using std::chrono::floor;
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  char text[64];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d.%09lldZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<long long>(clock.subseconds().count()));
  return text;
}

arrow::Result<Timestamp> ParseTime(std::string_view text) {
  static const auto parser = arrow::TimestampParser::MakeISO8601();
  int64_t nanoseconds = 0;
  bool has_zone = false;
  if (!(*parser)(text.data(), text.size(), arrow::TimeUnit::NANO, &nanoseconds, &has_zone)) {
    return arrow::Status::Invalid("\"", std::string(text.substr(0, 64)),
                                  "\" is no time; allowed: RFC 3339, as "
                                  "2026-11-30T10:27:22.475163888Z");
  }
  return Timestamp(std::chrono::nanoseconds(nanoseconds));
}

}  // namespace lance
