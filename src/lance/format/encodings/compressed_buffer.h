#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "arrow/result.h"
#include "arrow/util/type_fwd.h"
#include "lance/format/byte_buffer.h"

namespace lance_pb::encodings21 {
class BufferCompression;
}

namespace lance::format {

/// The general compressors that files use.
enum class CompressionScheme : uint8_t { kLz4, kZstd };

/// The most that a stored buffer may decompress to. Only bytes that really come out count: memory
/// grows with them, whatever the buffer claims.
inline constexpr uint64_t kMaxDecompressedBytes = uint64_t{1} << 30;

/// Check a compressor's message.
///
/// \return SerializationError when no scheme is set; NotImplemented + UnsupportedFeature for one of
///   no released format version
arrow::Result<CompressionScheme> ParseCompressionScheme(
    const lance_pb::encodings21::BufferCompression& compression);

/// Decompresses stored buffers, one after the other. Not thread-safe; cheap to make.
///
///     lz4    u32 size | one raw LZ4 block
///     zstd   u64 size | one zstd frame; or a bare frame; empty stays empty
///
/// Source: file-format 9.6; also of 2.0.
class BufferDecompressor {
 public:
  static arrow::Result<BufferDecompressor> Make(CompressionScheme scheme);
  BufferDecompressor(BufferDecompressor&&) noexcept;
  BufferDecompressor& operator=(BufferDecompressor&&) noexcept;
  ~BufferDecompressor();

  /// Append what a stored buffer holds.
  ///
  /// \param stored untrusted bytes
  /// \return SerializationError when they are not what they claim, CapacityError when more than
  ///   kMaxDecompressedBytes come out; `out` is then garbage
  arrow::Status Append(std::span<const std::byte> stored, ByteBuffer* out);

 private:
  BufferDecompressor(CompressionScheme scheme, std::unique_ptr<arrow::util::Codec> codec);

  arrow::Status AppendLz4(std::span<const std::byte> stored, ByteBuffer* out);
  arrow::Status AppendZstd(std::span<const std::byte> stored, ByteBuffer* out);
  arrow::Status AppendWhole(std::span<const std::byte> payload, uint64_t size, ByteBuffer* out);
  arrow::Status AppendStream(std::span<const std::byte> frame, ByteBuffer* out);

  CompressionScheme scheme_;
  std::unique_ptr<arrow::util::Codec> codec_;
};

}  // namespace lance::format
