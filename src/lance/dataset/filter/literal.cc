#include "lance/dataset/filter/literal.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "arrow/api.h"
#include "arrow/util/decimal.h"
#include "arrow/util/float16.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/filter_problem.h"
#include "lance/dataset/filter/temporal_literal.h"

namespace lance::filter {

namespace {

using arrow::Status;
using ScalarResult = arrow::Result<std::shared_ptr<arrow::Scalar>>;

constexpr int64_t kSecondsPerDay = 86'400;

/// Whether a decimal text that float64 cannot hold is too large, rather than too small.
bool IsHuge(std::string_view text) {
  const size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_at);
  const auto point = static_cast<int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first_digit = static_cast<int64_t>(mantissa.find_first_of("123456789"));
  int64_t exponent = 0;
  if (exponent_at < text.size()) {
    const bool is_negative = text[exponent_at + 1] == '-';
    const size_t digits_at = text.find_first_of("0123456789", exponent_at);
    constexpr int64_t kBeyondAnyText = int64_t{1} << 48;
    const auto parsed =
        std::from_chars(text.data() + digits_at, text.data() + text.size(), exponent);
    if (parsed.ec != std::errc() || exponent > kBeyondAnyText) exponent = kBeyondAnyText;
    if (is_negative) exponent = -exponent;
  }
  return point - first_digit + exponent > 0;
}

double ParseFloat(std::string_view text) {
  double value = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec == std::errc()) return value;
  return IsHuge(text) ? std::numeric_limits<double>::infinity() : 0;
}

/// The range of an integer type.
struct IntegerRange {
  uint64_t lowest_magnitude;  // of the most negative value; 0 for unsigned types
  uint64_t highest;
};

std::optional<IntegerRange> RangeOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT8:
      return IntegerRange{uint64_t{1} << 7, INT8_MAX};
    case arrow::Type::INT16:
      return IntegerRange{uint64_t{1} << 15, INT16_MAX};
    case arrow::Type::INT32:
      return IntegerRange{uint64_t{1} << 31, INT32_MAX};
    case arrow::Type::INT64:
      return IntegerRange{uint64_t{1} << 63, INT64_MAX};
    case arrow::Type::UINT8:
      return IntegerRange{0, UINT8_MAX};
    case arrow::Type::UINT16:
      return IntegerRange{0, UINT16_MAX};
    case arrow::Type::UINT32:
      return IntegerRange{0, UINT32_MAX};
    case arrow::Type::UINT64:
      return IntegerRange{0, UINT64_MAX};
    default:
      return std::nullopt;
  }
}

/// A literal on its way into one column. Borrows everything.
class Conversion {
 public:
  Conversion(const Literal& literal, const std::string& column,
             const std::shared_ptr<arrow::DataType>& type)
      : literal_(literal), column_(column), type_(type) {}

  ScalarResult Run() const {
    if (literal_.kind == Literal::Kind::kNull) return arrow::MakeNullScalar(type_);
    if (const auto range = RangeOf(*type_)) return ToInteger(*range);
    switch (type_->id()) {
      case arrow::Type::HALF_FLOAT:
        return ToHalfFloat();
      case arrow::Type::FLOAT:
        return ToFloat<float>();
      case arrow::Type::DOUBLE:
        return ToFloat<double>();
      case arrow::Type::DECIMAL128:
        return ToDecimal<arrow::Decimal128Scalar>();
      case arrow::Type::DECIMAL256:
        return ToDecimal<arrow::Decimal256Scalar>();
      case arrow::Type::BOOL:
        if (literal_.kind != Literal::Kind::kBoolean) return WrongKind("true or false");
        return std::make_shared<arrow::BooleanScalar>(literal_.boolean);
      case arrow::Type::STRING:
      case arrow::Type::LARGE_STRING:
        return ToBytes(Literal::Kind::kText, "a text such as 'abc'");
      case arrow::Type::BINARY:
      case arrow::Type::LARGE_BINARY:
        return ToBytes(Literal::Kind::kBinary, "a binary literal such as X'0A'");
      case arrow::Type::FIXED_SIZE_BINARY:
        return ToFixedSizeBinary();
      case arrow::Type::DATE32:
      case arrow::Type::DATE64:
        return ToDate();
      case arrow::Type::TIMESTAMP:
        return ToTimestamp();
      case arrow::Type::TIME32:
      case arrow::Type::TIME64:
        return WrongKind("arrow_cast('12:00:00', 'Time64(Microsecond)') or the like");
      case arrow::Type::DURATION:
        return WrongKind("arrow_cast(60, 'Duration(Second)') or the like");
      default:
        return Status::NotImplemented(NotComparable(column_, type_->ToString()));
    }
  }

