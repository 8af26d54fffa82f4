#include "lance/format/encodings/bitpacking.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "lance/base/check.h"
#include "lance/format/encodings/unsigned_dispatch.h"

namespace lance::format {

namespace {

template <typename T>
inline constexpr uint32_t kBits = 8 * sizeof(T);

template <typename T>
inline constexpr uint32_t kLanes = kGroupValues / kBits<T>;

constexpr std::array<uint32_t, 8> kRowOrder = {0, 4, 2, 6, 1, 5, 3, 7};

/// The value that lane 0 holds in a row; the other lanes follow it.
constexpr uint32_t FirstValueOfRow(uint32_t row) { return kRowOrder[row / 8] * 16 + row % 8 * 128; }

template <typename T>
T LoadAt(const std::byte* bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void StoreAt(T value, std::byte* bytes, size_t index) {
  std::memcpy(bytes + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
constexpr T LowBits(uint32_t width) {
  return width == kBits<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << width % kBits<T>)-1);
}

// The row kernels. Shifts are template arguments because only constant shifts of 8- and 16-bit
// integers stay in narrow vector lanes; one kernel per shift (not per width) keeps the code small.
// Constant trip counts and __restrict let plain -O2 vectorise them.

template <typename T, uint32_t kShift, bool kSpills>
void UnpackRow(const std::byte* __restrict words, T mask, std::byte* __restrict values) {
  for (uint32_t lane = 0; lane < kLanes<T>; ++lane) {
    T value = static_cast<T>(LoadAt<T>(words, lane) >> kShift);
    if constexpr (kSpills) {
      value |= static_cast<T>(LoadAt<T>(words, kLanes<T> + lane) << (kBits<T> - kShift));
    }
    StoreAt<T>(value & mask, values, lane);
  }
}

/// A word's first touch is a store, so that the output needs no clearing.
template <typename T, uint32_t kShift, bool kSpills>
void PackRow(const std::byte* __restrict values, T mask, std::byte* __restrict words) {
  for (uint32_t lane = 0; lane < kLanes<T>; ++lane) {
    const T value = LoadAt<T>(values, lane) & mask;
    if constexpr (kShift == 0) {
      StoreAt<T>(value, words, lane);
    } else {
      StoreAt<T>(static_cast<T>(LoadAt<T>(words, lane) | value << kShift), words, lane);
    }
    if constexpr (kSpills) {
      StoreAt<T>(static_cast<T>(value >> (kBits<T> - kShift)), words, kLanes<T> + lane);
    }
  }
}

template <typename T>
using RowKernel = void (*)(const std::byte*, T, std::byte*);

/// Kernels by shift * 2 + spills. No row with shift 0 spills.
template <typename T, size_t... kIndex>
constexpr std::array<RowKernel<T>, sizeof...(kIndex)> UnpackKernels(
    std::index_sequence<kIndex...>) {
  return {UnpackRow < T, kIndex / 2, kIndex % 2 == 1 && kIndex != 1 > ...};
}

template <typename T, size_t... kIndex>
constexpr std::array<RowKernel<T>, sizeof...(kIndex)> PackKernels(std::index_sequence<kIndex...>) {
  return {PackRow < T, kIndex / 2, kIndex % 2 == 1 && kIndex != 1 > ...};
}

template <typename T>
constexpr auto kUnpackKernels = UnpackKernels<T>(std::make_index_sequence<2 * kBits<T>>());

template <typename T>
constexpr auto kPackKernels = PackKernels<T>(std::make_index_sequence<2 * kBits<T>>());

/// Where a row's bits lie in its lane.
template <typename T>
struct RowPlace {
  RowPlace(uint32_t row, uint32_t width)
      : word(row * width / kBits<T>), shift(row * width % kBits<T>) {
    kernel = shift * 2 + (shift + width > kBits<T> ? 1 : 0);
  }
  uint32_t word;
  uint32_t shift;
  uint32_t kernel;
  size_t byte_offset() const { return size_t{word} * kLanes<T> * sizeof(T); }
};

template <typename T>
void PackRows(uint32_t width, const std::byte* values, std::byte* packed) {
  for (uint32_t row = 0; row < kBits<T>; ++row) {
    const RowPlace<T> place(row, width);
    kPackKernels<T>[place.kernel](values + FirstValueOfRow(row) * sizeof(T), LowBits<T>(width),
                                  packed + place.byte_offset());
  }
}

template <typename T>
void UnpackRows(uint32_t width, const std::byte* packed, std::byte* values) {
  for (uint32_t row = 0; row < kBits<T>; ++row) {
    const RowPlace<T> place(row, width);
    kUnpackKernels<T>[place.kernel](packed + place.byte_offset(), LowBits<T>(width),
                                    values + FirstValueOfRow(row) * sizeof(T));
  }
}

/// Call `visit` with each value's index and the place of its bits in the packed group.
template <typename Visit>
void ForEachBit(uint32_t type_bits, uint32_t width, Visit&& visit) {
  const uint32_t lanes = static_cast<uint32_t>(kGroupValues) / type_bits;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    for (uint32_t row = 0; row < type_bits; ++row) {
      for (uint32_t i = 0; i < width; ++i) {
        const uint32_t bit = row * width + i;
        const uint32_t word = bit / type_bits * lanes + lane;
        const uint32_t value = FirstValueOfRow(row) + lane;
        visit(size_t{value} * type_bits + i, size_t{word} * type_bits + bit % type_bits);
      }
    }
  }
}

bool BitAt(const std::byte* bytes, size_t bit) {
  return (bytes[bit / 8] >> (bit % 8) & std::byte{1}) != std::byte{0};
}

void SetBit(std::byte* bytes, size_t bit) { bytes[bit / 8] |= std::byte{1} << (bit % 8); }

}  // namespace

uint32_t LargestBitWidth(uint32_t type_bits, std::span<const std::byte> values) {
  return DispatchUnsigned(type_bits, [&]<typename T>(T all) {
    const size_t num_values = values.size() / sizeof(T);
    for (size_t i = 0; i < num_values; ++i) all |= LoadAt<T>(values.data(), i);
    return static_cast<uint32_t>(std::bit_width(all));
  });
}

void PackGroup(uint32_t type_bits, uint32_t width, const std::byte* values, std::byte* packed) {
  LANCE_DCHECK(width <= type_bits);
  if (width == 0) return;
  DispatchUnsigned(type_bits, [&]<typename T>(T) { PackRows<T>(width, values, packed); });
}

void UnpackGroup(uint32_t type_bits, uint32_t width, const std::byte* packed, std::byte* values) {
  LANCE_DCHECK(width <= type_bits);
  if (width == 0) {
    std::memset(values, 0, kGroupValues * type_bits / 8);
    return;
  }
  DispatchUnsigned(type_bits, [&]<typename T>(T) { UnpackRows<T>(width, packed, values); });
}

void PackGroupScalar(uint32_t type_bits, uint32_t width, const std::byte* values,
                     std::byte* packed) {
  std::memset(packed, 0, PackedGroupBytes(width));
  ForEachBit(type_bits, width, [&](size_t value_bit, size_t packed_bit) {
    if (BitAt(values, value_bit)) SetBit(packed, packed_bit);
  });
}

void UnpackGroupScalar(uint32_t type_bits, uint32_t width, const std::byte* packed,
                       std::byte* values) {
  std::memset(values, 0, kGroupValues * type_bits / 8);
  ForEachBit(type_bits, width, [&](size_t value_bit, size_t packed_bit) {
    if (BitAt(packed, packed_bit)) SetBit(values, value_bit);
  });
}

}  // namespace lance::format
