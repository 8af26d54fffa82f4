#include "lance/base/row_ranges.h"

#include <algorithm>
#include <utility>

namespace lance {

RowRanges RowRanges::All(uint64_t num_rows) { return Make({{0, num_rows}}); }

RowRanges RowRanges::Make(std::vector<RowRange> ranges) {
  std::erase_if(ranges, [](RowRange range) { return range.begin >= range.end; });
  const auto begins_before = [](RowRange lhs, RowRange rhs) { return lhs.begin < rhs.begin; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), begins_before)) {
    std::sort(ranges.begin(), ranges.end(), begins_before);
  }
  RowRanges result;
  for (const RowRange range : ranges) {
    if (!result.ranges_.empty() && range.begin <= result.ranges_.back().end) {
      result.ranges_.back().end = std::max(result.ranges_.back().end, range.end);
    } else {
      result.ranges_.push_back(range);
    }
  }
  return result;
}

RowRanges RowRanges::FromAscending(std::span<const uint32_t> numbers, uint64_t base) {
  RowRanges result;
  for (const uint32_t number : numbers) {
    const uint64_t row = base + number;
    if (!result.ranges_.empty() && result.ranges_.back().end >= row) {
      result.ranges_.back().end = row + 1;
    } else {
      result.ranges_.push_back({row, row + 1});
    }
  }
  return result;
}

uint64_t RowRanges::num_rows() const {
  uint64_t sum = 0;
  for (const RowRange range : ranges_) sum += range.size();
  return sum;
}

bool RowRanges::Intersects(RowRange range) const {
  if (range.begin >= range.end) return false;
  const auto first =
      std::upper_bound(ranges_.begin(), ranges_.end(), range.begin,
                       [](uint64_t row, const RowRange& candidate) { return row < candidate.end; });
  return first != ranges_.end() && first->begin < range.end;
}

RowRanges RowRanges::Union(const RowRanges& other) const {
  std::vector<RowRange> both = ranges_;
  both.insert(both.end(), other.ranges_.begin(), other.ranges_.end());
  return Make(std::move(both));
}

RowRanges RowRanges::Intersect(const RowRanges& other) const {
  RowRanges result;
  auto lhs = ranges_.begin();
  auto rhs = other.ranges_.begin();
  while (lhs != ranges_.end() && rhs != other.ranges_.end()) {
    const RowRange overlap{std::max(lhs->begin, rhs->begin), std::min(lhs->end, rhs->end)};
    if (overlap.begin < overlap.end) result.ranges_.push_back(overlap);
    if (lhs->end < rhs->end) {
      ++lhs;
    } else {
      ++rhs;
    }
  }
  return result;
}

RowRanges RowRanges::Complement(uint64_t num_rows) const {
  RowRanges result;
  uint64_t begin = 0;
  for (const RowRange range : ranges_) {
    if (range.begin >= num_rows) break;
    if (begin < range.begin) result.ranges_.push_back({begin, range.begin});
    begin = range.end;
  }
  if (begin < num_rows) result.ranges_.push_back({begin, num_rows});
  return result;
}

}  // namespace lance
