#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arrow/status.h"
#include "lance/format/pages/leaf_builder.h"
#include "lance/format/pages/page_layout.h"
#include "lance/format/pages/row_index.h"

namespace lance::format {

/// Decodes the entries of one full-zip page, piece by piece. Reuses its memory.
///
///   per entry: control word of 0, 1, 2 or 4 bytes: rep << bits_def | def
///              visible, fixed width: the value
///              def 0, variable width: u32 or u64 length | the value's bytes
///
/// Source: file-format 8.2.
class ZippedEntries {
 public:
  /// Borrows everything.
  ZippedEntries(const FullZipLayout& layout, LeafBuilder* out);

  /// Append all entries of consecutive rows, which fill `bytes` exactly.
  ///
  /// \param index the row index from the first of these rows on, to compare with; or empty
  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_rows,
                       const RowIndexShape& index_shape, std::span<const std::byte> index);

  uint64_t num_entries() const { return num_entries_; }
  uint64_t num_visible() const { return num_visible_; }

 private:
  /// A position in the bytes being decoded, and what was found before it.
  struct Cursor {
    std::span<const std::byte> bytes;
    uint64_t offset = 0;
    uint64_t num_rows = 0;  // that have begun

    uint64_t remaining() const { return bytes.size() - offset; }
  };

  arrow::Status DecodePlain(std::span<const std::byte> bytes, uint64_t num_rows);
  arrow::Status TakeControlWord(Cursor* in, uint16_t* rep, uint16_t* def) const;
  arrow::Status TakeValue(uint16_t def, Cursor* in);
  arrow::Status Flush();

  const FullZipLayout& layout_;
  LeafBuilder* out_;
  uint64_t stored_bytes_;  // of a value of fixed width
  uint64_t num_entries_ = 0;
  uint64_t num_visible_ = 0;
  // Not appended yet.
  std::vector<std::span<const std::byte>> values_;
  std::vector<uint16_t> rep_;
  std::vector<uint16_t> def_;  // canonical
};

}  // namespace lance::format
