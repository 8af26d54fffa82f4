#include "lance/dataset/filter/arithmetic.h"

#include <algorithm>
#include <cmath>

#include "arrow/api.h"
#include "arrow/compute/api.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using DatumResult = arrow::Result<Datum>;

/// Rows of a numeric array or scalar. Borrows.
template <typename ArrowType>
class Numbers {
 public:
  explicit Numbers(const Datum& datum) {
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

template <typename T>
T Remainder(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(left, right);
  } else if constexpr (std::is_signed_v<T>) {
    return right == -1 ? T{0} : static_cast<T>(left % right);  // the lowest value % -1 traps
  } else {
    return static_cast<T>(left % right);
  }
}

template <typename ArrowType>
DatumResult Modulo(const Datum& left, const Datum& right) {
  using T = typename ArrowType::c_type;
  const bool is_scalar = left.is_scalar() && right.is_scalar();
  const int64_t rows = is_scalar ? 1 : (left.is_scalar() ? right : left).length();
  const Numbers<ArrowType> lefts(left);
  const Numbers<ArrowType> rights(right);
  typename arrow::TypeTraits<ArrowType>::BuilderType builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(rows));
  for (int64_t i = 0; i < rows; ++i) {
    if (!lefts.IsValid(i) || !rights.IsValid(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    const T divisor = rights.Value(i);
    if (std::is_integral_v<T> && divisor == 0) return arrow::Status::Invalid("divide by zero");
    builder.UnsafeAppend(Remainder<T>(lefts.Value(i), divisor));
  }
  ARROW_ASSIGN_OR_RAISE(const auto array, builder.Finish());
  if (!is_scalar) return Datum(array);
  ARROW_ASSIGN_OR_RAISE(auto scalar, array->GetScalar(0));
  return Datum(std::move(scalar));
}

DatumResult ModuloOfType(const Datum& left, const Datum& right) {
  switch (left.type()->id()) {
    case arrow::Type::INT8:
      return Modulo<arrow::Int8Type>(left, right);
    case arrow::Type::INT16:
      return Modulo<arrow::Int16Type>(left, right);
    case arrow::Type::INT32:
      return Modulo<arrow::Int32Type>(left, right);
    case arrow::Type::INT64:
      return Modulo<arrow::Int64Type>(left, right);
    case arrow::Type::UINT8:
      return Modulo<arrow::UInt8Type>(left, right);
    case arrow::Type::UINT16:
      return Modulo<arrow::UInt16Type>(left, right);
    case arrow::Type::UINT32:
      return Modulo<arrow::UInt32Type>(left, right);
    case arrow::Type::UINT64:
      return Modulo<arrow::UInt64Type>(left, right);
    case arrow::Type::FLOAT:
      return Modulo<arrow::FloatType>(left, right);
    default:
      return Modulo<arrow::DoubleType>(left, right);
  }
}

/// The place of an element in the values of its list array; null where there is none.
template <typename ListArray>
arrow::Result<std::shared_ptr<arrow::Array>> TakeElements(const ListArray& lists, int64_t place) {
  arrow::Int64Builder places;
  ARROW_RETURN_NOT_OK(places.Reserve(lists.length()));
  for (int64_t i = 0; i < lists.length(); ++i) {
    const auto length = static_cast<int64_t>(lists.value_length(i));
    const int64_t within = place > 0 ? place - 1 : length + place;
    if (lists.IsNull(i) || place == 0 || within < 0 || within >= length) {
      places.UnsafeAppendNull();
    } else {
      places.UnsafeAppend(static_cast<int64_t>(lists.value_offset(i)) + within);
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto indices, places.Finish());
  ARROW_ASSIGN_OR_RAISE(const auto taken, arrow::compute::Take(lists.values(), indices));
  return taken.make_array();
}

}  // namespace

DatumResult Compute(ArithmeticOp op, const Datum& left, const Datum& right) {
  switch (op) {
    case ArithmeticOp::kAdd:
      return arrow::compute::CallFunction("add", {left, right});
    case ArithmeticOp::kSubtract:
      return arrow::compute::CallFunction("subtract", {left, right});
    case ArithmeticOp::kMultiply:
      return arrow::compute::CallFunction("multiply", {left, right});
    case ArithmeticOp::kDivide: {
      const bool is_integer = arrow::is_integer(left.type()->id());
      return arrow::compute::CallFunction(is_integer ? "divide_checked" : "divide", {left, right});
    }
    case ArithmeticOp::kModulo:
      return ModuloOfType(left, right);
    case ArithmeticOp::kConcatenate:
      break;
  }
  return arrow::Status::UnknownError("internal: || is no arithmetic");
}

DatumResult Negative(const Datum& value) { return arrow::compute::CallFunction("negate", {value}); }

arrow::Result<std::shared_ptr<arrow::Array>> ElementOf(const arrow::Array& lists, int64_t place) {
  switch (lists.type_id()) {
    case arrow::Type::LIST:
      return TakeElements(static_cast<const arrow::ListArray&>(lists), place);
    case arrow::Type::LARGE_LIST:
      return TakeElements(static_cast<const arrow::LargeListArray&>(lists), place);
    case arrow::Type::FIXED_SIZE_LIST:
      return TakeElements(static_cast<const arrow::FixedSizeListArray&>(lists), place);
    default:
      return arrow::Status::UnknownError("internal: elements of ", lists.type()->ToString());
  }
}

arrow::Result<std::shared_ptr<arrow::Array>> ToArray(const Datum& value, int64_t num_rows) {
  if (!value.is_scalar()) return value.make_array();
  if (!value.scalar()->is_valid) return arrow::MakeArrayOfNull(value.type(), num_rows);
  return arrow::MakeArrayFromScalar(*value.scalar(), num_rows);
}

}  // namespace lance::filter
