#pragma once

#include <cstdint>
#include <memory>

#include "arrow/type_fwd.h"
#include "lance/format/levels/layers.h"
#include "lance/format/levels/shred.h"

namespace lance::format {

/// Estimate the bytes that the rows of an array take on their way into pages, levels included,
/// without what slices leave out and without dictionaries.
uint64_t EstimateArrayBytes(const arrow::ArrayData& data);

/// The size of rows of one leaf, by which pages are cut. It adds up: the sizes of parts sum to that
/// of the whole, however rows arrive, so that page borders do not depend on batches.
class LeafSize {
 public:
  /// \param type the leaf's
  LeafSize(const arrow::DataType& type, LeafPath path);

  /// The bits of all rows.
  uint64_t Bits(const ShreddedLeaf& leaf) const;

  /// How many rows it takes to fill some room.
  ///
  /// \param room_bits at least 1
  /// \return 1 or more; all rows when they do not fill it. \pre the leaf has rows
  uint64_t RowsToFill(const ShreddedLeaf& leaf, uint64_t room_bits) const;

 private:
  uint64_t SlotBits(const arrow::Array& array, int64_t slot) const;
  uint64_t RowsOfSlots(const ShreddedLeaf& leaf, uint64_t room_bits) const;
  uint64_t RowsOfEntries(const ShreddedLeaf& leaf, uint64_t room_bits) const;

  LeafPath path_;
  /// What each slot takes; of variable width, its offset.
  uint64_t fixed_bits_ = 0;
  bool is_variable_ = false;
};

/// Whether an array keeps much more memory alive than its rows take.
bool KeepsMuchMore(const arrow::ArrayData& data);

}  // namespace lance::format
