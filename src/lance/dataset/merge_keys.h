#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"

namespace lance {

/// Writes the values of key columns as bytes that are equal exactly when the values are: text by
/// its bytes, floats by their bits, lists and structs member by member. Borrows; thread-compatible.
class KeyEncoder {
 public:
  /// \return NotImplemented for a type that cannot be a key
  static arrow::Result<KeyEncoder> Make(arrow::ArrayVector columns);

  /// Write the key of a row over `key`. \return whether it is a key; one with a null is none
  bool Encode(int64_t row, std::string* key) const;

 private:
  explicit KeyEncoder(arrow::ArrayVector columns) : columns_(std::move(columns)) {}

  arrow::ArrayVector columns_;
};

/// The rows of a merge's source by key. Thread-compatible.
class SourceKeys {
 public:
  /// Index the rows of key columns.
  ///
  /// \return CapacityError + OverBudget when the index does not fit the budget
  static arrow::Result<SourceKeys> Make(const arrow::ArrayVector& columns, const RunContext& run);

  /// The first source row with this key; -1: none.
  int64_t First(const std::string& key) const;
  /// The next source row with the same key as `row`; -1: none.
  int64_t Next(int64_t row) const { return next_[static_cast<size_t>(row)]; }

  /// Note that the table has a row for this one.
  void SetMatched(int64_t row) { is_matched_[static_cast<size_t>(row)] = true; }
  /// The rows without a match, in order.
  std::vector<int64_t> Unmatched() const;

 private:
  SourceKeys() = default;

  MemoryReservation reservation_;
  std::unordered_map<std::string, int64_t> first_;
  std::vector<int64_t> next_;
  std::vector<bool> is_matched_;
};

}  // namespace lance
