#pragma once

#include <cstdint>
#include <span>

#include "arrow/type_fwd.h"
#include "lance/format/levels/leaf_column.h"

namespace lance::format {

/// Collects the entries and values of a leaf, page by page. Thread-compatible.
class LeafBuilder {
 public:
  LeafBuilder(const ValueShape& shape, arrow::MemoryPool* pool);

  /// Where values go: one for each visible entry, appended in their order.
  ValueBuffer* values() { return &column_.values; }
  uint64_t num_entries() const { return column_.num_entries; }

  /// Append the repetition levels of entries whose definition levels are appended, too.
  void AppendRep(std::span<const uint16_t> levels) {
    column_.rep.insert(column_.rep.end(), levels.begin(), levels.end());
  }
  /// Append entries with canonical definition levels.
  void AppendDef(std::span<const uint16_t> levels);
  /// Append entries with the same canonical definition level.
  void AppendSameDef(uint16_t level, uint64_t count);

  /// Make room for all values of fixed width, where what was read proves that they are sane.
  ///
  /// \param num_values values that are expected
  /// \param input_bytes bytes that they come from
  void Reserve(uint64_t num_values, uint64_t input_bytes);

  /// What was collected, to look at: blobs and dictionaries are finished in place.
  LeafColumn* column() { return &column_; }

 private:
  LeafColumn column_;
};

}  // namespace lance::format
