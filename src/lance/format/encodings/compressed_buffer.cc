#include "lance/format/encodings/compressed_buffer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "arrow/util/compression.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

constexpr uint32_t kZstdMagic = 0xFD2FB528;

/// An LZ4 block cannot expand by more.
constexpr uint64_t kMaxLz4Factor = 255;
constexpr uint64_t kMaxLz4Rest = 64;

/// A claimed size up to this times the payload is believed at once; real data seldom has more.
constexpr uint64_t kBelievedFactor = 256;
constexpr uint64_t kBelievedBytes = uint64_t{1} << 20;

/// How much a stream's output grows by at first.
constexpr uint64_t kFirstStreamBytes = uint64_t{1} << 16;

const uint8_t* Raw(const std::byte* bytes) { return reinterpret_cast<const uint8_t*>(bytes); }
uint8_t* Raw(std::byte* bytes) { return reinterpret_cast<uint8_t*>(bytes); }

std::string_view NameOf(CompressionScheme scheme) {
  return scheme == CompressionScheme::kLz4 ? "lz4" : "zstd";
}

/// Whether a zstd buffer is a frame without a size in front: the reference writes none and reads
/// it (file-format 9.6).
bool IsBareFrame(std::span<const std::byte> stored) {
  if (stored.size() < sizeof(uint64_t)) return true;
  constexpr std::byte kUnusedBit{0x10};  // of the frame header's descriptor
  return LoadLittleEndian<uint32_t>(stored.data()) == kZstdMagic &&
         (stored[sizeof(uint32_t)] & kUnusedBit) == std::byte{0};
}

}  // namespace

arrow::Result<CompressionScheme> ParseCompressionScheme(const pb::BufferCompression& compression) {
  switch (static_cast<int>(compression.scheme())) {
    case pb::BufferCompression::LZ4:
      return CompressionScheme::kLz4;
    case pb::BufferCompression::ZSTD:
      return CompressionScheme::kZstd;
    case pb::BufferCompression::UNSPECIFIED:
      return arrow::Status::SerializationError(
          "General.compression has no scheme; allowed: lz4, zstd");
    default: {
      const auto name =
          "General (scheme " + std::to_string(static_cast<int>(compression.scheme())) + ")";
      return UnsupportedError("encoding " + name, name + " is not supported; allowed: lz4, zstd");
    }
  }
}

BufferDecompressor::BufferDecompressor(CompressionScheme scheme,
                                       std::unique_ptr<arrow::util::Codec> codec)
    : scheme_(scheme), codec_(std::move(codec)) {}
BufferDecompressor::BufferDecompressor(BufferDecompressor&&) noexcept = default;
BufferDecompressor& BufferDecompressor::operator=(BufferDecompressor&&) noexcept = default;
BufferDecompressor::~BufferDecompressor() = default;

arrow::Result<BufferDecompressor> BufferDecompressor::Make(CompressionScheme scheme) {
  const auto type =
      scheme == CompressionScheme::kLz4 ? arrow::Compression::LZ4 : arrow::Compression::ZSTD;
  ARROW_ASSIGN_OR_RAISE(auto codec, arrow::util::Codec::Create(type));
  return BufferDecompressor(scheme, std::move(codec));
}

arrow::Status BufferDecompressor::Append(std::span<const std::byte> stored, ByteBuffer* out) {
  if (stored.empty()) return arrow::Status::OK();
  return scheme_ == CompressionScheme::kLz4 ? AppendLz4(stored, out) : AppendZstd(stored, out);
}

arrow::Status BufferDecompressor::AppendLz4(std::span<const std::byte> stored, ByteBuffer* out) {
  if (stored.size() < sizeof(uint32_t)) {
    return arrow::Status::SerializationError("General (lz4): size needs 4 bytes, the buffer has ",
                                             stored.size());
  }
  const uint64_t size = LoadLittleEndian<uint32_t>(stored.data());
  const auto payload = stored.subspan(sizeof(uint32_t));
  const uint64_t most = payload.size() * kMaxLz4Factor + kMaxLz4Rest;
  if (size > most) {
    return arrow::Status::SerializationError(
        "General (lz4): ", payload.size(), " bytes claim to hold ", size, ", possible are ", most);
  }
  return AppendWhole(payload, size, out);
}

