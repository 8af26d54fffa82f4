#include "lance/format/levels/check_levels.h"

#include <algorithm>
#include <vector>

#include "lance/base/checked_math.h"
#include "lance/format/levels/level_scan.h"

namespace lance::format {
namespace {

uint16_t LargestLevel(const std::vector<uint16_t>& levels) {
  uint16_t largest = 0;
  for (const uint16_t level : levels) largest = std::max(largest, level);
  return largest;
}

arrow::Status CheckStreams(const LeafPath& path, const LeafColumn& leaf) {
  const uint64_t num_reps = path.max_rep() == 0 ? 0 : leaf.num_entries;
  if (leaf.rep.size() != num_reps) {
    return arrow::Status::SerializationError(leaf.num_entries, " entries have ", leaf.rep.size(),
                                             " repetition levels; allowed: ", num_reps);
  }
  if (!leaf.def.empty() && leaf.def.size() != leaf.num_entries) {
    return arrow::Status::SerializationError(leaf.num_entries, " entries have ", leaf.def.size(),
                                             " definition levels; allowed: none or all");
  }
  if (const uint16_t largest = LargestLevel(leaf.rep); largest > path.max_rep()) {
    return arrow::Status::SerializationError("repetition level is ", largest, "; allowed: 0 to ",
                                             path.max_rep());
  }
  if (const uint16_t largest = LargestLevel(leaf.def); largest > path.max_def()) {
    return arrow::Status::SerializationError("definition level is ", largest, "; allowed: 0 to ",
                                             path.max_def());
  }
  return arrow::Status::OK();
}

/// Rows of a path with lists begin where the repetition level is the largest one.
arrow::Status CheckRowsOfLists(const LeafPath& path, const LeafColumn& leaf, uint64_t num_rows) {
  const uint16_t max_rep = path.max_rep();
  if (!leaf.rep.empty() && leaf.rep[0] != max_rep) {
    return arrow::Status::SerializationError("the first repetition level is ", leaf.rep[0],
                                             "; a row begins with ", max_rep);
  }
  uint64_t num_starts = 0;
  for (const uint16_t rep : leaf.rep) num_starts += rep == max_rep ? 1 : 0;
  if (num_starts == num_rows) return arrow::Status::OK();
  return arrow::Status::SerializationError("the levels make ", num_starts,
                                           " rows; expected: ", num_rows);
}

/// An entry that is a further item of a list needs the list: neither it nor the entry before may
/// say that this list, or one further outside, has no items.
arrow::Status CheckFurtherItems(const LeafPath& path, const LeafColumn& leaf) {
  if (leaf.def.empty()) return arrow::Status::OK();
  uint16_t further = 0;  // the repetition level of a further item of the list
  for (size_t i = 0; i < path.layers.size(); ++i) {
    if (!path.layers[i].is_list) continue;
    const uint16_t null_level = path.null_level(i);
    bool is_wrong = false;
    for (uint64_t k = 1; k < leaf.num_entries; ++k) {
      const bool has_no_items = std::max(leaf.def[k], leaf.def[k - 1]) >= null_level;
      is_wrong |= leaf.rep[k] == further && has_no_items;
    }
    if (is_wrong) {
      return arrow::Status::SerializationError("repetition level ", further,
                                               " continues a list that is null or empty");
    }
    ++further;
  }
  return arrow::Status::OK();
}

/// All entries of a fixed-size list repeat what is known of it and of the layers outside.
arrow::Status CheckFixedSizeLists(const LeafPath& path, const LeafColumn& leaf) {
  if (leaf.def.empty()) return arrow::Status::OK();
  for (size_t i = 0; i < path.layers.size(); ++i) {
    if (path.layers[i].dimension == 1) continue;
    const LayerScan scan = MakeLayerScan(path, i);
    const auto inner = static_cast<uint16_t>(scan.null_level - 1);
    for (uint64_t k = 0; k < leaf.num_entries; ++k) {
      const uint64_t first = k - k % scan.stride;
      if (std::max(leaf.def[k], inner) == std::max(leaf.def[first], inner)) continue;
      return arrow::Status::SerializationError("entry ", k, " of a fixed-size list has level ",
                                               leaf.def[k], ", its first entry has ",
                                               leaf.def[first]);
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status CheckLevels(const LeafPath& path, const LeafColumn& leaf, uint64_t num_rows) {
  if (leaf.num_rows != num_rows) {
    return arrow::Status::SerializationError("the column has ", leaf.num_rows,
                                             " rows; expected: ", num_rows);
  }
  ARROW_RETURN_NOT_OK(CheckStreams(path, leaf));
  if (path.max_rep() > 0) {
    ARROW_RETURN_NOT_OK(CheckRowsOfLists(path, leaf, num_rows));
    return CheckFurtherItems(path, leaf);
  }
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_entries,
                        CheckedMul(num_rows, path.entries_per_row(), "entries"));
  if (leaf.num_entries != num_entries) {
    return arrow::Status::SerializationError(num_rows, " rows have ", leaf.num_entries,
                                             " entries; expected: ", num_entries);
  }
  return CheckFixedSizeLists(path, leaf);
}

arrow::Status CheckNumValues(const LeafPath& path, const LeafColumn& leaf) {
  const uint64_t num_visible = CountSlots(MakeLayerScan(path, 0), leaf);
  if (leaf.values.num_values == num_visible) return arrow::Status::OK();
  return arrow::Status::SerializationError("the column has ", leaf.values.num_values,
                                           " values; its levels need ", num_visible);
}

}  // namespace lance::format
