#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lance/format/file_version.h"

namespace lance_pb::encodings21 {
class CompressiveEncoding;
}

namespace lance::format {

/// How one level stream of a page is stored, block by block. Borrows the levels.
///
/// Flat, OutOfLineBitpacking, or from 2.2 on Rle: what takes the fewest bytes. Source: file-format
/// 9.9.
class LevelCodec {
 public:
  /// Choose how to store some levels.
  ///
  /// \param levels one or more, fewer than 2^32
  /// \param block_levels about how many levels a block will have
  LevelCodec(std::span<const uint16_t> levels, uint64_t block_levels, FileVersion version);

  /// Describe the encoding.
  void Describe(lance_pb::encodings21::CompressiveEncoding* encoding) const;

  /// The bytes of the block of levels [first, first + count).
  uint64_t BlockBytes(uint64_t first, uint64_t count) const;

  /// Append that block.
  void AppendBlock(uint64_t first, uint64_t count, std::string* out) const;

  /// About what all blocks take.
  uint64_t estimated_bytes() const { return estimated_bytes_; }

 private:
  enum class Kind : uint8_t { kFlat, kPacked, kRuns };

  /// Call `visit(level, length)` for the runs of a block, each at most 255 long.
  template <typename Visit>
  void ForEachRun(uint64_t first, uint64_t count, Visit&& visit) const;

  std::span<const uint16_t> levels_;
  Kind kind_ = Kind::kFlat;
  uint32_t width_ = 16;
  uint64_t estimated_bytes_ = 0;
  /// Runs only: where each run begins.
  std::vector<uint32_t> run_starts_;
};

}  // namespace lance::format
