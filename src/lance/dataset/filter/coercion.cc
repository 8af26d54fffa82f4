#include "lance/dataset/filter/coercion.h"

#include <algorithm>

#include "arrow/api.h"
#include "lance/dataset/filter/list_rows.h"

namespace lance::filter {

namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

constexpr int kMostUnsignedDigits = 20;  // of uint64

TypePtr SignedOf(int bits) {
  if (bits <= 8) return arrow::int8();
  if (bits <= 16) return arrow::int16();
  if (bits <= 32) return arrow::int32();
  return bits <= 64 ? arrow::int64() : nullptr;
}

/// Two timestamps meet in the coarser unit, and in the zone that one of them has.
TypePtr CommonTimestamp(const arrow::TimestampType& left, const arrow::TimestampType& right) {
  const std::string& zone = left.timezone().empty() ? right.timezone() : left.timezone();
  return arrow::timestamp(std::min(left.unit(), right.unit()), zone);
}

bool IsDate(const arrow::DataType& type) {
  return type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::DATE64;
}

bool IsTemporal(const arrow::DataType& type) {
  return IsDate(type) || type.id() == arrow::Type::TIMESTAMP;
}

TypePtr CommonTemporal(const TypePtr& left, const TypePtr& right) {
  if (left->id() == arrow::Type::DATE32) return right;
  if (right->id() == arrow::Type::DATE32) return left;
  if (IsDate(*left)) return right;
  if (IsDate(*right)) return left;
  return CommonTimestamp(static_cast<const arrow::TimestampType&>(*left),
                         static_cast<const arrow::TimestampType&>(*right));
}

bool IsBinary(const arrow::DataType& type) {
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::LARGE_BINARY ||
         type.id() == arrow::Type::FIXED_SIZE_BINARY;
}

/// The digits that integers of a type have.
int MostDigits(const arrow::DataType& integer) {
  switch (integer.bit_width()) {
    case 8:
      return 3;
    case 16:
      return 5;
    case 32:
      return 10;
    default:
      return arrow::is_signed_integer(integer.id()) ? 19 : kMostUnsignedDigits;
  }
}

/// The decimal type that holds all values of a decimal or an integer type.
struct Digits {
  int whole = 0;
  int fraction = 0;
};

Digits DigitsOf(const arrow::DataType& type) {
  if (arrow::is_integer(type.id())) return {MostDigits(type), 0};
  const auto& decimal = static_cast<const arrow::DecimalType&>(type);
  return {decimal.precision() - decimal.scale(), decimal.scale()};
}

bool IsLarge(const arrow::DataType& type) {
  return type.id() == arrow::Type::LARGE_STRING || type.id() == arrow::Type::LARGE_BINARY;
}

TypePtr CommonBytes(const TypePtr& left, const TypePtr& right) {
  const bool is_large = IsLarge(*left) || IsLarge(*right);
  if (IsBinary(*left) || IsBinary(*right)) {
    return is_large ? arrow::large_binary() : arrow::binary();
  }
  return is_large ? arrow::large_utf8() : arrow::utf8();
}

}  // namespace

bool IsNumberType(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || type.id() == arrow::Type::FLOAT ||
         type.id() == arrow::Type::DOUBLE;
}

bool IsTextType(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING;
}

bool IsDecimalType(const arrow::DataType& type) { return arrow::is_decimal(type.id()); }

TypePtr DecimalOf(int whole_digits, int scale) {
  const int precision = whole_digits + scale;
  if (precision <= arrow::Decimal128Type::kMaxPrecision) return arrow::decimal128(precision, scale);
  if (precision > arrow::Decimal256Type::kMaxPrecision) return nullptr;
  return arrow::decimal256(precision, scale);
}

TypePtr CommonDecimalType(const TypePtr& left, const TypePtr& right) {
  const auto is_exact = [](const arrow::DataType& type) {
    return IsDecimalType(type) || arrow::is_integer(type.id());
  };
  if (!is_exact(*left) || !is_exact(*right)) return nullptr;
  const Digits ours = DigitsOf(*left);
  const Digits theirs = DigitsOf(*right);
  return DecimalOf(std::max(ours.whole, theirs.whole), std::max(ours.fraction, theirs.fraction));
}

