#include "lance/dataset/filter/scalar_sql.h"

#include <cmath>
#include <cstdio>

#include "arrow/api.h"
#include "arrow/util/float16.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/literal.h"
#include "lance/dataset/filter/temporal_literal.h"

namespace lance::filter {

namespace {

using arrow::Type;

std::string BytesSql(const arrow::Scalar& scalar) {
  Literal literal;
  literal.kind = Literal::Kind::kBinary;
  literal.text = static_cast<const arrow::BaseBinaryScalar&>(scalar).value->ToString();
  return CanonicalLiteral(literal);
}

/// \return no value for a NaN of negative sign, which no literal means
std::optional<std::string> FloatSql(double value, const char* type) {
  if (std::isnan(value)) {
    if (std::signbit(value)) return std::nullopt;
    return std::string("CAST('NaN' AS ") + type + ")";
  }
  if (std::isinf(value)) {
    return std::string("CAST('") + (value < 0 ? "-inf" : "inf") + "' AS " + type + ")";
  }
  char text[64];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return std::string(text);
}

std::string ArrowCast(const std::string& value, const std::string& type) {
  return "arrow_cast(" + value + ", " + TextSql(type) + ")";
}

const char* UnitName(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return "Second";
    case arrow::TimeUnit::MILLI:
      return "Millisecond";
    case arrow::TimeUnit::MICRO:
      return "Microsecond";
    case arrow::TimeUnit::NANO:
      break;
  }
  return "Nanosecond";
}

template <typename ArrowType, typename ScalarType>
std::string ClockSql(const arrow::Scalar& scalar, const char* name) {
  const auto unit = static_cast<const ArrowType&>(*scalar.type).unit();
  return ArrowCast(std::to_string(static_cast<const ScalarType&>(scalar).value),
                   std::string(name) + "(" + UnitName(unit) + ")");
}

std::string DateSql(int32_t days) {
  const auto text = DateText(days);
  return text ? "DATE '" + *text + "'" : ArrowCast(std::to_string(days), "Date32");
}

int64_t FloorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

std::string Date64Sql(int64_t milliseconds) {
  const int64_t days = FloorDivide(milliseconds, 86'400'000);
  const bool is_date32 = days >= INT32_MIN && days <= INT32_MAX;
  return is_date32 ? DateSql(static_cast<int32_t>(days))
                   : ArrowCast(std::to_string(milliseconds), "Date64");
}

/// A TIMESTAMP literal where it has one: of the years 0 to 9999.
std::string TimestampSql(const arrow::TimestampScalar& scalar) {
  constexpr int64_t kFirstSecond = -62'167'219'200;
  constexpr int64_t kLastSecond = 253'402'300'799;
  const auto& type = static_cast<const arrow::TimestampType&>(*scalar.type);
  int64_t per_second = 1;
  for (int i = 0; i < type.unit(); ++i) per_second *= 1000;
  const int64_t second = FloorDivide(scalar.value, per_second);
  if (second >= kFirstSecond && second <= kLastSecond) {
    const bool is_fine = type.unit() == arrow::TimeUnit::NANO && scalar.value % 1000 != 0;
    return (is_fine ? "TIMESTAMP(9) '" : "TIMESTAMP '") + scalar.ToString() + "'";
  }
  const std::string zone = type.timezone().empty() ? "None" : "Some(\"" + type.timezone() + "\")";
  return ArrowCast(std::to_string(scalar.value),
                   std::string("Timestamp(") + UnitName(type.unit()) + ", " + zone + ")");
}

std::string DecimalSql(const arrow::Scalar& scalar, int bits) {
  const auto& type = static_cast<const arrow::DecimalType&>(*scalar.type);
  return ArrowCast(TextSql(scalar.ToString()), "Decimal" + std::to_string(bits) + "(" +
                                                   std::to_string(type.precision()) + ", " +
                                                   std::to_string(type.scale()) + ")");
}

}  // namespace

std::string TextSql(const std::string& text) {
  Literal literal;
  literal.kind = Literal::Kind::kText;
  literal.text = text;
  return CanonicalLiteral(literal);
}

std::optional<std::string> ScalarSql(const arrow::Scalar& scalar) {
  if (!scalar.is_valid) return std::nullopt;
  const Type::type id = scalar.type->id();
  if (arrow::is_integer(id)) return scalar.ToString();
  switch (id) {
    case Type::BOOL:
      return scalar.ToString();
    case Type::HALF_FLOAT: {
      const uint16_t bits = static_cast<const arrow::HalfFloatScalar&>(scalar).value;
      return FloatSql(arrow::util::Float16::FromBits(bits).ToDouble(), "FLOAT");
    }
    case Type::FLOAT:
      return FloatSql(static_cast<const arrow::FloatScalar&>(scalar).value, "FLOAT");
    case Type::DOUBLE:
      return FloatSql(static_cast<const arrow::DoubleScalar&>(scalar).value, "DOUBLE");
    case Type::STRING:
    case Type::LARGE_STRING:
      return TextSql(static_cast<const arrow::BaseBinaryScalar&>(scalar).value->ToString());
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::FIXED_SIZE_BINARY:
      return BytesSql(scalar);
    case Type::DATE32:
      return DateSql(static_cast<const arrow::Date32Scalar&>(scalar).value);
    case Type::DATE64:
      return Date64Sql(static_cast<const arrow::Date64Scalar&>(scalar).value);
    case Type::TIMESTAMP:
      return TimestampSql(static_cast<const arrow::TimestampScalar&>(scalar));
    case Type::TIME32:
      return ClockSql<arrow::Time32Type, arrow::Time32Scalar>(scalar, "Time32");
    case Type::TIME64:
      return ClockSql<arrow::Time64Type, arrow::Time64Scalar>(scalar, "Time64");
    case Type::DURATION:
      return ClockSql<arrow::DurationType, arrow::DurationScalar>(scalar, "Duration");
    case Type::DECIMAL128:
      return DecimalSql(scalar, 128);
    case Type::DECIMAL256:
      return DecimalSql(scalar, 256);
    default:
      return std::nullopt;
  }
}

}  // namespace lance::filter
