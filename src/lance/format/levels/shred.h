#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/field_tree.h"
#include "lance/format/levels/layers.h"

namespace lance::format {

/// Some rows of one leaf of an array, as levels and values. A plain value.
struct ShreddedLeaf {
  uint64_t num_rows = 0;
  uint64_t num_entries = 0;
  /// One canonical level an entry (LeafPath). `rep` is empty when the path has no list layer; `def`
  /// is empty when every level is 0.
  std::vector<uint16_t> rep;
  std::vector<uint16_t> def;
  /// One slot for every visible entry, in order, of the leaf's Arrow type: slices of the input
  /// where they fit, copies where something lies between (what null or hidden lists cover). Whether
  /// a slot is null is in `def`; what a null slot holds is arbitrary.
  std::vector<std::shared_ptr<arrow::Array>> values;
};

/// Cut the rows of a field into its leaves.
///
/// \param array of node.type; may be a slice, at any depth; offsets of children are honoured
/// \return one for each of LeavesOf(node); Invalid when a field that is not nullable has a null
///   below a value that is there, naming its path
///
/// Source: file-format 6.3.
arrow::Result<std::vector<ShreddedLeaf>> ShredField(const FieldNode& node,
                                                    const std::shared_ptr<arrow::Array>& array,
                                                    arrow::MemoryPool* pool);

/// Cut a leaf behind `num_rows` rows: `leaf` keeps the rest.
ShreddedLeaf TakeRows(uint64_t num_rows, const LeafPath& path, ShreddedLeaf* leaf);

}  // namespace lance::format
