#include "lance/dataset/filter/float_order.h"

#include <cstring>
#include <limits>

#include "arrow/api.h"
#include "arrow/util/bitmap_ops.h"

namespace lance::filter {

namespace {

using BooleanResult = arrow::Result<std::shared_ptr<arrow::BooleanArray>>;

/// What belongs to a float type: the array, the scalar and the integer that keys have.
template <typename ArrowType>
struct FloatTraits;

template <>
struct FloatTraits<arrow::HalfFloatType> {
  using Key = int16_t;
};

template <>
struct FloatTraits<arrow::FloatType> {
  using Key = int32_t;
};

template <>
struct FloatTraits<arrow::DoubleType> {
  using Key = int64_t;
};

/// The integer whose order is the total order of floats.
///
/// Bits of positive floats ascend already; those of negative ones descend, so all but the sign
/// flip.
template <typename Key>
Key OrderedKey(Key bits) {
  constexpr int kSignShift = std::numeric_limits<Key>::digits;
  return static_cast<Key>(bits ^ ((bits >> kSignShift) & std::numeric_limits<Key>::max()));
}

template <typename Key, typename Float>
Key KeyOf(Float value) {
  static_assert(sizeof(Key) == sizeof(Float));
  Key bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return OrderedKey(bits);
}

/// Keys from low to high, or all others.
template <typename Key>
struct KeyRange {
  Key low;
  Key high;
  bool inverted = false;
};

/// The keys for which `key op literal` holds. Both zeros are neighbours, so that a zero literal is
/// the range of the two.
template <typename Key>
KeyRange<Key> RangeFor(CompareOp op, Key literal) {
  constexpr Key kLowest = std::numeric_limits<Key>::min();
  constexpr Key kHighest = std::numeric_limits<Key>::max();
  constexpr Key kNegativeZero = -1;
  constexpr Key kPositiveZero = 0;
  constexpr KeyRange<Key> kNothing{1, 0};
  const bool is_zero = literal == kNegativeZero || literal == kPositiveZero;
  const Key first = is_zero ? kNegativeZero : literal;
  const Key last = is_zero ? kPositiveZero : literal;
  switch (op) {
    case CompareOp::kEqual:
      return {first, last};
    case CompareOp::kNotEqual:
      return {first, last, true};
    case CompareOp::kLess:
      return first == kLowest ? kNothing : KeyRange<Key>{kLowest, static_cast<Key>(first - 1)};
    case CompareOp::kLessEqual:
      return {kLowest, last};
    case CompareOp::kGreater:
      return last == kHighest ? kNothing : KeyRange<Key>{static_cast<Key>(last + 1), kHighest};
    case CompareOp::kGreaterEqual:
      return {first, kHighest};
  }
  return kNothing;
}

/// Build a bitmap of `length` bits from a function of the position.
template <typename Test>
arrow::Result<std::shared_ptr<arrow::Buffer>> MakeBitmap(int64_t length, Test test) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bitmap, arrow::AllocateBitmap(length));
  uint8_t* bytes = bitmap->mutable_data();
  const int64_t full_bytes = length / 8;
  for (int64_t byte = 0; byte < full_bytes; ++byte) {
    uint32_t bits = 0;
    for (int bit = 0; bit < 8; ++bit) {
      bits |= static_cast<uint32_t>(test(byte * 8 + bit)) << bit;
    }
    bytes[byte] = static_cast<uint8_t>(bits);
  }
  if (length % 8 == 0) return bitmap;
  uint32_t bits = 0;
  for (int64_t i = full_bytes * 8; i < length; ++i) {
    bits |= static_cast<uint32_t>(test(i)) << (i % 8);
  }
  bytes[full_bytes] = static_cast<uint8_t>(bits);
  return bitmap;
}

/// The validity of an array from its first row on; null when all rows are valid.
arrow::Result<std::shared_ptr<arrow::Buffer>> ValidityOf(const arrow::Array& array) {
  if (array.null_count() == 0) return std::shared_ptr<arrow::Buffer>();
  if (array.offset() == 0) return array.null_bitmap();
  return arrow::internal::CopyBitmap(arrow::default_memory_pool(), array.null_bitmap_data(),
                                     array.offset(), array.length());
}

arrow::Result<std::shared_ptr<arrow::Buffer>> JointValidity(const arrow::Array& left,
                                                            const arrow::Array& right) {
  if (left.null_count() == 0) return ValidityOf(right);
  if (right.null_count() == 0) return ValidityOf(left);
  return arrow::internal::BitmapAnd(arrow::default_memory_pool(), left.null_bitmap_data(),
                                    left.offset(), right.null_bitmap_data(), right.offset(),
                                    left.length(), /*out_offset=*/0);
}

