#pragma once

#include <cstdint>
#include <limits>
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
    if (column_.rep.empty()) column_.rep.reserve(num_entries_);
    column_.rep.insert(column_.rep.end(), levels.begin(), levels.end());
  }
  /// Append entries with canonical definition levels.
  void AppendDef(std::span<const uint16_t> levels);
  /// Append entries with the same canonical definition level.
  void AppendSameDef(uint16_t level, uint64_t count);

  /// Make room for what is expected, as far as what was read proves that it is sane.
  ///
  /// \param num_values values, an upper bound of `num_entries` entries
  /// \param input_bytes bytes that they come from
  void Reserve(uint64_t num_values, uint64_t num_entries, uint64_t input_bytes);

  /// Make room for the rest of the values of variable width once some of them are there. Call it
  /// now and then.
  void ReserveText() {
    if (column_.values.num_values >= text_after_) ReserveRestOfText();
  }

  /// What was collected, to look at: blobs and dictionaries are finished in place.
  LeafColumn* column() { return &column_; }

 private:
  void ReserveRestOfText();

  LeafColumn column_;
  uint64_t most_bytes_ = 0;  // that may be reserved
  uint64_t num_values_ = 0;  // expected
  uint64_t num_entries_ = 0;
  // Values after which their size is guessed from those that are there.
  uint64_t text_after_ = std::numeric_limits<uint64_t>::max();
};

}  // namespace lance::format
