#include "lance/format/v20/compressed_buffer.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "arrow/buffer.h"
#include "arrow/util/compression.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/format/encodings/encoding_grammar.h"

namespace lance::format::v20 {
namespace {

// No honest page of ordinary size comes near either bound.
constexpr uint64_t kMaxZstdRatio = 256;
constexpr uint64_t kMaxLz4Ratio = 255;

const char* NameOf(BufferCodec codec) { return codec == BufferCodec::kLz4 ? "lz4" : "zstd"; }

size_t PrefixBytes(BufferCodec codec) {
  return codec == BufferCodec::kLz4 ? sizeof(uint32_t) : sizeof(uint64_t);
}

arrow::Result<std::unique_ptr<arrow::util::Codec>> MakeCodec(BufferCodec codec,
                                                             std::optional<int> level) {
  if (codec == BufferCodec::kLz4) return arrow::util::Codec::Create(arrow::Compression::LZ4);
  return arrow::util::Codec::Create(arrow::Compression::ZSTD,
                                    level.value_or(arrow::util::kUseDefaultCompressionLevel));
}

arrow::Result<uint64_t> ClaimedSize(BufferCodec codec, ByteReader* in) {
  uint64_t size = 0;
  if (codec == BufferCodec::kLz4) {
    ARROW_ASSIGN_OR_RAISE(size, in->Read<uint32_t>("size"));
  } else {
    ARROW_ASSIGN_OR_RAISE(size, in->Read<uint64_t>("size"));
  }
  return size;
}

arrow::Status CheckClaim(BufferCodec codec, uint64_t claimed_bytes, uint64_t num_bytes) {
  const uint64_t ratio = codec == BufferCodec::kLz4 ? kMaxLz4Ratio : kMaxZstdRatio;
  const uint64_t limit = std::max(kMaxExpandedBytes, ratio * num_bytes);
  if (claimed_bytes <= limit) return arrow::Status::OK();
  return arrow::Status::CapacityError("a buffer of ", num_bytes, " bytes (", NameOf(codec),
                                      ") would expand to ", claimed_bytes, " bytes, allowed ",
                                      limit);
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Buffer>> DecompressBuffer(BufferCodec codec,
                                                               std::span<const std::byte> bytes,
                                                               arrow::MemoryPool* pool) {
  if (bytes.empty()) return std::make_shared<arrow::Buffer>(std::string_view());
  ByteReader in(bytes, "CompressedBuffer");
  ARROW_ASSIGN_OR_RAISE(const uint64_t size, ClaimedSize(codec, &in));
  ARROW_RETURN_NOT_OK(CheckClaim(codec, size, bytes.size()));
  ARROW_ASSIGN_OR_RAISE(const auto body, in.Take(in.remaining(), "body"));
  ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateBuffer(static_cast<int64_t>(size), pool));
  ARROW_ASSIGN_OR_RAISE(const auto decoder, MakeCodec(codec, std::nullopt));
  const auto expanded =
      decoder->Decompress(static_cast<int64_t>(body.size()),
                          reinterpret_cast<const uint8_t*>(body.data()),
                          static_cast<int64_t>(size), out->mutable_data());
  if (!expanded.ok()) {
    return arrow::Status::SerializationError("a buffer is not ", NameOf(codec), ": ",
                                             expanded.status().message());
  }
  if (static_cast<uint64_t>(*expanded) != size) {
    return arrow::Status::SerializationError("a buffer (", NameOf(codec), ") claims ", size,
                                             " bytes and expands to ", *expanded);
  }
  return std::shared_ptr<arrow::Buffer>(std::move(out));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> CompressBuffer(BufferCodec codec,
                                                             std::optional<int> level,
                                                             std::span<const std::byte> bytes,
                                                             arrow::MemoryPool* pool) {
  if (codec == BufferCodec::kLz4 && bytes.size() > std::numeric_limits<int32_t>::max()) {
    return arrow::Status::CapacityError("a page of ", bytes.size(),
                                        " bytes is too large for lz4, allowed 2147483647");
  }
  ARROW_ASSIGN_OR_RAISE(const auto encoder, MakeCodec(codec, level));
  const auto size = static_cast<int64_t>(bytes.size());
  const auto* input = reinterpret_cast<const uint8_t*>(bytes.data());
  const int64_t most = encoder->MaxCompressedLen(size, input);
  const auto prefix = static_cast<int64_t>(PrefixBytes(codec));
  ARROW_ASSIGN_OR_RAISE(auto out, arrow::AllocateResizableBuffer(prefix + most, pool));
  const auto claimed = static_cast<uint64_t>(size);  // little-endian: lz4 takes its lower half
  std::memcpy(out->mutable_data(), &claimed, static_cast<size_t>(prefix));
  ARROW_ASSIGN_OR_RAISE(const int64_t compressed,
                        encoder->Compress(size, input, most, out->mutable_data() + prefix));
  ARROW_RETURN_NOT_OK(out->Resize(prefix + compressed));
  return std::shared_ptr<arrow::Buffer>(std::move(out));
}

}  // namespace lance::format::v20
