#include "lance/index/row_set_builder.h"

#include <algorithm>
#include <utility>

namespace lance::index {

void RowSetBuilder::Add(std::span<const uint64_t> rows) {
  sorted_.assign(rows.begin(), rows.end());
  // Bitmaps are made much faster from ascending numbers; those of equal values mostly are.
  if (!std::is_sorted(sorted_.begin(), sorted_.end())) std::sort(sorted_.begin(), sorted_.end());
  for (size_t begin = 0; begin < sorted_.size();) {
    const auto high = static_cast<uint32_t>(sorted_[begin] >> 32);
    low_.clear();
    while (begin < sorted_.size() && static_cast<uint32_t>(sorted_[begin] >> 32) == high) {
      low_.push_back(static_cast<uint32_t>(sorted_[begin++]));
    }
    offsets_[high] |= RoaringBitmap(low_);
  }
}

RowAddressMap RowSetBuilder::Finish() {
  RowAddressMap map;
  for (auto& [high, offsets] : offsets_) map.entries.push_back({high, std::move(offsets)});
  offsets_.clear();
  return map;
}

}  // namespace lance::index
