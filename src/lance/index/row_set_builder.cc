#include "lance/index/row_set_builder.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace lance::index {
namespace {

constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;

/// Fewer numbers than these are sorted faster by comparing them.
constexpr size_t kMinForDigits = 1024;

/// Sort by one digit after the other, the lowest first, leaving out those that are all the same:
/// of rows of a few fragments most are.
void SortByDigits(std::vector<uint64_t>* rows, std::vector<uint64_t>* scratch) {
  uint64_t differing = 0;
  for (const uint64_t row : *rows) differing |= row ^ rows->front();
  scratch->resize(rows->size());
  for (int shift = 0; shift < 64; shift += kDigitBits) {
    if ((differing >> shift & (kDigits - 1)) == 0) continue;
    std::array<size_t, kDigits> next{};
    for (const uint64_t row : *rows) ++next[row >> shift & (kDigits - 1)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), size_t{0});
    for (const uint64_t row : *rows) (*scratch)[next[row >> shift & (kDigits - 1)]++] = row;
    rows->swap(*scratch);
  }
}

}  // namespace

void RowSetBuilder::Add(std::span<const uint64_t> rows) {
  sorted_.assign(rows.begin(), rows.end());
  // Bitmaps are made much faster from ascending numbers; those of equal values mostly are.
  if (!std::is_sorted(sorted_.begin(), sorted_.end())) {
    if (sorted_.size() < kMinForDigits) {
      std::sort(sorted_.begin(), sorted_.end());
    } else {
      SortByDigits(&sorted_, &scratch_);
    }
  }
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
