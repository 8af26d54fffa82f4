#include "lance/dataset/filter/decimal_quotient.h"

#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/util/decimal.h"
#include "lance/dataset/filter/row_values.h"

namespace lance::filter {

namespace {

using arrow::Decimal256;
using arrow::Status;

/// The decimals of an array or a scalar, widened. Borrows nothing.
class DecimalRows {
 public:
  static arrow::Result<DecimalRows> Make(const arrow::Datum& datum) {
    DecimalRows rows;
    rows.is_scalar_ = datum.is_scalar();
    rows.array_ = rows.is_scalar_ ? nullptr : datum.make_array();
    if (rows.is_scalar_) {
      ARROW_ASSIGN_OR_RAISE(rows.array_, arrow::MakeArrayFromScalar(*datum.scalar(), 1));
    }
    return rows;
  }

  int scale() const { return static_cast<const arrow::DecimalType&>(*array_->type()).scale(); }
  bool IsValid(int64_t i) const { return array_->IsValid(is_scalar_ ? 0 : i); }
  Decimal256 Value(int64_t i) const {
    const auto& values = static_cast<const arrow::FixedSizeBinaryArray&>(*array_);
    const uint8_t* bytes = values.GetValue(is_scalar_ ? 0 : i);
    if (array_->type_id() == arrow::Type::DECIMAL256) return Decimal256(bytes);
    return Decimal256(arrow::Decimal128(bytes));
  }

 private:
  std::shared_ptr<arrow::Array> array_;
  bool is_scalar_ = false;
};

Status TooLong(const arrow::DataType& type) {
  return Status::Invalid("a quotient of decimals has more digits than ", type.ToString());
}

/// value * 10 ^ places. \return Invalid when 256 bits do not hold it
Status Widen(int places, const arrow::DataType& type, Decimal256* value) {
  const auto widened = value->Rescale(0, places);
  if (!widened.ok()) return TooLong(type);
  *value = *widened;
  return Status::OK();
}

/// Both with so many more digits that the result has its scale.
arrow::Result<Decimal256> Divide(ArithmeticOp op, Decimal256 left, Decimal256 right,
                                 int left_places, int right_places, const arrow::DataType& type) {
  if (right == Decimal256()) return Status::Invalid("divide by zero");
  ARROW_RETURN_NOT_OK(Widen(left_places, type, &left));
  ARROW_RETURN_NOT_OK(Widen(right_places, type, &right));
  ARROW_ASSIGN_OR_RAISE(const auto both, left.Divide(right));
  const Decimal256 result = op == ArithmeticOp::kDivide ? both.first : both.second;
  const int precision = static_cast<const arrow::DecimalType&>(type).precision();
  if (!result.FitsInPrecision(precision)) return TooLong(type);
  return result;
}

Status Append(const Decimal256& value, arrow::Decimal256Builder* builder) {
  return builder->Append(value);
}

Status Append(const Decimal256& value, arrow::Decimal128Builder* builder) {
  const auto& words = value.little_endian_array();
  return builder->Append(arrow::Decimal128(static_cast<int64_t>(words[1]), words[0]));
}

template <typename Builder>
arrow::Result<arrow::Datum> DivideRows(ArithmeticOp op, const std::vector<arrow::Datum>& values,
                                       const std::shared_ptr<arrow::DataType>& type) {
  ARROW_ASSIGN_OR_RAISE(const DecimalRows lefts, DecimalRows::Make(values[0]));
  ARROW_ASSIGN_OR_RAISE(const DecimalRows rights, DecimalRows::Make(values[1]));
  const int scale = static_cast<const arrow::DecimalType&>(*type).scale();
  const bool is_quotient = op == ArithmeticOp::kDivide;
  const int left_places = scale - lefts.scale() + (is_quotient ? rights.scale() : 0);
  const int right_places = is_quotient ? 0 : scale - rights.scale();
  Builder builder(type, arrow::default_memory_pool());
  return BuildRows(values, &builder, [&](int64_t i) -> Status {
    if (!lefts.IsValid(i) || !rights.IsValid(i)) return builder.AppendNull();
    ARROW_ASSIGN_OR_RAISE(const Decimal256 result, Divide(op, lefts.Value(i), rights.Value(i),
                                                          left_places, right_places, *type));
    return Append(result, &builder);
  });
}

}  // namespace

arrow::Result<arrow::Datum> DivideDecimals(ArithmeticOp op, const arrow::Datum& left,
                                           const arrow::Datum& right,
                                           const std::shared_ptr<arrow::DataType>& type) {
  if (type->id() == arrow::Type::DECIMAL256) {
    return DivideRows<arrow::Decimal256Builder>(op, {left, right}, type);
  }
  return DivideRows<arrow::Decimal128Builder>(op, {left, right}, type);
}

}  // namespace lance::filter
