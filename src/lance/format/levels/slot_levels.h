#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/levels/layers.h"

namespace lance::format {

/// The levels that the layers above a node give to its slots, while a writer walks from the root
/// towards the leaves. A plain value.
///
/// Seen from the root the layers below are not known yet, and siblings differ in them. So levels
/// are numbered the other way round: repetition 0 is a new row and k a further item of the k-th
/// list from outside; definition codes count from 1 from the outermost layer on, an empty list
/// before a null one. ToCanonical turns them round.
struct SlotLevels {
  explicit SlotLevels(uint64_t num_rows) : num_entries(num_rows) {}

  uint64_t num_entries;
  std::vector<uint16_t> rep;  // empty: no list so far
  std::vector<uint16_t> def;  // empty: all 0
  uint16_t num_lists = 0;
  uint16_t next_code = 1;
  /// Entries with code 0 or a code from here on are rows of the node's array; the others are null
  /// or empty lists, which have no items.
  uint16_t first_row_code = 1;

  bool IsRow(uint16_t code) const { return code == 0 || code >= first_row_code; }
};

/// Put an item layer's nulls into the levels.
///
/// \param validity one bit a row from `offset` on; null: all rows are null
/// \return whether a row is null below a value that is there
bool AddNulls(const uint8_t* validity, int64_t offset, SlotLevels* slots);

/// Note an item layer without nulls.
void AddAllValid(SlotLevels* slots);

/// Make `dimension` slots of each: what is below a fixed-size list.
void RepeatSlots(uint32_t dimension, SlotLevels* slots);

/// The items that the lists of an array show. A plain value.
struct ListItems {
  /// Ranges of the child, ascending; neighbours do not touch.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  bool has_null = false;
};

/// Put a list layer into the levels: one slot for every item, null list and empty list.
///
/// \param lists of a list, large_list or map type; its rows are the slots' rows
/// \return what to take from the child; Invalid when offsets decrease or leave the child
arrow::Result<ListItems> AddList(const arrow::ArrayData& lists, SlotLevels* slots);

/// Turn the levels of a leaf to the numbers that LeafPath documents. Levels that are all 0 vanish.
void ToCanonical(const LeafPath& path, SlotLevels* slots);

}  // namespace lance::format
