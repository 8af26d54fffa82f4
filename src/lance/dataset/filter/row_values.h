#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/array/array_binary.h"
#include "arrow/array/array_primitive.h"
#include "arrow/datum.h"
#include "arrow/result.h"
#include "arrow/scalar.h"
#include "arrow/type_traits.h"

namespace lance::filter {

// For functions that Arrow has no kernel of: the values of their arguments, row by row.

/// Rows of a text or binary with 32-bit offsets, or of a scalar. Borrows nothing.
class TextRows {
 public:
  explicit TextRows(const arrow::Datum& datum) {
    if (datum.is_scalar()) {
      scalar_ = std::static_pointer_cast<arrow::BaseBinaryScalar>(datum.scalar());
    } else {
      array_ = std::static_pointer_cast<arrow::BinaryArray>(datum.make_array());
    }
  }

  bool IsValid(int64_t i) const { return array_ ? array_->IsValid(i) : scalar_->is_valid; }
  /// \pre IsValid(i)
  std::string_view Value(int64_t i) const {
    return array_ ? array_->GetView(i) : std::string_view(*scalar_->value);
  }

 private:
  std::shared_ptr<arrow::BinaryArray> array_;
  std::shared_ptr<arrow::BaseBinaryScalar> scalar_;
};

/// Rows of numbers, dates or times, or of a scalar. Borrows nothing.
template <typename ArrowType>
class NumberRows {
 public:
  explicit NumberRows(const arrow::Datum& datum) {
    if (datum.is_scalar()) {
      using ScalarType = typename arrow::TypeTraits<ArrowType>::ScalarType;
      scalar_is_valid_ = datum.scalar()->is_valid;
      scalar_ = static_cast<const ScalarType&>(*datum.scalar()).value;
    } else {
      array_ = std::static_pointer_cast<arrow::NumericArray<ArrowType>>(datum.make_array());
    }
  }

  bool IsValid(int64_t i) const { return array_ ? array_->IsValid(i) : scalar_is_valid_; }
  auto Value(int64_t i) const { return array_ ? array_->Value(i) : scalar_; }

 private:
  std::shared_ptr<arrow::NumericArray<ArrowType>> array_;
  typename ArrowType::c_type scalar_{};
  bool scalar_is_valid_ = false;
};

/// The rows of a call: those of an array among the arguments, 1 when all are scalars.
inline int64_t NumRows(const std::vector<arrow::Datum>& arguments) {
  const auto array = std::ranges::find_if(
      arguments, [](const arrow::Datum& argument) { return !argument.is_scalar(); });
  return array == arguments.end() ? 1 : array->length();
}

/// Build the result of a call row by row.
///
/// \param append appends the value of the row of this number to `builder`
/// \return a scalar when all arguments are scalars
template <typename Builder, typename Append>
arrow::Result<arrow::Datum> BuildRows(const std::vector<arrow::Datum>& arguments, Builder* builder,
                                      const Append& append) {
  const int64_t rows = NumRows(arguments);
  ARROW_RETURN_NOT_OK(builder->Reserve(rows));
  for (int64_t i = 0; i < rows; ++i) ARROW_RETURN_NOT_OK(append(i));
  std::shared_ptr<arrow::Array> array;
  ARROW_RETURN_NOT_OK(builder->Finish(&array));
  const bool is_scalar = std::ranges::all_of(
      arguments, [](const arrow::Datum& argument) { return argument.is_scalar(); });
  if (!is_scalar) return arrow::Datum(std::move(array));
  ARROW_ASSIGN_OR_RAISE(auto scalar, array->GetScalar(0));
  return arrow::Datum(std::move(scalar));
}

}  // namespace lance::filter