namespace {

/// A quotient has four digits more behind the point than the dividend, what is beyond is cut; a
/// remainder those of the operand that has more.
ArithmeticTypes QuotientTypes(ArithmeticOp op, const TypePtr& left, const TypePtr& right) {
  constexpr int kMoreDigits = 4;
  const Digits ours = DigitsOf(*left);
  const Digits theirs = DigitsOf(*right);
  const auto decimal = [](const Digits& digits) {
    return DecimalOf(digits.whole, digits.fraction);
  };
  ArithmeticTypes types{decimal(ours), decimal(theirs), nullptr};
  if (op == ArithmeticOp::kDivide) {
    types.result = DecimalOf(ours.whole + theirs.fraction, ours.fraction + kMoreDigits);
  } else {
    types.result =
        DecimalOf(std::min(ours.whole, theirs.whole), std::max(ours.fraction, theirs.fraction));
  }
  return types.result == nullptr ? ArithmeticTypes() : types;
}

/// Every digit is kept; where decimal128 is too narrow, all become decimal256.
ArithmeticTypes DecimalTypes(ArithmeticOp op, const TypePtr& left, const TypePtr& right) {
  if (CommonDecimalType(left, right) == nullptr) return {};
  if (op == ArithmeticOp::kDivide || op == ArithmeticOp::kModulo) {
    return QuotientTypes(op, left, right);
  }
  const Digits ours = DigitsOf(*left);
  const Digits theirs = DigitsOf(*right);
  TypePtr result;
  if (op == ArithmeticOp::kAdd || op == ArithmeticOp::kSubtract) {
    result =
        DecimalOf(std::max(ours.whole, theirs.whole) + 1, std::max(ours.fraction, theirs.fraction));
  } else if (op == ArithmeticOp::kMultiply) {
    result = DecimalOf(ours.whole + theirs.whole + 1, ours.fraction + theirs.fraction);
  }
  if (result == nullptr) return {};
  const auto as_wide = [&](const Digits& digits) {
    const int precision = digits.whole + digits.fraction;
    if (result->id() == arrow::Type::DECIMAL256) {
      return arrow::decimal256(precision, digits.fraction);
    }
    return arrow::decimal128(precision, digits.fraction);
  };
  return {as_wide(ours), as_wide(theirs), result};
}

/// A point in time or a length of time.
bool IsMoment(const arrow::DataType& type) {
  return type.id() == arrow::Type::TIMESTAMP || type.id() == arrow::Type::DURATION;
}

arrow::TimeUnit::type UnitOf(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DURATION) {
    return static_cast<const arrow::DurationType&>(type).unit();
  }
  return static_cast<const arrow::TimestampType&>(type).unit();
}

/// Both in the finer unit.
ArithmeticTypes TimeTypes(ArithmeticOp op, const TypePtr& left, const TypePtr& right) {
  const bool is_sum = op == ArithmeticOp::kAdd || op == ArithmeticOp::kSubtract;
  if (!is_sum || !IsMoment(*left) || !IsMoment(*right)) return {};
  const auto unit = std::max(UnitOf(*left), UnitOf(*right));
  const TypePtr length = arrow::duration(unit);
  const bool is_left_point = left->id() == arrow::Type::TIMESTAMP;
  const bool is_right_point = right->id() == arrow::Type::TIMESTAMP;
  if (!is_left_point && !is_right_point) return {length, length, length};
  const auto in_unit = [unit](const arrow::DataType& type) {
    return arrow::timestamp(unit, static_cast<const arrow::TimestampType&>(type).timezone());
  };
  if (is_left_point && is_right_point) {
    if (op == ArithmeticOp::kAdd) return {};
    const std::string& zone = static_cast<const arrow::TimestampType&>(*left).timezone();
    const TypePtr point = zone.empty() ? in_unit(*right) : in_unit(*left);
    return {point, point, length};
  }
  if (is_left_point) return {in_unit(*left), length, in_unit(*left)};
  if (op == ArithmeticOp::kSubtract) return {};
  return {length, in_unit(*right), in_unit(*right)};
}

}  // namespace

