#include <algorithm>
#include <optional>
#include <utility>

#include "lance/format/encode/choose_encoding.h"
#include "lance/format/encode/general_compressor.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// Values longer than this are worth a compressor each, if pages are not small.
constexpr uint64_t kLongValueBytes = 32768;
constexpr uint64_t kMinCompressedPageBytes = 32768;
constexpr uint64_t kMinFsstLongest = 5;
/// Bytes that are tried before all of a page is compressed.
constexpr uint64_t kTrialBytes = 1 << 18;

void DescribeVariable(const PageValues& values, pb::CompressiveEncoding* encoding) {
  encoding->mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(
      values.offset_bits);
}

/// Compress values one by one.
class ValueCompressor {
 public:
  ValueCompressor(const PageValues& values, std::shared_ptr<const GeneralCompressor> compressor)
      : values_(values), compressor_(std::move(compressor)) {}

  /// Whether the first values shrink by a tenth at least.
  arrow::Result<bool> Pays() const {
    uint64_t plain_bytes = 0;
    uint64_t compressed_bytes = 0;
    std::string compressed;
    for (uint64_t i = 0; i < values_.num_values && plain_bytes < kTrialBytes; ++i) {
      compressed.clear();
      ARROW_RETURN_NOT_OK(compressor_->Append(values_.value(i), &compressed));
      plain_bytes += values_.value(i).size();
      compressed_bytes += values_.value(i).empty() ? 0 : compressed.size();
    }
    return compressed_bytes < plain_bytes - plain_bytes / 10;
  }

  /// \param slots as PageLevels::slots: null values stay empty
  arrow::Result<PageValues> Compress(std::span<const uint16_t> slots,
                                     arrow::MemoryPool* pool) const {
    PageValues out(pool);
    out.num_values = values_.num_values;
    out.offset_bits = values_.offset_bits;
    AppendOffset(&out);
    std::string compressed;
    for (uint64_t i = 0; i < values_.num_values; ++i) {
      if (slots.empty() || slots[i] == 0) {
        compressed.clear();
        ARROW_RETURN_NOT_OK(compressor_->Append(values_.value(i), &compressed));
        out.byte_storage.Append(std::as_bytes(std::span(compressed)));
      }
      if (out.offset_bits == 32 && out.byte_storage.size() > INT32_MAX) {
        return arrow::Status::CapacityError("the compressed values of a page have more than ",
                                            INT32_MAX, " bytes");
      }
      AppendOffset(&out);
    }
    out.UseStorage();
    return out;
  }

 private:
  static void AppendOffset(PageValues* out) {
    const uint64_t offset = out->byte_storage.size();
    const size_t width = out->offset_bits / 8;
    std::memcpy(out->offset_storage.Grow(width), &offset, width);  // little-endian
  }

  const PageValues& values_;
  std::shared_ptr<const GeneralCompressor> compressor_;
};

/// Compress values as hints ask and lengths suggest. \return null: as they are
arrow::Result<std::unique_ptr<PageValues>> CompressLong(const PageValues& values,
                                                        std::span<const uint16_t> slots,
                                                        const EncodingRequest& request,
                                                        pb::CompressiveEncoding* encoding) {
  // The reference stores zstd for requests of LZ4, too (file-format 14, no. 17): in this place only
  // zstd has been seen.
  ARROW_ASSIGN_OR_RAISE(auto compressor, GeneralCompressor::Make(Compression::kZstd,
                                                                 request.hints.compression_level));
  const ValueCompressor values_compressor(values, compressor);
  ARROW_ASSIGN_OR_RAISE(const bool pays, values_compressor.Pays());
  if (!pays) return std::unique_ptr<PageValues>();
  ARROW_ASSIGN_OR_RAISE(PageValues compressed, values_compressor.Compress(slots, request.pool));
  compressor->Describe(encoding->mutable_general()->mutable_compression());
  DescribeVariable(values, encoding->mutable_general()->mutable_values());
  return std::make_unique<PageValues>(std::move(compressed));
}

}  // namespace

arrow::Result<FullZipValues> ChooseFullZipEncoding(const PageValues& values,
                                                   std::span<const uint16_t> slots,
                                                   const LengthStatistics& lengths,
                                                   const EncodingRequest& request,
                                                   pb::CompressiveEncoding* encoding) {
  FullZipValues chosen;
  const Compression compression = request.hints.compression;
  const bool is_default = compression == Compression::kDefault;
  const bool is_general = compression == Compression::kLz4 || compression == Compression::kZstd;
  const bool is_large = lengths.total >= kMinCompressedPageBytes;
  if (is_large && (is_general || (is_default && lengths.longest > kLongValueBytes))) {
    ARROW_ASSIGN_OR_RAISE(chosen.compressed, CompressLong(values, slots, request, encoding));
    if (chosen.compressed != nullptr) return chosen;
  }
  const bool wants_fsst = compression == Compression::kFsst && lengths.total > 0;
  if (wants_fsst || (is_default && is_large && lengths.longest >= kMinFsstLongest)) {
    const FsstTrial trial(values);
    if (trial.estimated_bytes() < lengths.total) {
      ARROW_ASSIGN_OR_RAISE(FsstValues compressed, trial.Compress(request.pool));
      encoding->mutable_fsst()->set_symbol_table(std::move(compressed.table));
      DescribeVariable(values, encoding->mutable_fsst()->mutable_values());
      chosen.compressed = std::make_unique<PageValues>(std::move(compressed.values));
      return chosen;
    }
  }
  DescribeVariable(values, encoding);
  return chosen;
}

}  // namespace lance::format
