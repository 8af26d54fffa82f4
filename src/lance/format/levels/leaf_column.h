#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/type_fwd.h"
#include "lance/format/encodings/value_buffer.h"

namespace lance::format {

/// Some rows of one leaf, decoded. Move-only.
///
/// An entry is a position of the level streams: a value, or a null or empty thing around it.
struct LeafColumn {
  explicit LeafColumn(arrow::MemoryPool* pool = nullptr) : values(pool) {}

  uint64_t num_rows = 0;
  uint64_t num_entries = 0;
  /// One canonical level an entry (LeafPath). `rep` is empty when the path has no list layer; `def`
  /// is empty when every level is 0.
  std::vector<uint16_t> rep;
  std::vector<uint16_t> def;
  /// One value for every visible entry, in order; null ones are dummies.
  ValueBuffer values;
  /// Arrow dictionary leaves: `values` are indices of the index type into this array.
  std::shared_ptr<arrow::Array> dictionary;
};

}  // namespace lance::format