 private:
  std::string Column() const {
    return "column " + CanonicalIdentifier(column_) + " of type " + type_->ToString();
  }

  Status WrongKind(const std::string& expected) const {
    return Status::Invalid("found ", Describe(literal_), ", expected ", expected, " for ",
                           Column());
  }

  ScalarResult ToInteger(const IntegerRange& range) const {
    if (literal_.kind != Literal::Kind::kInteger) return WrongKind("an integer");
    const uint64_t limit = literal_.negative ? range.lowest_magnitude : range.highest;
    if (literal_.magnitude > limit) {
      const std::string lowest =
          (range.lowest_magnitude > 0 ? "-" : "") + std::to_string(range.lowest_magnitude);
      return Status::Invalid("found ", Describe(literal_), ", allowed are ", lowest, " to ",
                             range.highest, " for ", Column());
    }
    // Two's complement: the low bits are the value in every width.
    const uint64_t bits = literal_.negative ? ~literal_.magnitude + 1 : literal_.magnitude;
    return arrow::MakeScalar(type_, bits);
  }

  template <typename Float>
  ScalarResult ToFloat() const {
    Float value = 0;
    if (literal_.kind == Literal::Kind::kInteger) {
      // One rounding, straight from the integer.
      value = static_cast<Float>(literal_.magnitude);
      if (literal_.negative) value = -value;
    } else if (literal_.kind == Literal::Kind::kFloat) {
      value = static_cast<Float>(literal_.number);
    } else {
      return WrongKind("a number");
    }
    return arrow::MakeScalar(type_, value);
  }

  ScalarResult ToHalfFloat() const {
    double value = 0;
    if (literal_.kind == Literal::Kind::kInteger) {
      value = static_cast<double>(literal_.magnitude);
      if (literal_.negative) value = -value;
    } else if (literal_.kind == Literal::Kind::kFloat) {
      value = literal_.number;
    } else {
      return WrongKind("a number");
    }
    return std::make_shared<arrow::HalfFloatScalar>(arrow::util::Float16::FromDouble(value).bits());
  }

  /// A fraction is refused, as in the reference: its text was read as a double.
  template <typename ScalarType>
  ScalarResult ToDecimal() const {
    using Value = typename ScalarType::ValueType;
    const auto& type = static_cast<const arrow::DecimalType&>(*type_);
    if (literal_.kind != Literal::Kind::kInteger) {
      return WrongKind("a whole number or CAST(... AS DECIMAL(" + std::to_string(type.precision()) +
                       "," + std::to_string(type.scale()) + "))");
    }
    ARROW_ASSIGN_OR_RAISE(Value value, Value::FromString(std::to_string(literal_.magnitude)));
    if (literal_.negative) value.Negate();
    const auto scaled = value.Rescale(0, type.scale());
    if (!scaled.ok() || !scaled->FitsInPrecision(type.precision())) {
      return Status::Invalid("found ", Describe(literal_), ", allowed are at most ",
                             type.precision() - type.scale(), " digits for ", Column());
    }
    return std::make_shared<ScalarType>(*scaled, type_);
  }

  ScalarResult ToFixedSizeBinary() const {
    const auto& type = static_cast<const arrow::FixedSizeBinaryType&>(*type_);
    const std::string expected = "a binary literal of " + std::to_string(type.byte_width()) +
                                 " bytes, two digits each, such as X'0A'";
    if (literal_.kind != Literal::Kind::kBinary) return WrongKind(expected);
    if (literal_.text.size() != static_cast<size_t>(type.byte_width())) return WrongKind(expected);
    return arrow::MakeScalar(type_, arrow::Buffer::FromString(literal_.text));
  }

  ScalarResult ToBytes(Literal::Kind kind, const char* expected) const {
    if (literal_.kind != kind) return WrongKind(expected);
    return arrow::MakeScalar(type_, arrow::Buffer::FromString(literal_.text));
  }

  ScalarResult ToDate() const {
    if (literal_.kind == Literal::Kind::kTimestamp) {
      return Status::NotImplemented("found ", Describe(literal_),
                                    ", expected DATE 'YYYY-MM-DD' for ", Column(),
                                    "; a time against a date is not supported yet");
    }
    if (literal_.kind != Literal::Kind::kDate) return WrongKind("DATE 'YYYY-MM-DD'");
    if (type_->id() == arrow::Type::DATE32) {
      return std::make_shared<arrow::Date32Scalar>(literal_.days);
    }
    return std::make_shared<arrow::Date64Scalar>(int64_t{literal_.days} * kSecondsPerDay * 1000);
  }

