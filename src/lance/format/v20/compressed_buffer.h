#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/v20/array_encoding.h"

namespace lance::format::v20 {

/// Expand a page buffer.
///
/// Layout: lz4: u32 size, one raw LZ4 block; zstd: u64 size, one zstd frame.
///
/// \param bytes untrusted
/// \pre codec is kLz4 or kZstd
/// \return SerializationError when they are not what the codec makes; CapacityError when the size
///   they claim is beyond what a page may expand to
///
/// Source: file-format 9.6.
arrow::Result<std::shared_ptr<arrow::Buffer>> DecompressBuffer(BufferCodec codec,
                                                               std::span<const std::byte> bytes,
                                                               arrow::MemoryPool* pool);

/// Compress a page buffer: undone by DecompressBuffer.
///
/// \param level none: the codec's default
/// \pre codec is kLz4 or kZstd
/// \return Invalid for a level that the codec does not have; CapacityError for lz4 and 2 GiB
arrow::Result<std::shared_ptr<arrow::Buffer>> CompressBuffer(BufferCodec codec,
                                                             std::optional<int> level,
                                                             std::span<const std::byte> bytes,
                                                             arrow::MemoryPool* pool);

}  // namespace lance::format::v20
