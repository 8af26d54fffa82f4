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

/// Declare nulls of items around lists wherever the schema allows them, and nulls and empties of
/// the lists inside such items, even in pages without: up to 14.0.2, readers count such a layer's
/// rows by its items when it has none, and so cannot put such a page beside one with nulls.
void DeclareNullsAroundLists(const PageRows& rows, std::vector<bool>* has_level) {
  size_t outermost = 0;  // one behind the outermost nullable item around a list
  bool is_around = false;
  for (size_t i = 0; i < rows.nullable_layers.size(); ++i) {
    is_around |= rows.path.layers[i].is_list;
    if (is_around && !rows.path.layers[i].is_list && rows.nullable_layers[i]) outermost = i + 1;
  }
  for (size_t i = 0; i < outermost; ++i) {
    const uint16_t level = rows.path.null_level(i);
    if (rows.path.layers[i].is_list) {
      (*has_level)[level] = true;
      (*has_level)[level + 1] = true;
    } else if (rows.nullable_layers[i]) {
      (*has_level)[level] = true;
    }
  }
}

/// Declare nulls of what a null item covers, down to the next list, as Arrow's own arrays have
/// them: readers of 14.0.2 make a struct of each layer by itself, and refuse one without nulls
/// whose members, which are not nullable, are null below a null further out.
void DeclareNullsBelowNulls(const LeafPath& path, std::vector<bool>* has_level) {
  bool is_covered = false;
  for (size_t i = path.layers.size(); i-- > 0;) {
    const uint16_t level = path.null_level(i);
    if (is_covered) (*has_level)[level] = true;
    is_covered = !path.layers[i].is_list && (*has_level)[level];
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
  DeclareNullsBelowNulls(rows.path, &has_level);

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
