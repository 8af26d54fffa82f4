#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::filter {

/// Whether the type is list, large_list or fixed_size_list.
bool IsListType(const arrow::DataType& type);

/// The type of a list's elements. \pre IsListType(type)
std::shared_ptr<arrow::DataType> ElementTypeOf(const arrow::DataType& type);

/// The lists of an array, or the one of a scalar for every row.
class ListRows {
 public:
  static arrow::Result<ListRows> Make(const arrow::Datum& datum);

  bool IsValid(int64_t row) const;
  /// Where the elements of a list are in values(); of a null list there is none.
  int64_t begin(int64_t row) const;
  int64_t end(int64_t row) const;
  int64_t size(int64_t row) const { return end(row) - begin(row); }
  const std::shared_ptr<arrow::Array>& values() const { return values_; }

 private:
  std::shared_ptr<arrow::Array> lists_;  // of one row when it is a scalar
  bool is_scalar_ = false;
  std::shared_ptr<arrow::Array> values_;
};

/// Numbers of equal values: equal values of all arrays have equal numbers, and nulls have -1.
/// Floats are equal when their bits are.
///
/// \param arrays of one type
/// \return NotImplemented for types whose values are not numbered, such as structs
arrow::Result<std::vector<std::vector<int32_t>>> EqualityCodes(
    const std::vector<std::shared_ptr<arrow::Array>>& arrays);

/// The place of each value in ascending order, floats by their total order and nulls last.
arrow::Result<std::vector<uint64_t>> RanksOf(const std::shared_ptr<arrow::Array>& values);

/// Whether values of the type can be numbered so.
bool HasEqualityCodes(const arrow::DataType& type);

/// Whether two lists are equal, for each row: null where one is.
arrow::Result<std::shared_ptr<arrow::BooleanArray>> EqualLists(const arrow::Datum& left,
                                                               const arrow::Datum& right,
                                                               int64_t num_rows);

}  // namespace lance::filter
