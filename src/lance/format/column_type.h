#pragma once

#include <cstdint>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::format {

/// How the values of an Arrow type look to page layouts and codecs. A plain value.
struct ColumnType {
  std::shared_ptr<arrow::DataType> type;
  /// 1, a multiple of 8, or 0: variable width.
  uint32_t bits_per_value = 0;
  /// Variable width: 32 or 64, the width of Arrow's offsets.
  uint32_t offset_bits = 32;
  /// Values are UTF-8 and must be checked.
  bool is_text = false;

  bool is_variable() const { return bits_per_value == 0; }
};

/// Describe a column of a data file.
///
/// \return NotImplemented + UnsupportedFeature naming a type that data files of ours cannot hold
arrow::Result<ColumnType> MakeColumnType(const std::shared_ptr<arrow::DataType>& type);

}  // namespace lance::format
