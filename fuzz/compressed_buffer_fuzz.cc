// Buffers of the general compressors, and back again what 2.0 files are written with.

#include <new>

#include "arrow/api.h"
#include "fuzz/input.h"
#include "fuzz/read_data_file.h"
#include "fuzz/target.h"
#include "lance/format/encodings/compressed_buffer.h"
#include "lance/format/v20/compressed_buffer.h"

namespace lance::format {
namespace {

/// Decompress twice into one buffer.
void Decompress(CompressionScheme scheme, std::span<const std::byte> stored,
                arrow::MemoryPool* pool) {
  auto decompressor = BufferDecompressor::Make(scheme);
  LANCE_FUZZ_CHECK(decompressor.ok(), decompressor.status().ToString());
  ByteBuffer out(pool);
  if (!decompressor->Append(stored, &out).ok()) return;
  const size_t size = out.size();
  const auto again = decompressor->Append(stored, &out);
  LANCE_FUZZ_CHECK(!again.ok() || out.size() == 2 * size, "the second time gives as much");
}

void CompressAndBack(v20::BufferCodec codec, std::span<const std::byte> bytes,
                     arrow::MemoryPool* pool) {
  const auto stored = v20::CompressBuffer(codec, std::nullopt, bytes, pool);
  LANCE_FUZZ_CHECK(stored.ok(), stored.status().ToString());
  const auto stored_bytes = std::as_bytes(std::span((*stored)->data(), (*stored)->size()));
  const auto back = v20::DecompressBuffer(codec, fuzz::ExactCopy(stored_bytes), pool);
  LANCE_FUZZ_CHECK(back.ok(), back.status().ToString());
  const auto back_bytes = std::as_bytes(std::span((*back)->data(), (*back)->size()));
  LANCE_FUZZ_CHECK(std::equal(bytes.begin(), bytes.end(), back_bytes.begin(), back_bytes.end()),
                   "bytes survive");
}

}  // namespace
}  // namespace lance::format

LANCE_FUZZ_TARGET(compressed_buffer) {
  using lance::format::v20::BufferCodec;
  lance::fuzz::Input in(input);
  const bool is_zstd = in.TakeBool();
  const BufferCodec codec = is_zstd ? BufferCodec::kZstd : BufferCodec::kLz4;
  const auto bytes = lance::fuzz::ExactCopy(in.TakeRest());
  arrow::ProxyMemoryPool own(arrow::system_memory_pool());
  arrow::CappedMemoryPool pool(&own, lance::fuzz::kMaxPoolBytes);
  try {
    lance::format::Decompress(is_zstd ? lance::format::CompressionScheme::kZstd
                                      : lance::format::CompressionScheme::kLz4,
                              bytes, &pool);
    (void)lance::format::v20::DecompressBuffer(codec, bytes, &pool);
    lance::format::CompressAndBack(codec, bytes, &pool);
  } catch (const std::bad_alloc&) {
    return;  // the pool has a cap
  }
}
