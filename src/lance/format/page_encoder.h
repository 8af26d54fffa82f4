#pragma once

#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/format/array_values.h"
#include "lance/format/column_type.h"

namespace lance::format {

/// One page, ready to be written. A plain value.
struct EncodedPage {
  /// Serialized Encoding message.
  std::string encoding;
  /// The page's buffers in order.
  std::vector<std::string> buffers;
};

/// Encode a page: all-null when no row is valid, else mini-blocks. \pre the page has rows
///
/// \return CapacityError when a value is too long for a mini-block
arrow::Result<EncodedPage> EncodePage(const PageValues& page, const ColumnType& type);

/// The longest value that always fits a mini-block, whatever its neighbours are: two of them, two
/// levels, three 64-bit offsets and the chunk's header take at most 32 KiB.
inline constexpr uint64_t kMaxMiniBlockValueBytes = 16'352;

}  // namespace lance::format
