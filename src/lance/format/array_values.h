#pragma once

#include <cstdint>
#include <vector>

#include "arrow/type_fwd.h"
#include "lance/format/column_type.h"
#include "lance/format/encodings/value_buffer.h"

namespace lance::format {

/// The rows of one page as codecs take them. A plain value.
struct PageValues {
  /// A value for every row. Null rows repeat the value before them (the first valid one at the
  /// page's start), which keeps bit widths small; of variable width they are empty.
  ValueBuffer values;
  /// Definition levels, 1 is null; empty when no row is null.
  std::vector<uint16_t> levels;
  uint64_t num_nulls = 0;
};

/// Put the rows of a page together.
///
/// \param arrays of `type`, in order; may be slices
PageValues CollectPageValues(const std::vector<std::shared_ptr<arrow::Array>>& arrays,
                             const ColumnType& type);

/// The bytes that an array's own rows take, without what a slice leaves out.
uint64_t EstimateBytes(const arrow::Array& array, const ColumnType& type);

/// How many rows of an array take `max_bytes`: at least 1.
///
/// \pre the array has rows, max_bytes < 2^60
int64_t RowsWithin(const arrow::Array& array, const ColumnType& type, uint64_t max_bytes);

/// Whether an array keeps much more memory alive than its rows take.
bool KeepsMuchMore(const arrow::Array& array, const ColumnType& type);

/// Whether every value of a text array is UTF-8. \pre type.is_text
bool IsTextUtf8(const arrow::Array& array, const ColumnType& type);

}  // namespace lance::format
