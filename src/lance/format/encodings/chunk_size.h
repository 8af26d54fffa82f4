#pragma once

#include <cstdint>

namespace lance::format {

/// What a chunk of a 2.1 file may hold (12 bits of 8-byte words), header included.
inline constexpr uint64_t kMaxChunkBytes = 32768;

/// The most values that writers put into one chunk.
inline constexpr uint64_t kMaxChunkValues = 4096;

/// Bound a chunk's size: header, levels and one value buffer, all padded (file-format 8.1).
///
/// \param level_bytes_per_value repetition and definition levels as they are, not packed
constexpr uint64_t ChunkBytesBound(uint64_t num_values, uint64_t value_bytes,
                                   uint64_t level_bytes_per_value) {
  constexpr uint64_t kHeader = 8;
  constexpr uint64_t kPadding = 3 * 7;  // behind both level streams and the values
  return kHeader + kPadding + num_values * level_bytes_per_value + value_bytes;
}

}  // namespace lance::format
