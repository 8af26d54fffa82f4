#include "lance/format/encode/general_compressor.h"

#include <algorithm>
#include <bit>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// What zstd calls its default; Arrow's is 1.
constexpr int kDefaultZstdLevel = 3;

/// Chunks that are tried to learn how well values compress.
constexpr uint64_t kTrialChunks = 32;

/// Chunks of another encoder with the first buffer compressed.
class GeneralEncoder : public ChunkEncoder {
 public:
  GeneralEncoder(std::unique_ptr<ChunkEncoder> inner,
                 std::shared_ptr<const GeneralCompressor> compressor)
      : inner_(std::move(inner)), compressor_(std::move(compressor)) {}

  /// Compress some chunks all over the page.
  arrow::Status Try() {
    const uint64_t n = inner_->num_values();
    const uint64_t step = std::max<uint64_t>(n / kTrialChunks, 1);
    uint64_t plain_bytes = 0;
    uint64_t compressed_bytes = 0;
    std::vector<std::string> buffers(num_buffers());
    for (uint64_t first = 0; first < n;) {
      const uint64_t max = inner_->MaxValues(first);
      const uint64_t count = n - first <= max ? n - first : std::bit_floor(max);
      for (std::string& buffer : buffers) buffer.clear();
      ARROW_RETURN_NOT_OK(inner_->Encode(first, count, &buffers));
      plain_bytes += buffers[0].size();
      std::string compressed;
      ARROW_RETURN_NOT_OK(compressor_->Append(AsBytes(buffers[0]), &compressed));
      compressed_bytes += compressed.size();
      // Keep to where chunks begin.
      first += std::max(count, step / count * count);
    }
    const double ratio = static_cast<double>(compressed_bytes) /
                         static_cast<double>(std::max(plain_bytes, uint64_t{1}));
    estimated_bytes_ =
        static_cast<uint64_t>(static_cast<double>(inner_->estimated_bytes()) * ratio);
    return arrow::Status::OK();
  }

  void Describe(pb::CompressiveEncoding* encoding) const override {
    auto* general = encoding->mutable_general();
    compressor_->Describe(general->mutable_compression());
    inner_->Describe(general->mutable_values());
  }

  size_t num_buffers() const override { return inner_->num_buffers(); }
  uint64_t num_values() const override { return inner_->num_values(); }
  uint64_t MaxValues(uint64_t first) const override { return inner_->MaxValues(first); }

  uint64_t BytesBound(uint64_t first, uint64_t count) const override {
    return PaddedBytes(compressor_->Bound(inner_->BytesBound(first, count)));
  }

  arrow::Status Encode(uint64_t first, uint64_t count,
                       std::vector<std::string>* buffers) const override {
    ARROW_RETURN_NOT_OK(inner_->Encode(first, count, buffers));
    std::string compressed;
    ARROW_RETURN_NOT_OK(compressor_->Append(AsBytes((*buffers)[0]), &compressed));
    (*buffers)[0] = std::move(compressed);
    return arrow::Status::OK();
  }

  uint64_t estimated_bytes() const override { return estimated_bytes_; }

 private:
  std::unique_ptr<ChunkEncoder> inner_;
  std::shared_ptr<const GeneralCompressor> compressor_;
  uint64_t estimated_bytes_ = 0;
};

}  // namespace

arrow::Result<std::shared_ptr<const GeneralCompressor>> GeneralCompressor::Make(
    Compression compression, std::optional<int> level) {
  LANCE_DCHECK(compression == Compression::kLz4 || compression == Compression::kZstd);
  const auto type =
      compression == Compression::kLz4 ? arrow::Compression::LZ4 : arrow::Compression::ZSTD;
  int used_level = arrow::util::kUseDefaultCompressionLevel;
  if (compression == Compression::kZstd) {
    ARROW_ASSIGN_OR_RAISE(const int lowest, arrow::util::Codec::MinimumCompressionLevel(type));
    ARROW_ASSIGN_OR_RAISE(const int highest, arrow::util::Codec::MaximumCompressionLevel(type));
    used_level = std::clamp(level.value_or(kDefaultZstdLevel), lowest, highest);
  }
  ARROW_ASSIGN_OR_RAISE(auto codec, arrow::util::Codec::Create(type, used_level));
  return std::shared_ptr<const GeneralCompressor>(
      new GeneralCompressor(compression, std::move(codec)));
}

void GeneralCompressor::Describe(pb::BufferCompression* compression) const {
  compression->set_scheme(compression_ == Compression::kLz4 ? pb::BufferCompression::LZ4
                                                            : pb::BufferCompression::ZSTD);
}

uint64_t GeneralCompressor::Bound(uint64_t num_bytes) const {
  return 8 +
         static_cast<uint64_t>(codec_->MaxCompressedLen(static_cast<int64_t>(num_bytes), nullptr));
}

arrow::Status GeneralCompressor::Append(std::span<const std::byte> bytes, std::string* out) const {
  if (compression_ == Compression::kZstd) {
    AppendLittleEndian(uint64_t{bytes.size()}, out);
  } else if (bytes.size() > static_cast<size_t>(INT32_MAX)) {
    return arrow::Status::CapacityError("LZ4: a buffer has ", bytes.size(),
                                        " bytes, allowed are up to ", INT32_MAX);
  } else {
    AppendLittleEndian(static_cast<uint32_t>(bytes.size()), out);
  }
  const size_t begin = out->size();
  const auto size = static_cast<int64_t>(bytes.size());
  const auto* const input = reinterpret_cast<const uint8_t*>(bytes.data());
  const int64_t bound = codec_->MaxCompressedLen(size, input);
  out->resize(begin + static_cast<size_t>(bound));
  ARROW_ASSIGN_OR_RAISE(
      const int64_t written,
      codec_->Compress(size, input, bound, reinterpret_cast<uint8_t*>(out->data()) + begin));
  out->resize(begin + static_cast<size_t>(written));
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<ChunkEncoder>> MakeGeneralEncoder(
    std::unique_ptr<ChunkEncoder> inner, std::shared_ptr<const GeneralCompressor> compressor) {
  auto encoder = std::make_unique<GeneralEncoder>(std::move(inner), std::move(compressor));
  ARROW_RETURN_NOT_OK(encoder->Try());
  return encoder;
}

}  // namespace lance::format
