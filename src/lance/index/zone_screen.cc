#include "lance/index/zone_screen.h"

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"

namespace lance::index {
namespace {

using arrow::Type;

/// A literal interval in keys of 64 bits: zones below `low` or above `high` are apart from it.
struct KeySpan {
  uint64_t low = 0;
  uint64_t high = std::numeric_limits<uint64_t>::max();
};

/// Integers, and whatever is stored as one and ordered like it. Keys are OrderedValue::high.
template <typename T>
class IntegerKeys {
 public:
  static constexpr bool kMayBeNan = false;

  explicit IntegerKeys(const arrow::Array& array) : values_(array.data()->GetValues<T>(1)) {}

  uint64_t operator[](int64_t i) const {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<uint64_t>(int64_t{values_[i]}) ^ (uint64_t{1} << 63);
    } else {
      return values_[i];
    }
  }
  static bool IsNan(int64_t) { return false; }

 private:
  const T* values_;
};

/// Floats by their bits.
template <typename Bits, Bits kInfinity>
class FloatKeys {
  static constexpr Bits kSign =
      static_cast<Bits>(Bits{1} << (std::numeric_limits<Bits>::digits - 1));

 public:
  static constexpr bool kMayBeNan = true;

  explicit FloatKeys(const arrow::Array& array) : bits_(array.data()->GetValues<Bits>(1)) {}

  uint64_t operator[](int64_t i) const { return TotalOrderBits(bits_[i]); }
  bool IsNan(int64_t i) const { return static_cast<Bits>(bits_[i] & ~kSign) > kInfinity; }

 private:
  const Bits* bits_;
};

/// Strings by their first 8 bytes.
template <typename Offset>
class PrefixKeys {
 public:
  static constexpr bool kMayBeNan = false;

  explicit PrefixKeys(const arrow::Array& array)
      : offsets_(array.data()->GetValues<Offset>(1)),
        bytes_(array.data()->buffers[2] ? array.data()->buffers[2]->data() : nullptr) {}

  uint64_t operator[](int64_t i) const {
    const auto size = static_cast<size_t>(offsets_[i + 1] - offsets_[i]);
    uint64_t key = 0;
    if (size > 0) std::memcpy(&key, bytes_ + offsets_[i], size < 8 ? size : 8);
    return arrow::bit_util::FromBigEndian(key);
  }
  static bool IsNan(int64_t) { return false; }

 private:
  const Offset* offsets_;
  const uint8_t* bytes_;
};

template <typename Keys>
void Screen(const ZoneList& zones, const KeySpan& span, uint8_t* may) {
  const ZoneColumns& columns = zones.shared_columns();
  const Keys min(*columns.min), max(*columns.max);
  const bool has_unknown = columns.min->null_count() > 0 || columns.max->null_count() > 0;
  const int64_t first = zones.first_row();
  for (size_t i = 0; i < zones.size(); ++i) {
    const int64_t row = first + static_cast<int64_t>(i);
    const bool is_apart = (max[row] < span.low) | (min[row] > span.high);
    if (!is_apart) continue;
    if (has_unknown && (columns.min->IsNull(row) || columns.max->IsNull(row))) continue;
    if constexpr (Keys::kMayBeNan) {
      if (zones.nan_count(i) > 0 || min.IsNan(row) || max.IsNan(row)) continue;
    }
    may[i] = 0;
  }
}

}  // namespace

void ScreenZones(const ZoneList& zones, const LiteralSpan& span, uint8_t* may) {
  if (zones.empty() || span.low.is_nan() || span.high.is_nan()) return;
  KeySpan keys;
  if (span.low.is_known()) keys.low = span.low.high;
  if (span.high.is_known()) keys.high = span.high.high;
  switch (zones.type()->id()) {
    case Type::INT8:
      return Screen<IntegerKeys<int8_t>>(zones, keys, may);
    case Type::INT16:
      return Screen<IntegerKeys<int16_t>>(zones, keys, may);
    case Type::INT32:
    case Type::DATE32:
    case Type::TIME32:
      return Screen<IntegerKeys<int32_t>>(zones, keys, may);
    case Type::INT64:
    case Type::DATE64:
    case Type::TIME64:
    case Type::TIMESTAMP:
    case Type::DURATION:
      return Screen<IntegerKeys<int64_t>>(zones, keys, may);
    case Type::UINT8:
      return Screen<IntegerKeys<uint8_t>>(zones, keys, may);
    case Type::UINT16:
      return Screen<IntegerKeys<uint16_t>>(zones, keys, may);
    case Type::UINT32:
      return Screen<IntegerKeys<uint32_t>>(zones, keys, may);
    case Type::UINT64:
      return Screen<IntegerKeys<uint64_t>>(zones, keys, may);
    case Type::HALF_FLOAT:
      return Screen<FloatKeys<uint16_t, 0x7c00>>(zones, keys, may);
    case Type::FLOAT:
      return Screen<FloatKeys<uint32_t, 0x7f800000>>(zones, keys, may);
    case Type::DOUBLE:
      return Screen<FloatKeys<uint64_t, 0x7ff0000000000000>>(zones, keys, may);
    case Type::STRING:
    case Type::BINARY:
      return Screen<PrefixKeys<int32_t>>(zones, keys, may);
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return Screen<PrefixKeys<int64_t>>(zones, keys, may);
    default:
      return;  // few zones have decimals and bits for bounds: the closer look is enough
  }
}

}  // namespace lance::index
