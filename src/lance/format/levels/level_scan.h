#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/levels/layers.h"
#include "lance/format/levels/leaf_column.h"

namespace lance::format {

/// Which entries of a leaf begin a slot of one of its layers: those with a repetition level of
/// min_rep or more and a definition level below `absent`; every `stride`-th of them. A plain value.
struct LayerScan {
  /// The number of list layers from the leaf up to this layer, which is included.
  uint16_t min_rep = 0;
  /// The null level of the next list outside, whose null and empty lists have no items.
  uint16_t absent = 0;
  /// The definition level that says that this layer is null.
  uint16_t null_level = 0;
  /// Entries of a slot in fixed-size lists of struct.
  uint64_t stride = 1;
};

/// The scan of layer `i` of a path.
LayerScan MakeLayerScan(const LeafPath& path, size_t i);

/// A bitmap of Arrow's. A plain value.
struct Validity {
  /// Null: everything is valid.
  std::shared_ptr<arrow::Buffer> bits;
  int64_t null_count = 0;
};

// All functions below want levels that CheckLevels has accepted.

/// The number of slots that a layer has.
uint64_t CountSlots(const LayerScan& scan, const LeafColumn& leaf);

/// Whether a definition level occurs.
bool HasLevel(uint16_t level, const LeafColumn& leaf);

/// The validity of an item layer.
///
/// \param num_slots what CountSlots gives
arrow::Result<Validity> MakeItemValidity(const LayerScan& scan, const LeafColumn& leaf,
                                         uint64_t num_slots, arrow::MemoryPool* pool);

/// Offsets and validity of a list layer. A plain value.
struct ListSlots {
  std::shared_ptr<arrow::Buffer> offsets;
  Validity validity;
};

/// Build offsets of 32 or 64 bits.
///
/// \pre the number of items fits the offsets
arrow::Result<ListSlots> MakeListSlots(const LayerScan& scan, const LeafColumn& leaf,
                                       uint64_t num_slots, bool is_large, arrow::MemoryPool* pool);

/// Whether two leaves say the same about a layer that both have above them and about all layers
/// outside of it.
bool HaveSameSlots(const LayerScan& scan, const LeafColumn& leaf, const LayerScan& other_scan,
                   const LeafColumn& other);

}  // namespace lance::format
