#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/format/encodings/value_buffer.h"

namespace lance_pb::encodings21 {
class CompressiveEncoding;
}

namespace lance::format {

/// Decodes the value buffers of one mini-block chunk (file-format 9, context "mini").
///
/// Made from a checked description; immutable, share freely.
class MiniBlockDecoder {
 public:
  virtual ~MiniBlockDecoder() = default;

  /// How many value buffers each chunk has.
  virtual int num_buffers() const = 0;

  /// Append the chunk's `num_values` values to `out`, whose width the decoder was made for.
  ///
  /// \param buffers untrusted bytes, num_buffers() of them
  /// \param num_values what the caller has checked to be at most 32768
  /// \return SerializationError when they are not what the encoding says; `out` is then garbage
  virtual arrow::Status Decode(std::span<const std::span<const std::byte>> buffers,
                               uint64_t num_values, ValueBuffer* out) const = 0;
};

/// Decodes one buffer of `num_values` values: levels and dictionaries (context "block").
class BlockDecoder {
 public:
  virtual ~BlockDecoder() = default;

  /// Append `num_values` values to `out`.
  ///
  /// \param bytes untrusted
  /// \return SerializationError when they are not what the encoding says, CapacityError when they
  ///   would expand to more than 128 MiB without proof in their size; `out` is then garbage
  virtual arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                               ValueBuffer* out) const = 0;
};

/// Find the decoder of a value encoding in the registry.
///
/// \param bits_per_value the width that the column's type wants; 0: variable width
/// \return NotImplemented + UnsupportedFeature naming an encoding that we do not have;
///   SerializationError when the encoding cannot hold such values or is malformed
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeMiniBlockDecoder(
    const lance_pb::encodings21::CompressiveEncoding& encoding, uint32_t bits_per_value);

/// The same for block context.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeBlockDecoder(
    const lance_pb::encodings21::CompressiveEncoding& encoding, uint32_t bits_per_value);

/// The value buffers of one chunk, encoded. A plain value.
struct EncodedChunk {
  uint64_t num_values = 0;
  std::vector<std::string> buffers;
};

/// A page's values, cut into chunks and encoded.
///
/// Every chunk but the last holds a power of two of at least 2 values; buffers of one chunk, with
/// `level_bytes_per_value` added for each value, stay within what a 2.1 chunk may hold (32 KiB).
struct EncodedMiniBlocks {
  /// Serialized CompressiveEncoding.
  std::string encoding;
  int num_buffers = 1;
  std::vector<EncodedChunk> chunks;
};

/// Choose the smallest of Flat and InlineBitpacking (fixed width), or Variable, and encode.
///
/// \param offset_bits of Variable: 32 for utf8, 64 for large types
/// \return CapacityError when two values do not fit one chunk (about 16 KiB each)
arrow::Result<EncodedMiniBlocks> EncodeMiniBlocks(const ValueBuffer& values,
                                                  uint32_t level_bytes_per_value,
                                                  uint32_t offset_bits = 32);

/// Levels (u16) of one page as a block codec, one buffer a chunk.
struct EncodedLevels {
  /// Serialized CompressiveEncoding.
  std::string encoding;
  std::vector<std::string> chunks;
};

/// Encode levels: OutOfLineBitpacking, or Flat where that is smaller.
///
/// \param chunk_sizes the number of levels in each chunk; they add up to levels.size()
EncodedLevels EncodeLevels(std::span<const uint16_t> levels, std::span<const uint64_t> chunk_sizes);

}  // namespace lance::format
