#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lance::format {

/// Values without nulls, as codecs take and give them: fixed width, or variable width. A plain
/// value.
struct ValueBuffer {
  /// 1 (bools, one bit each, least significant first) or a multiple of 8; 0: variable width.
  uint32_t bits_per_value = 0;
  uint64_t num_values = 0;
  /// Fixed width: the values back to back, little-endian. Variable width: all bytes back to back.
  std::string bytes = {};
  /// Variable width: num_values + 1 positions in `bytes`, the first 0. Fixed width: empty.
  std::vector<uint64_t> offsets = {};

  /// Whether values have no fixed width.
  bool is_variable() const { return bits_per_value == 0; }
};

/// Append room for values of whole bytes.
///
/// \pre bits_per_value is a multiple of 8, not 0; the caller has proven that the size is sane
/// \return where to write them; valid until `out` changes
inline std::byte* GrowFixed(uint64_t num_values, ValueBuffer* out) {
  const size_t old_bytes = out->bytes.size();
  out->bytes.resize(old_bytes + num_values * (out->bits_per_value / 8));
  out->num_values += num_values;
  return reinterpret_cast<std::byte*>(out->bytes.data()) + old_bytes;
}

}  // namespace lance::format
