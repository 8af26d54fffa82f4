#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lance/base/byte_reader.h"
#include "lance/format/encodings/value_buffer.h"

namespace lance::format {

/// The shape of integers or floats of type T.
template <typename T>
ValueShape ShapeOf(std::vector<uint32_t> dimensions = {}) {
  return {.bits_per_value = 8 * sizeof(T), .dimensions = std::move(dimensions)};
}

/// Integers as their bytes.
template <typename T>
std::string Integers(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A buffer's bytes as text.
inline std::string Text(const ByteBuffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Integers of type T back to back.
template <typename T>
std::vector<T> IntegersOf(const ByteBuffer& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// The first bits as digits, the first bit first.
inline std::string Digits(const ByteBuffer& bits, uint64_t num_bits) {
  std::string digits;
  for (uint64_t i = 0; i < num_bits; ++i) {
    const bool bit = std::to_integer<int>(bits.data()[i / 8] >> (i % 8)) & 1;
    digits.push_back(bit ? '1' : '0');
  }
  return digits;
}

/// Bits from digits, behind which every bit is 1.
inline std::string PackedDigits(std::string_view digits) {
  std::string bytes((digits.size() + 7) / 8, '\xff');
  for (size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] == '0') bytes[i / 8] = static_cast<char>(bytes[i / 8] & ~(1 << i % 8));
  }
  return bytes;
}

/// Values of fixed width; fixed-size lists have `dimensions`.
template <typename T>
ValueBuffer FixedValues(const std::vector<T>& values, std::vector<uint32_t> dimensions = {}) {
  ValueBuffer buffer(ShapeOf<T>(std::move(dimensions)), nullptr);
  buffer.num_values = values.size() / buffer.items_per_value;
  buffer.bytes.Append(AsBytes(Integers(values)));
  return buffer;
}

/// Bools from digits.
inline ValueBuffer BoolValues(std::string_view digits, std::vector<uint32_t> dimensions = {}) {
  ValueBuffer buffer({.bits_per_value = 1, .dimensions = std::move(dimensions)}, nullptr);
  buffer.num_values = digits.size() / buffer.items_per_value;
  buffer.bytes.Append(AsBytes(PackedDigits(digits)));
  return buffer;
}

/// Values of variable width.
inline ValueBuffer VariableValues(const std::vector<std::string>& values,
                                  uint32_t offset_bits = 32) {
  ValueBuffer buffer({.offset_bits = offset_bits}, nullptr);
  for (const std::string& value : values) {
    const uint64_t end = buffer.bytes.size() + value.size();
    std::memcpy(GrowOffsets(1, &buffer), &end, offset_bits / 8);
    buffer.bytes.Append(AsBytes(value));
  }
  return buffer;
}

/// Cut a variable-width buffer into its values.
inline std::vector<std::string> Strings(const ValueBuffer& buffer) {
  std::vector<std::string> values;
  const std::string bytes = Text(buffer.bytes);
  for (uint64_t i = 0; i < buffer.num_values; ++i) {
    values.push_back(bytes.substr(buffer.offset(i), buffer.offset(i + 1) - buffer.offset(i)));
  }
  return values;
}

}  // namespace lance::format
