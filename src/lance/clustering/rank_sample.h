#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"

namespace lance::clustering {

/// The sampling priority of a row (contract section 4 "Sample").
constexpr uint64_t SamplePriority(uint64_t row_position, uint64_t column_index) {
  uint64_t x = row_position ^ (column_index * 0x9e3779b97f4a7c15) ^ 0x4c414e43455f514e;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// K of a column whose widest encoded value has `widest_bytes` bytes: min(65536, 8 MiB / (W + 40)).
uint64_t SampleLimit(uint64_t widest_bytes);

/// One kept row of a sample; the value is borrowed from the sample.
struct KeptCandidate {
  uint64_t row_position = 0;
  std::string_view encoded_value;
};

/// The bounded deterministic sample of one key column: the K candidates of smallest priority.
///
/// Does not depend on the order in which rows and samples arrive. Holds at most 2 K candidates.
/// Thread-compatible.
class ColumnSample {
 public:
  explicit ColumnSample(uint64_t column_index) : column_index_(column_index) {}

  /// For tests: a fixed K instead of SampleLimit.
  ColumnSample(uint64_t column_index, uint64_t fixed_limit)
      : column_index_(column_index), fixed_limit_(fixed_limit) {}

  /// Offer one row's value; nulls are not candidates and must not be offered.
  void Add(uint64_t row_position, std::string_view encoded_value);

  /// Count candidates of up to `encoded_bytes` bytes without offering a value: the first half of
  /// Add, for callers that encode only what CanKeep lets through.
  void NoteWidth(uint64_t encoded_bytes);

  /// Whether a candidate of this priority could still be among the K smallest. O(1): most rows of a
  /// large write end here, before their value is touched.
  bool CanKeep(uint64_t priority) const { return priority <= largest_priority_; }

  /// Take in the sample of disjoint rows. \pre it has the same column index
  void Merge(const ColumnSample& other);

  /// Kept encoded values in ascending order, duplicates included.
  ///
  /// \return CapacityError naming the column when there were candidates and K is 0
  arrow::Result<std::vector<std::string>> SortedValues(std::string_view column_name) const;

  /// Row positions of what is kept, in priority order.
  std::vector<uint64_t> KeptPositions() const;

  /// What is kept, in priority order.
  std::vector<KeptCandidate> Kept() const;

  uint64_t column_index() const { return column_index_; }

  /// W: the size of the widest encoded value among all candidates, kept or not; 0 without any.
  uint64_t widest_bytes() const { return widest_bytes_; }

  /// K for the candidates seen so far.
  uint64_t limit() const { return fixed_limit_ != 0 ? fixed_limit_ : SampleLimit(widest_bytes_); }

 private:
  struct Candidate {
    uint64_t priority;
    uint64_t row_position;
    std::string value;
    bool operator<(const Candidate& other) const {
      return priority != other.priority ? priority < other.priority
                                        : row_position < other.row_position;
    }
  };
  void Keep(uint64_t priority, uint64_t row_position, std::string_view value);
  void Trim();

  uint64_t column_index_;
  uint64_t fixed_limit_ = 0;
  uint64_t widest_bytes_ = 0;
  // Of what a full sample keeps. Ties pass: the row position decides them in Trim.
  uint64_t largest_priority_ = std::numeric_limits<uint64_t>::max();
  std::vector<Candidate> candidates_;  // unordered; holds the K smallest, and up to K more
};

}  // namespace lance::clustering
