#include "lance/dataset/filter/cast_leaf.h"

#include <cmath>
#include <memory>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/cast.h"
#include "arrow/util/int_util_overflow.h"
#include "lance/dataset/filter/asked_field.h"
#include "lance/index/ordered_value.h"

namespace lance::filter {

namespace {

using arrow::Type;
using index::Bound;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

/// Values of a column around those whose cast is a constant; all ends are inclusive.
struct Surroundings {
  ScalarPtr begin, end;  // the cast equals the constant at most from `begin` to `end`
  ScalarPtr less_end;    // the cast is less at most up to here; it is greater at most from `begin`
};

bool IsFloat(const arrow::DataType& type) {
  return type.id() == Type::FLOAT || type.id() == Type::DOUBLE;
}

/// Numbers up to here have a float of their own.
double LastExactInteger(const arrow::DataType& type) {
  return type.id() == Type::FLOAT ? 0x1p24 : 0x1p53;
}

double ToDouble(const arrow::Scalar& number) {
  return number.type->id() == Type::FLOAT ? static_cast<const arrow::FloatScalar&>(number).value
                                          : static_cast<const arrow::DoubleScalar&>(number).value;
}

/// Around a constant number: the nearest value of the column. Whatever lies between the two is no
/// value of the column, so inclusive ends lose nothing.
std::optional<Surroundings> OfNumber(const arrow::DataType& column, const ScalarPtr& constant) {
  const bool is_widening = column.id() == Type::FLOAT && constant->type->id() == Type::DOUBLE;
  if (!arrow::is_integer(column.id()) && !is_widening) return std::nullopt;
  ScalarPtr number = constant;
  if (IsFloat(*constant->type)) {
    const double value = ToDouble(*constant);
    if (std::isnan(value)) return std::nullopt;
    if (!is_widening) {
      // Beyond, several integers become one float.
      if (std::fabs(value) >= LastExactInteger(*constant->type)) return std::nullopt;
      // By way of int64: Arrow's cast that may cut checks no range.
      number = std::make_shared<arrow::Int64Scalar>(static_cast<int64_t>(value));
    }
  } else if (!arrow::is_integer(constant->type->id())) {
    return std::nullopt;
  }
  const auto nearest = arrow::compute::Cast(arrow::Datum(number), column.GetSharedPtr());
  if (!nearest.ok()) return std::nullopt;  // the column's type does not reach so far
  const auto zeros = index::WithBothZeros(nearest->scalar());
  return Surroundings{zeros.front(), zeros.back(), zeros.back()};
}

/// Nanoseconds of one unit of dates and timestamps; no value for other types.
std::optional<int64_t> UnitOf(const arrow::DataType& type) {
  if (type.id() == Type::DATE32) return 86'400'000'000'000;
  if (type.id() != Type::TIMESTAMP) return std::nullopt;
  switch (static_cast<const arrow::TimestampType&>(type).unit()) {
    case arrow::TimeUnit::SECOND:
      return 1'000'000'000;
    case arrow::TimeUnit::MILLI:
      return 1'000'000;
    case arrow::TimeUnit::MICRO:
      return 1'000;
    case arrow::TimeUnit::NANO:
      return 1;
  }
  return std::nullopt;
}

const std::string& ZoneOf(const arrow::DataType& type) {
  static const std::string kNone;
  return type.id() == Type::TIMESTAMP ? static_cast<const arrow::TimestampType&>(type).timezone()
                                      : kNone;
}

int64_t CountOf(const arrow::Scalar& time) {
  return time.type->id() == Type::DATE32 ? static_cast<const arrow::Date32Scalar&>(time).value
                                         : static_cast<const arrow::TimestampScalar&>(time).value;
}

/// `count` times `factor` as a value of a type; null when it does not reach so far.
ScalarPtr TimeOf(int64_t count, int64_t factor, const arrow::DataType& type) {
  int64_t value = 0;
  if (arrow::internal::MultiplyWithOverflow(count, factor, &value)) return nullptr;
  if (type.id() == Type::TIMESTAMP) {
    return std::make_shared<arrow::TimestampScalar>(value, type.GetSharedPtr());
  }
  const auto days = static_cast<int32_t>(value);
  return days == value ? std::make_shared<arrow::Date32Scalar>(days) : nullptr;
}

/// Around a constant time: its unit of the column's, and where rounding, zones and times before
/// 1970 leave a doubt, a unit more on both sides.
std::optional<Surroundings> OfTime(const arrow::DataType& column, const arrow::Scalar& constant) {
  const auto unit = UnitOf(column);
  const auto cast_unit = UnitOf(*constant.type);
  if (!unit || !cast_unit) return std::nullopt;
  const bool to_date = constant.type->id() == Type::DATE32;
  if (!to_date && ZoneOf(column) != ZoneOf(*constant.type)) return std::nullopt;
  const int64_t count = CountOf(constant);
  constexpr int64_t kFarAway = int64_t{1} << 62;
  if (count <= -kFarAway || count >= kFarAway) return std::nullopt;
  Surroundings around;
  if (*unit >= *cast_unit) {  // what is between two values of the column is none
    const int64_t factor = *unit / *cast_unit;
    around.begin = TimeOf(count / factor - 1, 1, column);
    around.end = TimeOf(count / factor + 1, 1, column);
  } else {
    const int64_t factor = *cast_unit / *unit;
    const bool is_sharp = count > 0 && ZoneOf(column).empty();
    around.begin = TimeOf(is_sharp ? count : count - 1, factor, column);
    around.end = TimeOf(is_sharp ? count + 1 : count + 2, factor, column);
    if (is_sharp) around.less_end = around.begin;
  }
  if (!around.begin || !around.end) return std::nullopt;
  if (!around.less_end) around.less_end = around.end;
  return around;
}

/// The field below a cast that fails rather than giving NULL; no value for anything else.
std::optional<AskedField> CastField(const BoundValue& value,
                                    const std::vector<FilterColumn>& columns) {
  if (value.kind != BoundValue::Kind::kCast || value.is_try) return std::nullopt;
  return FieldOf(value.arguments[0], columns);
}

}  // namespace

std::optional<index::Predicate> ToCastLeaf(const BoundExpression& comparison, CompareOp op,
                                           const std::vector<FilterColumn>& columns) {
  const auto field = CastField(comparison.values[0], columns);
  const BoundValue& other = comparison.values[1];
  if (!field || other.kind != BoundValue::Kind::kConstant || !other.constant->is_valid) {
    return std::nullopt;
  }
  auto around = OfNumber(*field->type, other.constant);
  if (!around) around = OfTime(*field->type, *other.constant);
  if (!around) return std::nullopt;
  index::Predicate leaf;
  leaf.kind = index::Predicate::Kind::kRange;
  leaf.field_id = field->id;
  leaf.text = comparison.text;
  switch (op) {
    case CompareOp::kNotEqual:
      return std::nullopt;
    case CompareOp::kEqual:
      leaf.lower = Bound{around->begin, true};
      leaf.upper = Bound{around->end, true};
      break;
    case CompareOp::kLess:
      leaf.upper = Bound{around->less_end, true};
      break;
    case CompareOp::kLessEqual:
      leaf.upper = Bound{around->end, true};
      break;
    case CompareOp::kGreater:
    case CompareOp::kGreaterEqual:
      leaf.lower = Bound{around->begin, true};
      break;
  }
  return leaf;
}

}  // namespace lance::filter
