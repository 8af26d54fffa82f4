#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// Parse the text of a DATE literal, "YYYY-MM-DD"; month and day may have one digit. Years with a
/// sign have four digits or more, "+10000-01-01", "-0001-12-31"; year 0 is the one before year 1.
///
/// \return days since 1970-01-01; nothing when the text is not a date of the years -262143 to
///   262142, which the reference's calendar has
std::optional<int32_t> ParseDateText(std::string_view text);

/// The text that ParseDateText reads as a day. \return nothing for days of other years than it has
std::optional<std::string> DateText(int32_t days);

/// Parse the text of a TIMESTAMP literal: "YYYY-MM-DD", or "YYYY-MM-DD HH:MM:SS" (also with a T)
/// with an optional fraction and an optional offset "Z", "+HH", "+HHMM" or "+HH:MM", which a blank
/// may precede. Digits of the fraction beyond `precision` are dropped.
///
/// \return nothing when the text is not such a time
std::optional<WrittenTime> ParseTimestampText(std::string_view text, int precision);

/// The value that a written time has in a column: an instant when it has an offset, else the wall
/// clock of the column's zone, of UTC for a column without one. What is finer than the column's
/// unit is cut towards 1970, as the reference does.
///
/// \return Invalid when the zone is not known, the local time does not exist or is there twice, or
///   the column's unit cannot hold it. The message names the reason, not the place
arrow::Result<int64_t> ToTimestampValue(const WrittenTime& time, const arrow::TimestampType& type);

/// The value of the UTC midnight that starts a day. \return Invalid when the unit cannot hold it
arrow::Result<int64_t> MidnightValue(int32_t days, const arrow::TimestampType& type);

/// Order two written times as instants; one without an offset is on the clock of UTC.
///
/// \return negative, 0 or positive
int CompareInUtc(const WrittenTime& left, const WrittenTime& right);

}  // namespace lance::filter