  ScalarResult ToTimestamp() const {
    const auto& type = static_cast<const arrow::TimestampType&>(*type_);
    arrow::Result<int64_t> value = 0;
    if (literal_.kind == Literal::Kind::kDate) {
      value = MidnightValue(literal_.days, type);
    } else if (literal_.kind == Literal::Kind::kTimestamp) {
      value = ToTimestampValue(literal_.time, type);
    } else {
      return WrongKind("TIMESTAMP 'YYYY-MM-DD HH:MM:SS'");
    }
    if (!value.ok()) {
      return Status::Invalid("found ", Describe(literal_), ", expected a time that ", Column(),
                             " can hold: ", value.status().message());
    }
    return std::make_shared<arrow::TimestampScalar>(*value, type_);
  }

  const Literal& literal_;
  const std::string& column_;
  const std::shared_ptr<arrow::DataType>& type_;
};

bool IsNumber(const Literal& literal) {
  return literal.kind == Literal::Kind::kInteger || literal.kind == Literal::Kind::kFloat;
}

bool IsTemporal(const Literal& literal) {
  return literal.kind == Literal::Kind::kDate || literal.kind == Literal::Kind::kTimestamp;
}

double AsDouble(const Literal& literal) {
  if (literal.kind == Literal::Kind::kFloat) return literal.number;
  const auto magnitude = static_cast<double>(literal.magnitude);
  return literal.negative ? -magnitude : magnitude;
}

template <typename T>
int Order(const T& left, const T& right) {
  return left < right ? -1 : (right < left ? 1 : 0);
}

int CompareNumbers(const Literal& left, const Literal& right) {
  if (left.kind == Literal::Kind::kFloat || right.kind == Literal::Kind::kFloat) {
    return Order(AsDouble(left), AsDouble(right));
  }
  if (left.negative != right.negative) return left.negative ? -1 : 1;
  const int order = Order(left.magnitude, right.magnitude);
  return left.negative ? -order : order;
}

WrittenTime AsTime(const Literal& literal) {
  if (literal.kind == Literal::Kind::kTimestamp) return literal.time;
  WrittenTime midnight;
  midnight.seconds = literal.days * kSecondsPerDay;
  return midnight;
}

}  // namespace

Literal ParseNumber(std::string_view text) {
  Literal literal;
  literal.kind = Literal::Kind::kInteger;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, literal.magnitude);
  if (parsed.ec == std::errc() && parsed.ptr == end) return literal;
  literal.magnitude = 0;
  literal.kind = Literal::Kind::kFloat;
  literal.number = ParseFloat(text);
  return literal;
}

std::string DecodeHex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

Literal NegateNumber(Literal number) {
  if (number.kind == Literal::Kind::kInteger) {
    number.negative = !number.negative && number.magnitude != 0;
  } else {
    number.number = -number.number;
  }
  return number;
}

std::string Describe(const Literal& literal) {
  const std::string text = Shorten(CanonicalLiteral(literal));
  switch (literal.kind) {
    case Literal::Kind::kInteger:
    case Literal::Kind::kFloat:
      return "the number " + text;
    case Literal::Kind::kText:
      return "the text " + text;
    case Literal::Kind::kNull:
    case Literal::Kind::kBoolean:
    case Literal::Kind::kBinary:
    case Literal::Kind::kDate:
    case Literal::Kind::kTimestamp:
      return text;
  }
  return text;
}

ScalarResult ConvertLiteral(const Literal& literal, const std::string& column,
                            const std::shared_ptr<arrow::DataType>& type) {
  return Conversion(literal, column, type).Run();
}

bool IsComparableType(const arrow::DataType& type) {
  if (RangeOf(type)) return true;
  switch (type.id()) {
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
    case arrow::Type::BOOL:
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::FIXED_SIZE_BINARY:
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
      return true;
    default:
      return false;
  }
}

std::string NotComparable(const std::string& column, const std::string& type) {
  return "column " + CanonicalIdentifier(column) + " has type " + type +
         "; lists, structs and the like are not compared, they allow IS [NOT] NULL";
}

arrow::Result<int> CompareLiterals(const Literal& left, const Literal& right) {
  if (IsNumber(left) && IsNumber(right)) return CompareNumbers(left, right);
  if (IsTemporal(left) && IsTemporal(right)) {
    return CompareInUtc(AsTime(left), AsTime(right));
  }
  if (left.kind == right.kind && left.kind != Literal::Kind::kNull) {
    if (left.kind == Literal::Kind::kBoolean) return Order(left.boolean, right.boolean);
    return left.text.compare(right.text);
  }
  return Status::Invalid("found ", Describe(right), ", expected a value that compares with ",
                         Describe(left));
}

}  // namespace lance::filter
