#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lance {

/// Consecutive rows [begin, end) of one fragment or file.
struct RowRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
  bool operator==(const RowRange&) const = default;
};

/// A set of row offsets as ascending, disjoint, non-empty, non-touching ranges. A plain value.
class RowRanges {
 public:
  RowRanges() = default;

  /// Make the set of all rows below `num_rows`.
  static RowRanges All(uint64_t num_rows);

  /// Make a set from ranges in any order; they may overlap and be empty.
  static RowRanges Make(std::vector<RowRange> ranges);

  /// Make the set of `base` + each number. \pre ascending
  static RowRanges FromAscending(std::span<const uint32_t> numbers, uint64_t base = 0);

  const std::vector<RowRange>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }

  /// The number of rows in the set.
  uint64_t num_rows() const;

  /// Whether any row of `range` is in the set.
  bool Intersects(RowRange range) const;

  RowRanges Union(const RowRanges& other) const;
  RowRanges Intersect(const RowRanges& other) const;

  /// The rows below `num_rows` that are not in the set.
  RowRanges Complement(uint64_t num_rows) const;

  bool operator==(const RowRanges&) const = default;

 private:
  std::vector<RowRange> ranges_;
};

}  // namespace lance
