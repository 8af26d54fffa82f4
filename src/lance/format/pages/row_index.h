#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "arrow/result.h"

namespace lance::format {

/// The shape of a full-zip page's row index: where each row begins, and the end of the last.
///
///   (num_rows + 1) unsigned integers of 1, 2, 4 or 8 bytes, positions in the page's first buffer
///
/// A plain value. Source: file-format 8.2.
struct RowIndexShape {
  uint64_t num_rows = 0;
  uint32_t entry_bytes = 0;
  /// The size of the first buffer.
  uint64_t data_bytes = 0;

  /// Check consecutive entries from that of row `first_row` on.
  ///
  /// \return SerializationError when they fall, lie behind the data, or the first and last of the
  ///   page are not its ends
  arrow::Status CheckEntries(std::span<const std::byte> entries, uint64_t first_row) const;

  /// Load one position. \pre `entry` has entry_bytes bytes
  uint64_t Load(const std::byte* entry) const;
};

/// Find out how wide a row index is.
///
/// \return SerializationError when no allowed width fits its size
arrow::Result<RowIndexShape> MakeRowIndexShape(uint64_t index_bytes, uint64_t num_rows,
                                               uint64_t data_bytes);

}  // namespace lance::format
