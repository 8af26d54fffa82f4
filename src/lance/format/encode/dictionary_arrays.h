#pragma once

#include <memory>
#include <vector>

#include "arrow/result.h"
#include "lance/format/encode/page_values.h"

namespace lance::format {

/// The values of a page of Arrow dictionary arrays. Move-only.
struct DictionaryPage {
  explicit DictionaryPage(arrow::MemoryPool* pool) : indices(pool), items(pool) {}

  /// Of the index type's width, all below items.num_values.
  PageValues indices;
  /// One or more, none of them null.
  PageValues items;
  /// What `items` may borrow.
  std::shared_ptr<arrow::Array> item_array;
};

/// Put dictionary arrays together under one dictionary.
///
/// A dictionary that all arrays share is kept as it is, unless it is much larger than the page or
/// has nulls; else the items that occur are kept, in the order in which they come.
///
/// \param arrays dictionary arrays of one type, in order; may be slices, each with a dictionary of
///   its own
/// \param slots as PageLevels::slots
/// \return CapacityError when the index type has too few numbers for the items
arrow::Result<DictionaryPage> CollectDictionaries(
    const std::vector<std::shared_ptr<arrow::Array>>& arrays, std::span<const uint16_t> slots,
    arrow::MemoryPool* pool);

}  // namespace lance::format
