#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lance::format {

/// Values of one packed group; shorter input is padded to it.
inline constexpr uint64_t kGroupValues = 1024;

/// The size of one packed group: 1024 values of `width` bits.
constexpr uint64_t PackedGroupBytes(uint64_t width) { return kGroupValues / 8 * width; }

/// Count the bits that the largest of some unsigned integers needs; 0 when all are 0 or none is
/// there.
///
/// \param type_bits 8, 16, 32 or 64
/// \param values little-endian integers back to back; a rest that fills no integer is ignored
uint32_t LargestBitWidth(uint32_t type_bits, std::span<const std::byte> values);

/// Pack 1024 unsigned integers to `width` bits each, in the FastLanes order.
///
/// The order cuts the group into 1024 / type_bits lanes, each a bit stream of its own:
///
///     value[order[row / 8] * 16 + (row % 8) * 128 + lane]   at bit row * width of its lane
///     word[lanes * k + lane]                                 is word k of that lane
///
/// so that one shift works on all lanes at once. Any alignment will do.
///
/// \param type_bits 8, 16, 32 or 64
/// \param width 0 to type_bits; higher bits of the values are dropped
/// \param values 1024 * type_bits / 8 readable bytes
/// \param[out] packed PackedGroupBytes(width) writable bytes, all of them written; no overlap
///
/// Never fails, allocates nothing. Thread-safe. Source: file-format 9.3.
void PackGroup(uint32_t type_bits, uint32_t width, const std::byte* values, std::byte* packed);

/// Undo PackGroup. Reads PackedGroupBytes(width) bytes, writes 1024 * type_bits / 8.
void UnpackGroup(uint32_t type_bits, uint32_t width, const std::byte* packed, std::byte* values);

/// PackGroup bit by bit, straight from the specification: the oracle of its tests.
void PackGroupScalar(uint32_t type_bits, uint32_t width, const std::byte* values,
                     std::byte* packed);

/// UnpackGroup bit by bit: the oracle of its tests.
void UnpackGroupScalar(uint32_t type_bits, uint32_t width, const std::byte* packed,
                       std::byte* values);

}  // namespace lance::format
