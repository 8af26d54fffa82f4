#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"

namespace lance::index {

/// Whether a zonemap has an order for a type (zonemap-and-indices 2.6).
///
/// True for integers, floats, bool, strings, binaries of any kind, dates, times, timestamps,
/// durations and decimals.
bool HasOrder(const arrow::DataType& type);

/// Whether a type has NaNs.
bool IsFloat(const arrow::DataType& type);

/// The bits of a float as a number that orders like the float does in the total order.
template <std::unsigned_integral Bits>
constexpr Bits TotalOrderBits(Bits bits) {
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (std::numeric_limits<Bits>::digits - 1));
  return static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
}

/// One value of an ordered type in a form that compares fast.
///
/// Ordinary values of one type compare as zonemap-and-indices 2.6 says; floats by IEEE 754 total
/// order, where every NaN of one sign is the same. Values of different types must not be compared.
/// Borrows the scalar that it was made from.
struct OrderedValue {
  /// What kind of value it is; ascending in the order of values.
  enum class Kind : uint8_t {
    kUnknown,  ///< Null, or of a type without an order. Never compared.
    kNegativeNan,
    kOrdinary,
    kPositiveNan,
  };

  Kind kind = Kind::kUnknown;
  uint64_t high = 0;                 // orders like the value, equal for some different strings
  uint64_t low = 0;                  // decides between decimals of equal `high`
  std::array<uint64_t, 2> lowest{};  // and between decimals of 256 bits that are equal so far
  std::string_view bytes{};          // decides between strings of equal `high`

  bool is_known() const { return kind != Kind::kUnknown; }
  bool is_ordinary() const { return kind == Kind::kOrdinary; }
  bool is_nan() const { return kind == Kind::kNegativeNan || kind == Kind::kPositiveNan; }
};

/// Compare two known values of one type.
inline std::strong_ordering operator<=>(const OrderedValue& lhs, const OrderedValue& rhs) {
  if (const auto order = lhs.kind <=> rhs.kind; order != 0) return order;
  if (const auto order = lhs.high <=> rhs.high; order != 0) return order;
  if (const auto order = lhs.low <=> rhs.low; order != 0) return order;
  if (const auto order = lhs.lowest <=> rhs.lowest; order != 0) return order;
  return lhs.bytes <=> rhs.bytes;
}

/// Whether two known values of one type are equal.
inline bool operator==(const OrderedValue& lhs, const OrderedValue& rhs) {
  return (lhs <=> rhs) == 0;
}

/// The values that a filter for one means: of a zero of a float type -0.0 and 0.0, ascending; of
/// every other value itself. \pre valid
std::vector<std::shared_ptr<arrow::Scalar>> WithBothZeros(
    const std::shared_ptr<arrow::Scalar>& scalar);

/// Convert a scalar. \return an unknown value for null and for types without an order
OrderedValue ToOrderedValue(const arrow::Scalar& scalar);

/// Convert one element of an array, which it borrows.
OrderedValue ToOrderedValue(const arrow::Array& array, int64_t row);

}  // namespace lance::index
