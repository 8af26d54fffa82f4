#include "lance/index/ordered_value.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <limits>
#include <type_traits>

#include "arrow/api.h"

namespace lance::index {
namespace {

using arrow::Type;

OrderedValue FromUnsigned(uint64_t value) {
  return {.kind = OrderedValue::Kind::kOrdinary, .high = value};
}

OrderedValue FromSigned(int64_t value) {
  return FromUnsigned(static_cast<uint64_t>(value) ^ (uint64_t{1} << 63));
}

/// `infinity` is the bit pattern of the type's infinity: patterns above it are NaNs.
template <std::unsigned_integral Bits>
OrderedValue FromFloat(Bits bits, Bits infinity) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (std::numeric_limits<Bits>::digits - 1));
  const bool negative = (bits & kSign) != 0;
  if (static_cast<Bits>(bits & ~kSign) > infinity) {
    return {.kind = negative ? OrderedValue::Kind::kNegativeNan : OrderedValue::Kind::kPositiveNan};
  }
  return FromUnsigned(TotalOrderBits(bits));
}

OrderedValue FromBytes(std::string_view bytes) {
  OrderedValue value = FromUnsigned(0);
  value.bytes = bytes;
  const size_t prefix = std::min<size_t>(bytes.size(), 8);
  for (size_t i = 0; i < prefix; ++i) {
    value.high |= uint64_t{static_cast<uint8_t>(bytes[i])} << (56 - 8 * i);
  }
  return value;
}

OrderedValue FromDecimal(const arrow::Decimal128& value) {
  OrderedValue ordered = FromSigned(value.high_bits());
  ordered.low = value.low_bits();
  return ordered;
}

/// The words of 64 bits from the highest on, the first with its sign bit flipped.
OrderedValue FromDecimal(const arrow::Decimal256& value) {
  const auto words = value.little_endian_array();
  OrderedValue ordered = FromSigned(static_cast<int64_t>(words[3]));
  ordered.low = words[2];
  ordered.lowest = {words[1], words[0]};
  return ordered;
}

/// A scalar as the source of a value.
class ScalarSource {
 public:
  explicit ScalarSource(const arrow::Scalar& scalar) : scalar_(scalar) {}

  template <typename Type>
  auto Value() const {
    return static_cast<const typename arrow::TypeTraits<Type>::ScalarType&>(scalar_).value;
  }
  std::string_view Bytes() const {
    return std::string_view(*static_cast<const arrow::BaseBinaryScalar&>(scalar_).value);
  }

 private:
  const arrow::Scalar& scalar_;
};

/// An element of an array as the source of a value.
class ElementSource {
 public:
  ElementSource(const arrow::Array& array, int64_t row) : array_(array), row_(row) {}

  template <typename Type>
  auto Value() const {
    const auto& array = static_cast<const typename arrow::TypeTraits<Type>::ArrayType&>(array_);
    if constexpr (arrow::is_decimal_type<Type>::value) {
      return typename arrow::TypeTraits<Type>::ScalarType::ValueType(array.GetValue(row_));
    } else {
      return array.Value(row_);
    }
  }
  std::string_view Bytes() const {
    switch (array_.type_id()) {
      case Type::FIXED_SIZE_BINARY:
        return static_cast<const arrow::FixedSizeBinaryArray&>(array_).GetView(row_);
      case Type::LARGE_STRING:
      case Type::LARGE_BINARY:
        return static_cast<const arrow::LargeBinaryArray&>(array_).GetView(row_);
      default:
        return static_cast<const arrow::BinaryArray&>(array_).GetView(row_);
    }
  }

 private:
  const arrow::Array& array_;
  const int64_t row_;
};