arrow::Status BufferDecompressor::AppendZstd(std::span<const std::byte> stored, ByteBuffer* out) {
  if (IsBareFrame(stored)) return AppendStream(stored, out);
  const auto size = LoadLittleEndian<uint64_t>(stored.data());
  const auto payload = stored.subspan(sizeof(uint64_t));
  if (size <= kBelievedBytes || size / kBelievedFactor <= payload.size()) {
    return AppendWhole(payload, size, out);
  }
  if (size > kMaxDecompressedBytes) {
    return arrow::Status::CapacityError("General (zstd): ", payload.size(), " bytes claim to hold ",
                                        size, ", allowed are ", kMaxDecompressedBytes);
  }
  const uint64_t size_before = out->size();
  ARROW_RETURN_NOT_OK(AppendStream(payload, out));
  if (out->size() - size_before != size) {
    return arrow::Status::SerializationError(
        "General (zstd): buffer holds ", out->size() - size_before, " bytes, claimed are ", size);
  }
  return arrow::Status::OK();
}

arrow::Status BufferDecompressor::AppendWhole(std::span<const std::byte> payload, uint64_t size,
                                              ByteBuffer* out) {
  std::byte* const to = out->Grow(size);
  std::byte nothing{};
  const auto held = codec_->Decompress(static_cast<int64_t>(payload.size()), Raw(payload.data()),
                                       static_cast<int64_t>(size), Raw(size > 0 ? to : &nothing));
  if (!held.ok()) {
    return arrow::Status::SerializationError("General (", NameOf(scheme_), "): ", payload.size(),
                                             " bytes cannot be decompressed to the claimed ", size,
                                             ": ", held.status().message());
  }
  if (static_cast<uint64_t>(*held) != size) {
    return arrow::Status::SerializationError("General (", NameOf(scheme_), "): buffer holds ",
                                             *held, " bytes, claimed are ", size);
  }
  return arrow::Status::OK();
}

// Memory is given as output comes, never because a claim says so.
arrow::Status BufferDecompressor::AppendStream(std::span<const std::byte> frame, ByteBuffer* out) {
  ARROW_ASSIGN_OR_RAISE(const auto stream, codec_->MakeDecompressor());
  const uint64_t size_before = out->size();
  uint64_t written = 0;
  uint64_t room = kFirstStreamBytes;
  while (!stream->IsFinished()) {
    std::byte* const to = out->Grow(room);
    const auto step = stream->Decompress(static_cast<int64_t>(frame.size()), Raw(frame.data()),
                                         static_cast<int64_t>(room), Raw(to));
    if (!step.ok()) {
      return arrow::Status::SerializationError("General (zstd): frame cannot be decompressed: ",
                                               step.status().message());
    }
    written += static_cast<uint64_t>(step->bytes_written);
    out->Truncate(size_before + written);
    frame = frame.subspan(static_cast<size_t>(step->bytes_read));
    if (written > kMaxDecompressedBytes) {
      return arrow::Status::CapacityError("General (zstd): buffer holds more than the allowed ",
                                          kMaxDecompressedBytes, " bytes");
    }
    const bool stands_still = step->bytes_read == 0 && step->bytes_written == 0;
    if (stands_still && !stream->IsFinished()) {
      return arrow::Status::SerializationError("General (zstd): frame ends early");
    }
    room = std::max(kFirstStreamBytes, written);
  }
  if (!frame.empty()) {
    return arrow::Status::SerializationError("General (zstd): ", frame.size(),
                                             " bytes follow the frame");
  }
  return arrow::Status::OK();
}

}  // namespace lance::format
