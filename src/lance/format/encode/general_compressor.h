#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "arrow/result.h"
#include "arrow/util/compression.h"
#include "lance/format/encode/chunk_encoder.h"
#include "lance/format/encode/encoding_hints.h"

namespace lance_pb::encodings21 {
class BufferCompression;
}

namespace lance::format {

/// LZ4 or zstd, framed as buffers of data files are. Thread-compatible.
///
/// Source: file-format 9.6. LZ4: u32 uncompressed size, then one block. Zstd: u64 size, one frame.
class GeneralCompressor {
 public:
  /// \param compression kLz4 or kZstd
  /// \param level clamped to what the compressor has
  static arrow::Result<std::shared_ptr<const GeneralCompressor>> Make(Compression compression,
                                                                      std::optional<int> level);

  /// Describe the compressor.
  void Describe(lance_pb::encodings21::BufferCompression* compression) const;

  /// Append the compressed form of some bytes. \return CapacityError for 4 GiB and more under LZ4
  arrow::Status Append(std::span<const std::byte> bytes, std::string* out) const;

  /// Bound the compressed size.
  uint64_t Bound(uint64_t num_bytes) const;

 private:
  GeneralCompressor(Compression compression, std::unique_ptr<arrow::util::Codec> codec)
      : compression_(compression), codec_(std::move(codec)) {}

  Compression compression_;
  std::unique_ptr<arrow::util::Codec> codec_;
};

/// General: the first buffer of every chunk of `inner`, compressed.
///
/// \return an encoder whose estimate comes from trying some chunks
arrow::Result<std::unique_ptr<ChunkEncoder>> MakeGeneralEncoder(
    std::unique_ptr<ChunkEncoder> inner, std::shared_ptr<const GeneralCompressor> compressor);

}  // namespace lance::format
