#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "lance/format/encodings/codec.h"
#include "lance/format/encodings/value_shape.h"
#include "lance/format/file_version.h"
#include "lance/format/levels/layers.h"

namespace lance::format {

/// What the pages of a column must fit. Borrows the path.
struct LeafTarget {
  FileVersion version = kDefaultFileVersion;
  const LeafPath& path;
  /// Of the leaf's values; of the dictionary's values for Arrow dictionary leaves.
  ValueShape shape;
  /// Arrow dictionary leaves: the width of their index type. 0: not one.
  uint32_t index_bits = 0;
  /// Legacy blobs: values are descriptors, levels lie in them (file-format 8.6).
  bool is_blob = false;
  /// Structs without members: a page without levels has rows that are *not* null (file-format 8.3).
  bool is_empty_struct = false;

  /// What the decoded values of the leaf look like: indices for dictionary leaves.
  ValueShape value_shape() const {
    return index_bits != 0 ? ValueShape{.bits_per_value = index_bits} : shape;
  }
};

/// The repetition or definition levels of a page. Immutable.
struct LevelStream {
  /// Of 16-bit values. Null: the page has no such levels, all are 0.
  std::shared_ptr<const BlockDecoder> decoder;
  /// The levels are runs, whose sum says how many there are (file-format 8.1, "num_levels wraps").
  bool is_rle = false;
};

/// A page of chunks. Immutable. Source: file-format 8.1.
struct MiniBlockLayout {
  PageLayers layers;
  LevelStream rep;
  LevelStream def;
  std::shared_ptr<const MiniBlockDecoder> values;
  /// What `values` decode to: the leaf's values, or indices.
  ValueShape value_shape;
  /// Null: `values` are the leaf's values.
  std::shared_ptr<const BlockDecoder> dictionary;
  uint64_t num_dictionary_items = 0;
  /// Visible entries of the page.
  uint64_t num_values = 0;
  /// 2.2: words and value sizes have 32 bits, not 16.
  bool has_large_chunks = false;
};

/// A page of values one by one. Immutable. Source: file-format 8.2.
struct FullZipLayout {
  PageLayers layers;
  uint32_t bits_rep = 0;
  uint32_t bits_def = 0;
  /// 0, 1, 2 or 4.
  uint32_t control_bytes = 0;
  /// Bytes of a value's length. 0: values have stored_bits() of `values`.
  uint32_t length_bytes = 0;
  uint64_t num_entries = 0;
  uint64_t num_visible = 0;
  std::shared_ptr<const PerValueDecoder> values;

  /// Whether the page has a row index: rows do not all have the same size.
  bool has_index() const { return length_bytes != 0 || layers.max_rep > 0; }
  /// \pre !has_index()
  uint64_t entry_bytes() const { return control_bytes + values->stored_bits() / 8; }
};

/// A page of nulls, or of one value. Immutable. Source: file-format 8.3.
struct ConstantLayout {
  PageLayers layers;
  /// Whether entries can have the value; else no entry has one.
  bool has_value = false;
  /// The value; no value: it is in the page's first buffer.
  std::optional<std::string> inline_value;
  /// Whether the last two buffers are levels; else all rows are alike.
  bool has_levels = false;
  /// How levels are stored where their buffer is not empty.
  LevelStream rep;
  LevelStream def;
  /// Levels of either stream. No value: as many as 16-bit numbers fill the buffer.
  std::optional<uint64_t> num_rep;
  std::optional<uint64_t> num_def;
};

/// How a page is laid out: its checked description. Immutable.
///
/// One that ParsePageLayout gave is proof that every part is there and fits the column, and that
/// the page has the buffers of its layout.
struct PageLayout {
  std::variant<MiniBlockLayout, FullZipLayout, ConstantLayout> body;
  /// Pages of legacy blobs: the layers of the levels in the descriptors, which are in `body`.
  std::optional<PageLayers> blob_layers;
};

}  // namespace lance::format
