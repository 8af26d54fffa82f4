#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance::format {

/// The most bytes that a chunk of format 2.1 can have: 4096 words of 8 bytes.
inline constexpr uint64_t kMaxChunkBytes = 32 << 10;

/// Where the chunks of a mini-block page are and which rows they hold. A plain value.
///
/// One that ParseChunkTable gave is proof that the chunks fill the page's chunk buffer and hold
/// exactly its rows, at least one each.
class ChunkTable {
 public:
  /// Where a chunk begins. A plain value.
  struct Start {
    uint64_t byte = 0;  // in the chunk buffer
    uint64_t row = 0;   // in the page
  };

  ChunkTable() : starts_(1) {}
  /// \param starts one per chunk, and one behind the last
  explicit ChunkTable(std::vector<Start> starts) : starts_(std::move(starts)) {}

  size_t num_chunks() const { return starts_.size() - 1; }
  const Start& begin_of(size_t chunk) const { return starts_[chunk]; }
  const Start& end_of(size_t chunk) const { return starts_[chunk + 1]; }

  /// The chunk that holds a row of the page. \pre row is one of the page's
  size_t ChunkOfRow(uint64_t row) const;

 private:
  std::vector<Start> starts_;
};

/// Parse the page's first buffer: one u16 word a chunk.
///
///   bits 0-3: log2 of the chunk's values, for all but the last | bits 4-15: size / 8 - 1
///
/// \param num_rows the page's rows, 1 or more
/// \param chunk_bytes the size of the page's second buffer
arrow::Result<ChunkTable> ParseChunkTable(std::span<const std::byte> words, uint64_t num_rows,
                                          uint64_t chunk_bytes);

/// One chunk of a mini-block page, cut into its parts; borrows the chunk's bytes.
///
///   u16 num_levels | [u16 definition size] | u16 value size x buffers | pad to 8
///   [definition levels | pad to 8] | each value buffer | pad to 8
///
/// Source: file-format 8.1.
struct MiniBlockChunk {
  uint64_t num_levels = 0;
  std::span<const std::byte> levels;
  std::vector<std::span<const std::byte>> buffers;
};

/// Cut a chunk into its parts.
///
/// \param has_levels whether the page has definition levels
/// \param chunk the result; its buffers are as many as the page's encoding has
arrow::Status ParseMiniBlockChunk(std::span<const std::byte> bytes, bool has_levels,
                                  int num_buffers, MiniBlockChunk* chunk);

/// The two buffers of a mini-block page being written.
struct MiniBlockBuffers {
  std::string words;
  std::string chunks;
};

/// Append one chunk.
///
/// \param levels the chunk's encoded definition levels, null when the page has none
/// \param is_last whether it is the page's last chunk, which says nothing about its value count
/// \return CapacityError when the chunk would be larger than kMaxChunkBytes
arrow::Status AppendMiniBlockChunk(const EncodedChunk& chunk, const std::string* levels,
                                   bool is_last, MiniBlockBuffers* page);

}  // namespace lance::format