template <typename ArrowType>
BooleanResult CompareWithLiteral(CompareOp op, const arrow::Array& values,
                                 const arrow::Scalar& literal) {
  using Key = typename FloatTraits<ArrowType>::Key;
  using ScalarType = typename arrow::TypeTraits<ArrowType>::ScalarType;
  const auto range = RangeFor(op, KeyOf<Key>(static_cast<const ScalarType&>(literal).value));
  const auto* floats = static_cast<const arrow::NumericArray<ArrowType>&>(values).raw_values();
  const auto test = [range, floats](int64_t i) {
    const Key key = KeyOf<Key>(floats[i]);
    return ((key >= range.low) & (key <= range.high)) != range.inverted;
  };
  ARROW_ASSIGN_OR_RAISE(auto bitmap, MakeBitmap(values.length(), test));
  ARROW_ASSIGN_OR_RAISE(auto validity, ValidityOf(values));
  return std::make_shared<arrow::BooleanArray>(values.length(), bitmap, validity);
}

/// Compare the keys that two functions of the position give.
arrow::Result<std::shared_ptr<arrow::Buffer>> CompareKeys(CompareOp op, int64_t length, auto left,
                                                          auto right) {
  switch (op) {
    case CompareOp::kEqual:
      return MakeBitmap(length, [=](int64_t i) { return left(i) == right(i); });
    case CompareOp::kNotEqual:
      return MakeBitmap(length, [=](int64_t i) { return left(i) != right(i); });
    case CompareOp::kLess:
      return MakeBitmap(length, [=](int64_t i) { return left(i) < right(i); });
    case CompareOp::kLessEqual:
      return MakeBitmap(length, [=](int64_t i) { return left(i) <= right(i); });
    case CompareOp::kGreater:
      return MakeBitmap(length, [=](int64_t i) { return left(i) > right(i); });
    case CompareOp::kGreaterEqual:
      return MakeBitmap(length, [=](int64_t i) { return left(i) >= right(i); });
  }
  return MakeBitmap(length, [](int64_t) { return false; });
}

template <typename ArrowType>
BooleanResult CompareArrays(CompareOp op, const arrow::Array& left, const arrow::Array& right) {
  using Key = typename FloatTraits<ArrowType>::Key;
  const auto* left_floats = static_cast<const arrow::NumericArray<ArrowType>&>(left).raw_values();
  const auto* right_floats = static_cast<const arrow::NumericArray<ArrowType>&>(right).raw_values();
  const auto left_key = [left_floats](int64_t i) { return KeyOf<Key>(left_floats[i]); };
  const auto right_key = [right_floats](int64_t i) { return KeyOf<Key>(right_floats[i]); };
  ARROW_ASSIGN_OR_RAISE(auto bitmap, CompareKeys(op, left.length(), left_key, right_key));
  ARROW_ASSIGN_OR_RAISE(auto validity, JointValidity(left, right));
  return std::make_shared<arrow::BooleanArray>(left.length(), bitmap, validity);
}

template <typename FloatType, typename KeyType>
arrow::Result<std::shared_ptr<arrow::Array>> KeysOf(const arrow::Array& values) {
  using Key = typename KeyType::c_type;
  const auto& floats = static_cast<const arrow::NumericArray<FloatType>&>(values);
  arrow::NumericBuilder<KeyType> builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(values.length()));
  for (int64_t i = 0; i < values.length(); ++i) {
    if (floats.IsNull(i)) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(KeyOf<Key>(floats.Value(i)));
    }
  }
  return builder.Finish();
}

}  // namespace

BooleanResult CompareFloatsWithLiteral(CompareOp op, const arrow::Array& values,
                                       const arrow::Scalar& literal) {
  if (values.type_id() == arrow::Type::HALF_FLOAT) {
    return CompareWithLiteral<arrow::HalfFloatType>(op, values, literal);
  }
  if (values.type_id() == arrow::Type::FLOAT) {
    return CompareWithLiteral<arrow::FloatType>(op, values, literal);
  }
  return CompareWithLiteral<arrow::DoubleType>(op, values, literal);
}

BooleanResult CompareFloats(CompareOp op, const arrow::Array& left, const arrow::Array& right) {
  if (left.type_id() == arrow::Type::HALF_FLOAT) {
    return CompareArrays<arrow::HalfFloatType>(op, left, right);
  }
  if (left.type_id() == arrow::Type::FLOAT) {
    return CompareArrays<arrow::FloatType>(op, left, right);
  }
  return CompareArrays<arrow::DoubleType>(op, left, right);
}

arrow::Result<std::shared_ptr<arrow::Array>> TotalOrderKeys(const arrow::Array& values) {
  switch (values.type_id()) {
    case arrow::Type::HALF_FLOAT:
      return KeysOf<arrow::HalfFloatType, arrow::Int16Type>(values);
    case arrow::Type::FLOAT:
      return KeysOf<arrow::FloatType, arrow::Int32Type>(values);
    default:
      return KeysOf<arrow::DoubleType, arrow::Int64Type>(values);
  }
}

}  // namespace lance::filter
