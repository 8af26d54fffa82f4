#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "lance/format/levels/layers.h"

namespace lance::format {

/// Whether nobody sees the value at a position of an array.
using IsHiddenValue = std::function<bool(int64_t)>;

/// The values of a leaf that are null or below a null.
///
/// \param def canonical levels, empty: all 0; borrowed
IsHiddenValue HiddenValues(const LeafPath& path, const std::vector<uint16_t>& def);

/// Check that all text below an array is UTF-8: of strings, string views, the dictionaries of
/// dictionary arrays, and the members of structs. What nulls hide may be anything.
///
/// \param is_hidden more values to leave out, beside the array's own nulls; asked only when some
///   text is broken. Empty: none
/// \return Invalid naming the first broken value
arrow::Status CheckText(const arrow::ArrayData& array, const IsHiddenValue& is_hidden = {});

}  // namespace lance::format