/// Convert what is not null.
template <typename Source>
OrderedValue Convert(arrow::Type::type type, const Source& source) {
  switch (type) {
    case Type::BOOL:
      return FromUnsigned(source.template Value<arrow::BooleanType>() ? 1 : 0);
    case Type::INT8:
      return FromSigned(source.template Value<arrow::Int8Type>());
    case Type::INT16:
      return FromSigned(source.template Value<arrow::Int16Type>());
    case Type::INT32:
      return FromSigned(source.template Value<arrow::Int32Type>());
    case Type::INT64:
      return FromSigned(source.template Value<arrow::Int64Type>());
    case Type::UINT8:
      return FromUnsigned(source.template Value<arrow::UInt8Type>());
    case Type::UINT16:
      return FromUnsigned(source.template Value<arrow::UInt16Type>());
    case Type::UINT32:
      return FromUnsigned(source.template Value<arrow::UInt32Type>());
    case Type::UINT64:
      return FromUnsigned(source.template Value<arrow::UInt64Type>());
    case Type::HALF_FLOAT:
      return FromFloat<uint16_t>(source.template Value<arrow::HalfFloatType>(), 0x7c00);
    case Type::FLOAT:
      return FromFloat(std::bit_cast<uint32_t>(source.template Value<arrow::FloatType>()),
                       uint32_t{0x7f800000});
    case Type::DOUBLE:
      return FromFloat(std::bit_cast<uint64_t>(source.template Value<arrow::DoubleType>()),
                       uint64_t{0x7ff0000000000000});
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::FIXED_SIZE_BINARY:
      return FromBytes(source.Bytes());
    case Type::DATE32:
      return FromSigned(source.template Value<arrow::Date32Type>());
    case Type::DATE64:
      return FromSigned(source.template Value<arrow::Date64Type>());
    case Type::TIME32:
      return FromSigned(source.template Value<arrow::Time32Type>());
    case Type::TIME64:
      return FromSigned(source.template Value<arrow::Time64Type>());
    case Type::TIMESTAMP:
      return FromSigned(source.template Value<arrow::TimestampType>());
    case Type::DURATION:
      return FromSigned(source.template Value<arrow::DurationType>());
    case Type::DECIMAL128:
      return FromDecimal(source.template Value<arrow::Decimal128Type>());
    case Type::DECIMAL256:
      return FromDecimal(source.template Value<arrow::Decimal256Type>());
    default:
      return {};
  }
}

}  // namespace

bool HasOrder(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::BOOL:
    case Type::INT8:
    case Type::INT16:
    case Type::INT32:
    case Type::INT64:
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
    case Type::UINT64:
    case Type::HALF_FLOAT:
    case Type::FLOAT:
    case Type::DOUBLE:
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::DATE32:
    case Type::DATE64:
    case Type::TIME32:
    case Type::TIME64:
    case Type::TIMESTAMP:
    case Type::DURATION:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
    case Type::FIXED_SIZE_BINARY:
      return true;
    default:
      return false;
  }
}

bool IsFloat(const arrow::DataType& type) { return arrow::is_floating(type.id()); }

std::vector<std::shared_ptr<arrow::Scalar>> WithBothZeros(
    const std::shared_ptr<arrow::Scalar>& scalar) {
  if (scalar->type->id() == arrow::Type::HALF_FLOAT) {
    constexpr uint16_t kSign = 0x8000;
    const uint16_t bits = static_cast<const arrow::HalfFloatScalar&>(*scalar).value;
    if ((bits & ~kSign) != 0) return {scalar};
    return {std::make_shared<arrow::HalfFloatScalar>(kSign),
            std::make_shared<arrow::HalfFloatScalar>(uint16_t{0})};
  }
  if (scalar->type->id() == arrow::Type::FLOAT) {
    if (static_cast<const arrow::FloatScalar&>(*scalar).value != 0) return {scalar};
    return {std::make_shared<arrow::FloatScalar>(-0.0F),
            std::make_shared<arrow::FloatScalar>(0.0F)};
  }
  if (scalar->type->id() == arrow::Type::DOUBLE) {
    if (static_cast<const arrow::DoubleScalar&>(*scalar).value != 0) return {scalar};
    return {std::make_shared<arrow::DoubleScalar>(-0.0),
            std::make_shared<arrow::DoubleScalar>(0.0)};
  }
  return {scalar};
}

OrderedValue ToOrderedValue(const arrow::Scalar& scalar) {
  return scalar.is_valid ? Convert(scalar.type->id(), ScalarSource(scalar)) : OrderedValue();
}

OrderedValue ToOrderedValue(const arrow::Array& array, int64_t row) {
  return array.IsValid(row) ? Convert(array.type_id(), ElementSource(array, row)) : OrderedValue();
}

}  // namespace lance::index
