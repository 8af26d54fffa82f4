#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "lance/format/field_tree.h"

namespace lance::format {

/// What one layer of a page can hold (file-format 6.1). The numbers are those on disk.
enum class LayerKind : uint8_t {
  kAllValidItem = 1,
  kAllValidList = 2,
  kNullableItem = 3,
  kNullableList = 4,
  kEmptyableList = 5,
  kNullAndEmptyList = 6,
};

/// One layer of the way from a leaf to the root, as the schema has it. A plain value.
struct PathLayer {
  bool is_list = false;
  /// A fixed-size list of struct: its dimension. 1: any other layer.
  uint32_t dimension = 1;

  bool operator==(const PathLayer&) const = default;
};

/// The way from a leaf to the root, innermost first; [0] is the leaf. A plain value.
///
/// Levels in memory are *canonical*: every item layer owns one definition level (null) and every
/// list layer two (null, then empty), numbered from the innermost layer on from 1, whatever kinds a
/// page happens to use. 0: the value is there. Repetition levels are as on disk: the number of list
/// layers for a new row, k for a new list at depth k (1 = innermost list), 0 inside it.
struct LeafPath {
  std::vector<PathLayer> layers;

  /// The number of list layers, which is the largest repetition level.
  uint16_t max_rep() const;
  uint16_t max_def() const;
  /// Entries with a larger definition level have no value. Without list layers: max_def().
  uint16_t max_visible_def() const;
  /// The level that says that layer `i` is null; for lists, one more says that it is empty.
  uint16_t null_level(size_t i) const;
  /// Entries that a row has at least: the product of all dimensions.
  uint64_t entries_per_row() const;

  bool operator==(const LeafPath&) const = default;
};

/// The paths of all leaves of a field, in the order of LeavesOf.
///
/// \return NotImplemented + UnsupportedFeature for a list inside a fixed-size list of struct and
///   the reverse, which no reader can read (file-format 8.7)
arrow::Result<std::vector<LeafPath>> PathsOf(const FieldNode& node);

/// The canonical levels of a page's levels. A plain value.
struct PageLayers {
  std::vector<LayerKind> kinds;  // innermost first
  uint16_t max_rep = 0;
  uint16_t max_def = 0;          // of the page's own numbering
  uint16_t max_visible_def = 0;  // of the page's own numbering
  /// canonical[d] is the canonical level of the page's definition level d; max_def + 1 entries.
  std::vector<uint16_t> canonical;
};

/// Check a page's layer list against the leaf's path.
///
/// \param kinds the numbers on disk, untrusted
/// \return SerializationError when they are not the path's layers
arrow::Result<PageLayers> ParsePageLayers(std::span<const int> kinds, const LeafPath& path);

/// Choose the page's kinds: the least that hold every definition level that occurs. For writers.
///
/// \param has_level max_def() + 1 flags: which canonical levels occur
PageLayers ChoosePageLayers(const LeafPath& path, const std::vector<bool>& has_level);

}  // namespace lance::format
