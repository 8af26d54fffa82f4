// Buffers of the general compressors, and back again what 2.0 files are written with.

#include <algorithm>
#include <new>
#include <optional>
#include <string>

#include "arrow/api.h"
#include "fuzz/input.h"
#include "fuzz/read_data_file.h"
#include "fuzz/target.h"
#include "lance/format/encode/general_compressor.h"
#include "lance/format/encodings/compressed_buffer.h"

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

void CompressAndBack(Compression compression, CompressionScheme scheme,
                     std::span<const std::byte> bytes, arrow::MemoryPool* pool) {
  const auto compressor = GeneralCompressor::Make(compression, std::nullopt);
  LANCE_FUZZ_CHECK(compressor.ok(), compressor.status().ToString());
  std::string stored;
  const arrow::Status status = (*compressor)->Append(bytes, &stored);
  LANCE_FUZZ_CHECK(status.ok(), status.ToString());
  auto decompressor = BufferDecompressor::Make(scheme);
  LANCE_FUZZ_CHECK(decompressor.ok(), decompressor.status().ToString());
  ByteBuffer back(pool);
  const auto stored_bytes = std::as_bytes(std::span(stored.data(), stored.size()));
  const arrow::Status again = decompressor->Append(fuzz::ExactCopy(stored_bytes), &back);
  LANCE_FUZZ_CHECK(again.ok(), again.ToString());
  LANCE_FUZZ_CHECK(std::equal(bytes.begin(), bytes.end(), back.span().begin(), back.span().end()),
                   "bytes survive");
}

}  // namespace
}  // namespace lance::format

LANCE_FUZZ_TARGET(compressed_buffer) {
  using lance::format::Compression;
  using lance::format::CompressionScheme;
  lance::fuzz::Input in(input);
  const bool is_zstd = in.TakeBool();
  const auto scheme = is_zstd ? CompressionScheme::kZstd : CompressionScheme::kLz4;
  const auto bytes = lance::fuzz::ExactCopy(in.TakeRest());
  arrow::ProxyMemoryPool own(arrow::system_memory_pool());
  arrow::CappedMemoryPool pool(&own, lance::fuzz::kMaxPoolBytes);
  try {
    lance::format::Decompress(scheme, bytes, &pool);
    lance::format::CompressAndBack(is_zstd ? Compression::kZstd : Compression::kLz4, scheme, bytes,
                                   &pool);
  } catch (const std::bad_alloc&) {
    return;  // the pool has a cap
  }
}
