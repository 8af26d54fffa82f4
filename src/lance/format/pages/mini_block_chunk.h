#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arrow/result.h"

namespace lance::format {

/// Which parts the chunks of a page have. A plain value.
struct ChunkFormat {
  bool has_rep = false;
  bool has_def = false;
  int num_buffers = 1;
  /// Sizes of values have 32 bits, not 16.
  bool has_large_chunks = false;
};

/// One chunk of a mini-block page, cut into its parts; borrows the chunk's bytes.
///
///   u16 num_levels | [u16 rep size] | [u16 def size] | u16 or u32 value size x buffers | pad to 8
///   [repetition levels | pad to 8] | [definition levels | pad to 8] | each value buffer | pad to 8
///
/// Source: file-format 8.1.
struct MiniBlockChunk {
  /// As stored: may have wrapped, see CountLevels.
  uint16_t claimed_num_levels = 0;
  std::span<const std::byte> rep;
  std::span<const std::byte> def;
  std::vector<std::span<const std::byte>> buffers;
};

/// Cut a chunk into its parts.
///
/// \param[out] chunk its memory is reused
arrow::Status ParseMiniBlockChunk(std::span<const std::byte> bytes, const ChunkFormat& format,
                                  MiniBlockChunk* chunk);

/// Count the levels of a run-length block (file-format 9.4), whose runs alone know how many there
/// are when a chunk's count has wrapped.
///
/// \param claimed_num_levels what the chunk says
/// \return SerializationError when they do not agree modulo 2^16, or are more than 5 569 710
arrow::Result<uint64_t> CountRleLevels(std::span<const std::byte> block,
                                       uint16_t claimed_num_levels);

}  // namespace lance::format
