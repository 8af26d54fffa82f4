#pragma once

#include <cstdint>

#include "arrow/status.h"
#include "lance/format/levels/layers.h"
#include "lance/format/levels/leaf_column.h"

namespace lance::format {

/// Check the levels of a leaf, which come from a file, so that arrays can be built from them
/// without further checks: as many rows as asked for; no level that the path does not have; no item
/// inside a list that is null or empty; the entries of one fixed-size list agree on what is outside
/// of it.

///
/// \return SerializationError saying what is wrong
///
/// Source: file-format 6.2, 8.7, 12.
arrow::Status CheckLevels(const LeafPath& path, const LeafColumn& leaf, uint64_t num_rows);

/// Check that a leaf has as many values as entries that show one. Errors as CheckLevels.
///
/// \pre CheckLevels
arrow::Status CheckNumValues(const LeafPath& path, const LeafColumn& leaf);

}  // namespace lance::format
