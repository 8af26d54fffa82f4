#include "lance/format/encode/page_levels.h"

#include <algorithm>

#include "lance/base/check.h"

namespace lance::format {
namespace {

/// Count how often each canonical definition level occurs. \pre max_def + 1 counts, all 0
void CountLevels(std::span<const uint16_t> def, std::vector<uint64_t>* counts) {
  if (counts->size() == 2) {  // flat columns: a sum is faster
    uint64_t nulls = 0;
    for (const uint16_t level : def) nulls += level;
    *counts = {def.size() - nulls, nulls};
    return;
  }
  for (const uint16_t level : def) {
    LANCE_DCHECK(level < counts->size());
    ++(*counts)[level];
  }
}

/// The page's number of every canonical level.
std::vector<uint16_t> PageNumbers(const PageLayers& layers, size_t num_canonical) {
  std::vector<uint16_t> numbers(num_canonical, 0);
  for (size_t i = 0; i < layers.canonical.size(); ++i) {
    numbers[layers.canonical[i]] = static_cast<uint16_t>(i);
  }
  return numbers;
}

/// Renumber the levels, unless the page's numbers are the canonical ones.
void NumberLevels(std::span<const uint16_t> def, const std::vector<uint64_t>& counts,
                  PageLevels* page) {
  const std::vector<uint16_t> numbers = PageNumbers(page->layers, counts.size());
  bool is_same = true;
  for (size_t i = 0; i < numbers.size(); ++i) is_same &= counts[i] == 0 || numbers[i] == i;
  if (is_same) {
    page->def = def;
    return;
  }
  page->stored_def.resize(def.size());
  std::ranges::transform(def, page->stored_def.begin(),
                         [&](uint16_t level) { return numbers[level]; });
  page->def = page->stored_def;
}

/// Collect the levels of the entries that have a value slot.
void CollectSlots(PageLevels* page) {
  if (page->num_valid == page->num_visible) return;
  if (!page->has_invisible()) {
    page->slots = page->def;
    return;
  }
  page->stored_slots.reserve(page->num_visible);
  for (const uint16_t level : page->def) {
    if (level <= page->layers.max_visible_def) page->stored_slots.push_back(level);
  }
  page->slots = page->stored_slots;
}

/// Declare nulls of items around lists wherever the schema allows them, even in pages without: up
/// to 14.0.2, readers count such a layer's rows by its items when it has none, and so cannot put
/// such a page beside one with nulls.
void DeclareNullsAroundLists(const PageRows& rows, std::vector<bool>* has_level) {
  bool is_around = false;
  for (size_t i = 0; i < rows.nullable_layers.size(); ++i) {
    if (rows.path.layers[i].is_list) {
      is_around = true;
    } else if (is_around && rows.nullable_layers[i]) {
      (*has_level)[rows.path.null_level(i)] = true;
    }
  }
}

}  // namespace

bool PageLevels::has_nullable_item_outside_list() const {
  bool is_outside = false;
  for (const LayerKind kind : layers.kinds) {
    switch (kind) {
      case LayerKind::kAllValidItem:
        break;
      case LayerKind::kNullableItem:
        if (is_outside) return true;
        break;
      case LayerKind::kAllValidList:
      case LayerKind::kNullableList:
      case LayerKind::kEmptyableList:
      case LayerKind::kNullAndEmptyList:
        is_outside = true;
    }
  }
  return false;
}

PageLevels MakePageLevels(const PageRows& rows) {
  const size_t num_levels = size_t{rows.path.max_def()} + 1;
  std::vector<uint64_t> counts(num_levels, 0);
  if (rows.def.empty()) {
    counts[0] = rows.num_entries;
  } else {
    CountLevels(rows.def, &counts);
  }
  std::vector<bool> has_level(num_levels);
  for (size_t i = 0; i < num_levels; ++i) has_level[i] = counts[i] > 0;

  DeclareNullsAroundLists(rows, &has_level);

  PageLevels page;
  page.layers = ChoosePageLayers(rows.path, has_level);
  page.num_rows = rows.num_rows;
  page.num_entries = rows.num_entries;
  page.num_valid = counts[0];
  for (size_t i = 0; i <= rows.path.max_visible_def(); ++i) page.num_visible += counts[i];
  page.rep = rows.rep;
  if (page.layers.max_def > 0 && rows.def.empty()) {
    page.stored_def.assign(rows.num_entries, 0);
    page.def = page.stored_def;
  } else if (page.layers.max_def > 0) {
    NumberLevels(rows.def, counts, &page);
  }
  CollectSlots(&page);
  return page;
}

}  // namespace lance::format
