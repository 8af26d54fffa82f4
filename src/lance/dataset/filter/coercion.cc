#include "lance/dataset/filter/coercion.h"

#include <algorithm>

#include "arrow/api.h"

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

bool IsTemporal(const arrow::DataType& type) {
  return type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::TIMESTAMP;
}

TypePtr CommonTemporal(const TypePtr& left, const TypePtr& right) {
  const bool is_left_date = left->id() == arrow::Type::DATE32;
  const bool is_right_date = right->id() == arrow::Type::DATE32;
  if (is_left_date) return right;
  if (is_right_date) return left;
  return CommonTimestamp(static_cast<const arrow::TimestampType&>(*left),
                         static_cast<const arrow::TimestampType&>(*right));
}

bool IsBinary(const arrow::DataType& type) {
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::LARGE_BINARY;
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

TypePtr CommonComparisonType(const TypePtr& left, const TypePtr& right) {
  if (left->Equals(*right)) return left;
  if (left->id() == arrow::Type::NA) return right;
  if (right->id() == arrow::Type::NA) return left;
  if (IsNumberType(*left) && IsNumberType(*right)) {
    auto number = CommonNumberType(left, right);
    return number != nullptr ? number : arrow::decimal128(kMostUnsignedDigits, 0);
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
