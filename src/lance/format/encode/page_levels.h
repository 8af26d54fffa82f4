#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lance/format/encode/page_encoder.h"
#include "lance/format/levels/layers.h"

namespace lance::format {

/// The levels of a page as they are stored, and what they say about its values. Move-only; borrows
/// the levels of the PageRows that it was made from.
struct PageLevels {
  PageLevels() = default;
  PageLevels(PageLevels&&) = default;
  PageLevels& operator=(PageLevels&&) = default;

  /// The least kinds that hold all levels of the page.
  PageLayers layers;
  uint64_t num_rows = 0;
  uint64_t num_entries = 0;
  /// Entries that have a value slot.
  uint64_t num_visible = 0;
  /// Entries whose value is there.
  uint64_t num_valid = 0;
  /// One level an entry; empty: the path has no list layer.
  std::span<const uint16_t> rep;
  /// One level an entry, in the page's numbering; empty: every level is 0.
  std::span<const uint16_t> def;
  /// One level a value slot, 0: the value is there; empty: every value is.
  std::span<const uint16_t> slots;

  bool has_lists() const { return layers.max_rep > 0; }
  bool has_levels() const { return !rep.empty() || !def.empty(); }
  bool has_invisible() const { return num_visible < num_entries; }
  /// Whether a struct outside a list is null somewhere: readers up to 12.0.0 cannot read such
  /// full-zip pages (file-format 14, no. 1).
  bool has_nullable_item_outside_list() const;

  std::vector<uint16_t> stored_def;
  std::vector<uint16_t> stored_slots;
};

/// Look at a page's levels and number them as the page stores them.
///
/// \pre rep and def are empty or have rows.num_entries levels of the path
PageLevels MakePageLevels(const PageRows& rows);

}  // namespace lance::format
