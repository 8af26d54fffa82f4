#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/object_store.h"

namespace lance {

/// A time as RFC 3339 in UTC with nanoseconds: 2026-11-30T10:27:22.475163888Z.
std::string ToText(Timestamp time);

/// Parse what ToText writes, with fewer digits of a second too. \return Invalid for anything else
arrow::Result<Timestamp> ParseTime(std::string_view text);

}  // namespace lance
