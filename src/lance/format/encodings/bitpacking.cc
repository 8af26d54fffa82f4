#include "lance/format/encodings/bitpacking.h"

#include <array>
#include <cstring>

#include "lance/base/check.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance/format/encodings/vector_kernels.h"

namespace lance::format {

namespace {

constexpr std::array<uint32_t, 8> kRowOrder = {0, 4, 2, 6, 1, 5, 3, 7};

/// The value that lane 0 holds in a row; the other lanes follow it.
constexpr uint32_t FirstValueOfRow(uint32_t row) { return kRowOrder[row / 8] * 16 + row % 8 * 128; }

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
  LANCE_DCHECK(IsIntegerWidth(type_bits));
  return BestKernels().largest_bit_width(type_bits, values.data(), values.size() / (type_bits / 8));
}

void PackGroup(uint32_t type_bits, uint32_t width, const std::byte* values, std::byte* packed) {
  LANCE_DCHECK(IsIntegerWidth(type_bits) && width <= type_bits);
  if (width > 0) BestKernels().pack_group(type_bits, width, values, packed);
}

void UnpackGroup(uint32_t type_bits, uint32_t width, const std::byte* packed, std::byte* values) {
  LANCE_DCHECK(IsIntegerWidth(type_bits) && width <= type_bits);
  if (width == 0) {
    std::memset(values, 0, kGroupValues * type_bits / 8);
  } else {
    BestKernels().unpack_group(type_bits, width, packed, values);
  }
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
