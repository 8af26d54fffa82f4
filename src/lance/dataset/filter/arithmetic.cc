#include "lance/dataset/filter/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/decimal_quotient.h"
#include "lance/dataset/filter/row_values.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using DatumResult = arrow::Result<Datum>;

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

/// Bits beyond the type's width count for nothing in the distance of a shift.
template <typename T>
T Shifted(ArithmeticOp op, T value, T distance) {
  using Bits = std::make_unsigned_t<T>;
  const auto bits = static_cast<Bits>(static_cast<Bits>(distance) & (8 * sizeof(T) - 1));
  if (op == ArithmeticOp::kShiftRight) return static_cast<T>(value >> bits);
  return static_cast<T>(static_cast<uint64_t>(static_cast<Bits>(value)) << bits);
}

/// Remainders and shifts, which Arrow has not, or with other edges.
template <typename ArrowType>
DatumResult ComputeRows(ArithmeticOp op, const std::vector<Datum>& values) {
  using T = typename ArrowType::c_type;
  const NumberRows<ArrowType> lefts(values[0]);
  const NumberRows<ArrowType> rights(values[1]);
  typename arrow::TypeTraits<ArrowType>::BuilderType builder;
  return BuildRows(values, &builder, [&](int64_t i) -> arrow::Status {
    if (!lefts.IsValid(i) || !rights.IsValid(i)) return builder.AppendNull();
    const T right = rights.Value(i);
    if constexpr (std::is_integral_v<T>) {
      if (op != ArithmeticOp::kModulo) return builder.Append(Shifted(op, lefts.Value(i), right));
      if (right == 0) return arrow::Status::Invalid("divide by zero");
    }
    return builder.Append(Remainder<T>(lefts.Value(i), right));
  });
}

DatumResult ComputeRowsOfType(ArithmeticOp op, const std::vector<Datum>& values) {
  switch (values[0].type()->id()) {
    case arrow::Type::INT8:
      return ComputeRows<arrow::Int8Type>(op, values);
    case arrow::Type::INT16:
      return ComputeRows<arrow::Int16Type>(op, values);
    case arrow::Type::INT32:
      return ComputeRows<arrow::Int32Type>(op, values);
    case arrow::Type::INT64:
      return ComputeRows<arrow::Int64Type>(op, values);
    case arrow::Type::UINT8:
      return ComputeRows<arrow::UInt8Type>(op, values);
    case arrow::Type::UINT16:
      return ComputeRows<arrow::UInt16Type>(op, values);
    case arrow::Type::UINT32:
      return ComputeRows<arrow::UInt32Type>(op, values);
    case arrow::Type::UINT64:
      return ComputeRows<arrow::UInt64Type>(op, values);
    case arrow::Type::FLOAT:
      return ComputeRows<arrow::FloatType>(op, values);
    default:
      return ComputeRows<arrow::DoubleType>(op, values);
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

DatumResult Compute(ArithmeticOp op, const Datum& left, const Datum& right,
                    const std::shared_ptr<arrow::DataType>& type) {
  const bool is_quotient = op == ArithmeticOp::kDivide || op == ArithmeticOp::kModulo;
  if (is_quotient && IsDecimalType(*type)) return DivideDecimals(op, left, right, type);
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
    case ArithmeticOp::kShiftLeft:
    case ArithmeticOp::kShiftRight:
      return ComputeRowsOfType(op, {left, right});
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
