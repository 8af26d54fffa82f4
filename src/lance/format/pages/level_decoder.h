#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "lance/base/row_ranges.h"
#include "lance/format/encodings/value_buffer.h"
#include "lance/format/levels/layers.h"
#include "lance/format/pages/page_layout.h"

namespace lance::format {

/// Entries and values of consecutive rows among those of a chunk or page. A plain value.
struct EntrySlice {
  uint64_t first_entry = 0;
  uint64_t num_entries = 0;
  uint64_t first_value = 0;
  uint64_t num_values = 0;

  bool operator==(const EntrySlice&) const = default;
};

/// Decodes and checks the levels of one chunk after the other. Reuses its memory.
class LevelDecoder {
 public:
  /// \param layers of the page; borrowed, as is `path`
  LevelDecoder(const PageLayers& layers, const LeafPath& path);

  /// Decode `num_entries` levels of each stream that the page has.
  ///
  /// \return SerializationError when a level is above what the layers have
  arrow::Status Decode(const LevelStream& rep, std::span<const std::byte> rep_bytes,
                       const LevelStream& def, std::span<const std::byte> def_bytes,
                       uint64_t num_entries);

  uint64_t num_entries() const { return num_entries_; }
  /// Entries that have a value.
  uint64_t num_visible() const { return num_visible_; }
  /// Repetition levels; empty when the page has none.
  std::span<const uint16_t> rep() const { return rep_levels_; }
  /// Canonical definition levels; empty when all are 0.
  std::span<const uint16_t> def() const { return def_levels_; }

  /// Whether an entry has a value, null or not.
  bool IsVisible(uint64_t entry) const {
    return def_levels_.empty() || def_levels_[entry] <= max_visible_def_;
  }

  /// Check where rows begin. \pre the page has lists
  ///
  /// \param rows rows whose first entry is here
  /// \param leftover entries of the last row when it goes on behind these, else 0
  arrow::Status CheckRows(bool begins_inside_row, uint64_t rows, uint64_t leftover) const;

  /// Find the entries and values of some rows.
  ///
  /// \param rows_begun rows that begin before the first entry: its row is that - 1, or that if it
  ///   begins one; rows and `wanted` count alike
  /// \param wanted ascending
  void Slice(uint64_t rows_begun, std::span<const RowRange> wanted,
             std::vector<EntrySlice>* slices) const;

  /// Say of each value that `slice` has whether it is null: 1, else 0.
  void MarkNulls(const EntrySlice& slice, std::vector<uint8_t>* is_null) const;

 private:
  arrow::Status DecodeStream(const LevelStream& stream, std::span<const std::byte> bytes,
                             uint64_t num_entries, uint16_t max_level, ValueBuffer* scratch,
                             std::span<uint16_t>* levels);
  uint64_t CountVisible(uint64_t first_entry, uint64_t end_entry) const;
  void SliceFlat(uint64_t first_row, std::span<const RowRange> wanted,
                 std::vector<EntrySlice>* slices) const;

  const PageLayers& layers_;
  uint16_t max_visible_def_;  // canonical
  bool is_canonical_;         // the page's definition levels need no translation
  ValueBuffer rep_scratch_;
  ValueBuffer def_scratch_;
  std::span<uint16_t> rep_levels_;
  std::span<uint16_t> def_levels_;
  uint64_t num_entries_ = 0;
  uint64_t num_visible_ = 0;
};

}  // namespace lance::format
