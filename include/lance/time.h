#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/object_store.h"

namespace lance {

/// A time as RFC 3339 in UTC with nanoseconds: 2026-11-30T10:27:22.475163888Z.
std::string ToString(Timestamp time);

/// Parse what ToString writes, with fewer digits of a second too. \return Invalid for anything else
arrow::Result<Timestamp> ParseTimestamp(std::string_view text);

}  // namespace lance
