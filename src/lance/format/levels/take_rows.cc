#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/check.h"
#include "lance/format/levels/shred.h"

namespace lance::format {
namespace {

/// The entries that the first `num_rows` rows have.
uint64_t EntriesOfRows(const ShreddedLeaf& leaf, const LeafPath& path, uint64_t num_rows) {
  const uint16_t max_rep = path.max_rep();
  if (max_rep == 0) return num_rows * path.entries_per_row();
  uint64_t seen = 0;
  for (uint64_t i = 0; i < leaf.num_entries; ++i) {
    if (leaf.rep[i] != max_rep) continue;
    if (seen == num_rows) return i;
    ++seen;
  }
  return leaf.num_entries;
}

uint64_t CountVisible(const ShreddedLeaf& leaf, const LeafPath& path, uint64_t num_entries) {
  if (leaf.def.empty()) return num_entries;
  const uint16_t limit = path.max_visible_def();
  uint64_t count = 0;
  for (uint64_t i = 0; i < num_entries; ++i) count += leaf.def[i] <= limit ? 1 : 0;
  return count;
}

std::vector<uint16_t> TakeLevels(uint64_t count, std::vector<uint16_t>* levels) {
  if (levels->empty()) return {};
  const auto end = levels->begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<uint16_t> taken(levels->begin(), end);
  levels->erase(levels->begin(), end);
  return taken;
}

void DropZeros(std::vector<uint16_t>* levels) {
  if (std::ranges::all_of(*levels, [](uint16_t level) { return level == 0; })) levels->clear();
}

std::vector<std::shared_ptr<arrow::Array>> TakeValues(
    uint64_t count, std::vector<std::shared_ptr<arrow::Array>>* values) {
  std::vector<std::shared_ptr<arrow::Array>> taken;
  size_t whole = 0;
  while (whole < values->size() && count >= static_cast<uint64_t>((*values)[whole]->length())) {
    count -= static_cast<uint64_t>((*values)[whole]->length());
    taken.push_back(std::move((*values)[whole]));
    ++whole;
  }
  values->erase(values->begin(), values->begin() + static_cast<std::ptrdiff_t>(whole));
  if (count > 0) {
    const auto cut = static_cast<int64_t>(count);
    std::shared_ptr<arrow::Array>& rest = values->front();
    taken.push_back(rest->Slice(0, cut));
    rest = rest->Slice(cut);
  }
  return taken;
}

}  // namespace

ShreddedLeaf TakeRows(uint64_t num_rows, const LeafPath& path, ShreddedLeaf* leaf) {
  LANCE_DCHECK(num_rows <= leaf->num_rows);
  if (num_rows == leaf->num_rows) return std::exchange(*leaf, {});
  const uint64_t num_entries = EntriesOfRows(*leaf, path, num_rows);
  ShreddedLeaf taken;
  taken.num_rows = num_rows;
  taken.num_entries = num_entries;
  taken.values = TakeValues(CountVisible(*leaf, path, num_entries), &leaf->values);
  taken.rep = TakeLevels(num_entries, &leaf->rep);
  taken.def = TakeLevels(num_entries, &leaf->def);
  DropZeros(&taken.def);
  DropZeros(&leaf->def);
  leaf->num_rows -= num_rows;
  leaf->num_entries -= num_entries;
  return taken;
}

}  // namespace lance::format
