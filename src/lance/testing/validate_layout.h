#pragma once

#include "arrow/status.h"
#include "arrow/type_fwd.h"

namespace lance::testing {

/// Check everything that Arrow relies on: buffers, offsets, indices, UTF-8, counts of nulls.
///
/// Whether times, dates and decimals are in their ranges is not looked at: files may hold others,
/// and readers hand them on.
arrow::Status ValidateLayout(const arrow::Array& array);

}  // namespace lance::testing