TypePtr CommonNumberType(const TypePtr& left, const TypePtr& right) {
  if (!IsNumberType(*left) || !IsNumberType(*right)) return nullptr;
  if (left->Equals(*right)) return left;
  for (const auto& floating : {arrow::float64(), arrow::float32()}) {
    if (left->Equals(*floating) || right->Equals(*floating)) return floating;
  }
  const bool is_left_signed = arrow::is_signed_integer(left->id());
  const bool is_right_signed = arrow::is_signed_integer(right->id());
  if (is_left_signed == is_right_signed) {
    return left->bit_width() > right->bit_width() ? left : right;
  }
  const TypePtr& with_sign = is_left_signed ? left : right;
  const TypePtr& without_sign = is_left_signed ? right : left;
  return SignedOf(std::max(with_sign->bit_width(), 2 * without_sign->bit_width()));
}

ArithmeticTypes TypesOf(ArithmeticOp op, const TypePtr& left, const TypePtr& right) {
  if (op == ArithmeticOp::kShiftLeft || op == ArithmeticOp::kShiftRight) {
    const TypePtr integer = CommonNumberType(left, right);
    if (integer == nullptr || !arrow::is_integer(integer->id())) return {};
    return {integer, integer, integer};
  }
  const bool has_decimal = IsDecimalType(*left) || IsDecimalType(*right);
  const bool has_float = arrow::is_floating(left->id()) || arrow::is_floating(right->id());
  if (has_decimal && has_float) return {arrow::float64(), arrow::float64(), arrow::float64()};
  if (has_decimal) return DecimalTypes(op, left, right);
  if (op == ArithmeticOp::kSubtract && left->id() == arrow::Type::DATE32 &&
      right->id() == arrow::Type::DATE32) {
    return {arrow::int64(), arrow::int64(), arrow::int64()};  // days
  }
  if (IsMoment(*left) || IsMoment(*right)) return TimeTypes(op, left, right);
  const TypePtr number = CommonNumberType(left, right);
  if (number == nullptr) return DecimalTypes(op, left, right);  // int64 with uint64
  return {number, number, number};
}

TypePtr CommonComparisonType(const TypePtr& left, const TypePtr& right) {
  if (left->Equals(*right)) return left;
  if (left->id() == arrow::Type::NA) return right;
  if (right->id() == arrow::Type::NA) return left;
  if (IsNumberType(*left) && IsNumberType(*right)) {
    auto number = CommonNumberType(left, right);
    return number != nullptr ? number : arrow::decimal128(kMostUnsignedDigits, 0);
  }
  if (IsDecimalType(*left) || IsDecimalType(*right)) {
    if (arrow::is_floating(left->id()) || arrow::is_floating(right->id())) return arrow::float64();
    if (IsTextType(*left)) return right;
    return IsTextType(*right) ? left : CommonDecimalType(left, right);
  }
  if (IsListType(*left) && IsListType(*right)) {
    auto element = CommonComparisonType(ElementTypeOf(*left), ElementTypeOf(*right));
    return element == nullptr ? nullptr : arrow::list(std::move(element));
  }
  if (IsTemporal(*left) && IsTemporal(*right)) return CommonTemporal(left, right);
  const bool is_left_bytes = IsTextType(*left) || IsBinary(*left);
  const bool is_right_bytes = IsTextType(*right) || IsBinary(*right);
  if (is_left_bytes && is_right_bytes) return CommonBytes(left, right);
  if (IsTextType(*left) && (IsNumberType(*right) || IsTemporal(*right))) return right;
  if (IsTextType(*right) && (IsNumberType(*left) || IsTemporal(*left))) return left;
  return nullptr;
}

}  // namespace lance::filter
