#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/encode/encoding_hints.h"
#include "lance/format/field_tree.h"
#include "lance/format/file_version.h"
#include "lance/format/levels/layers.h"

namespace lance::format {

/// The rows of one page of a leaf. Borrows everything.
struct PageRows {
  const FieldNode& leaf;
  const LeafPath& path;
  /// For each layer of the path whether the schema lets it be null; empty: none.
  std::vector<bool> nullable_layers = {};
  /// Rows; below fixed-size lists of struct their flattened number (file-format 8.7).
  uint64_t num_rows = 0;
  uint64_t num_entries = 0;
  /// Canonical levels, one an entry; empty as in ShreddedLeaf.
  std::span<const uint16_t> rep;
  std::span<const uint16_t> def;
  /// One slot for every visible entry, in order.
  const std::vector<std::shared_ptr<arrow::Array>>& values;
};

/// One page, ready to be written. A plain value.
struct EncodedPage {
  /// Serialized Encoding message.
  std::string encoding;
  /// The page's buffers in order.
  std::vector<ByteBuffer> buffers;
};

/// Encode a page of a 2.1 or 2.2 file: measure the values, take the smallest encoding that the
/// version and the hints allow. Equal input gives equal bytes.
///
/// \pre rows.num_rows > 0; levels fit the page (leaf writers cut pages so)
/// \return CapacityError saying which row does not fit any page
///
/// Source: file-format 8, 9, 10.
arrow::Result<EncodedPage> EncodePage(const PageRows& rows, FileVersion version,
                                      const EncodingHints& hints, arrow::MemoryPool* pool);

}  // namespace lance::format
