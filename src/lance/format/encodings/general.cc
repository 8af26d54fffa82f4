#include "lance/format/encodings/general.h"

#include <cstring>
#include <utility>
#include <vector>

#include "lance/base/check.h"
#include "lance/format/encodings/compressed_buffer.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

class GeneralMiniBlockDecoder : public MiniBlockDecoder {
 public:
  GeneralMiniBlockDecoder(CompressionScheme scheme, std::unique_ptr<MiniBlockDecoder> inner)
      : scheme_(scheme), inner_(std::move(inner)) {}

  int num_buffers() const override { return inner_->num_buffers(); }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(static_cast<int>(buffers.size()) == num_buffers());
    ARROW_ASSIGN_OR_RAISE(auto decompressor, BufferDecompressor::Make(scheme_));
    ByteBuffer first(out->bytes.pool());
    ARROW_RETURN_NOT_OK(decompressor.Append(buffers[0], &first));
    std::vector<std::span<const std::byte>> inner_buffers(buffers.begin(), buffers.end());
    inner_buffers[0] = first.span();
    return inner_->Decode(inner_buffers, num_values, out);
  }

 private:
  CompressionScheme scheme_;
  std::unique_ptr<MiniBlockDecoder> inner_;
};

class GeneralBlockDecoder : public BlockDecoder {
 public:
  GeneralBlockDecoder(CompressionScheme scheme, std::unique_ptr<BlockDecoder> inner)
      : scheme_(scheme), inner_(std::move(inner)) {}

  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    ARROW_ASSIGN_OR_RAISE(auto decompressor, BufferDecompressor::Make(scheme_));
    ByteBuffer plain(out->bytes.pool());
    ARROW_RETURN_NOT_OK(decompressor.Append(bytes, &plain));
    return inner_->Decode(plain.span(), num_values, out);
  }

 private:
  CompressionScheme scheme_;
  std::unique_ptr<BlockDecoder> inner_;
};

/// Text that is compressed value by value goes straight to where it belongs.
class GeneralTextDecoder : public PerValueDecoder {
 public:
  explicit GeneralTextDecoder(CompressionScheme scheme) : scheme_(scheme) {}

  uint64_t stored_bits() const override { return 0; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(out->is_variable());
    if (values.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto decompressor, BufferDecompressor::Make(scheme_));
    std::byte* ends = GrowOffsets(values.size(), out);
    const uint64_t width = out->offset_bits / 8;
    for (const auto value : values) {
      const uint64_t size_before = out->bytes.size();
      ARROW_RETURN_NOT_OK(decompressor.Append(value, &out->bytes));
      const uint64_t end = out->bytes.size();
      out->bytes.Truncate(size_before);
      ARROW_RETURN_NOT_OK(CheckOffsetsHold(end - size_before, *out));
      out->bytes.Truncate(end);
      std::memcpy(ends, &end, width);  // the low bytes come first
      ends += width;
    }
    return arrow::Status::OK();
  }

 private:
  CompressionScheme scheme_;
};

class GeneralPerValueDecoder : public PerValueDecoder {
 public:
  GeneralPerValueDecoder(CompressionScheme scheme, std::unique_ptr<PerValueDecoder> inner)
      : scheme_(scheme), inner_(std::move(inner)) {}

  uint64_t stored_bits() const override { return 0; }  // whatever the inner width is

  arrow::Status Decode(std::span<const std::span<const std::byte>> values,
                       ValueBuffer* out) const override {
    ARROW_ASSIGN_OR_RAISE(auto decompressor, BufferDecompressor::Make(scheme_));
    ByteBuffer plain(out->bytes.pool());
    plain.Reserve(1);  // so that an empty value is not taken for a null row without bytes
    for (const auto value : values) {
      plain.Clear();
      std::span<const std::byte> plain_value;
      if (value.data() != nullptr) {
        ARROW_RETURN_NOT_OK(decompressor.Append(value, &plain));
        plain_value = plain.span();
      }
      ARROW_RETURN_NOT_OK(inner_->Decode({&plain_value, 1}, out));
    }
    return arrow::Status::OK();
  }

 private:
  CompressionScheme scheme_;
  std::unique_ptr<PerValueDecoder> inner_;
};

/// Check the compressor. One inside another is never made, and so nothing here recurses.
arrow::Result<CompressionScheme> ParseGeneral(const pb::General& general) {
  ARROW_ASSIGN_OR_RAISE(const CompressionScheme scheme,
                        ParseCompressionScheme(general.compression()));
  if (general.values().has_general()) {
    return RefuseEncoding(general.values(), "General.values", "any but General");
  }
  return scheme;
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeGeneralMiniBlockDecoder(
    const pb::General& general, const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(const CompressionScheme scheme, ParseGeneral(general));
  ARROW_ASSIGN_OR_RAISE(auto inner, MakeMiniBlockDecoder(general.values(), shape));
  if (inner->num_buffers() == 0) {
    return RefuseEncoding(general.values(), "General.values", "one with a buffer");
  }
  return std::make_unique<GeneralMiniBlockDecoder>(scheme, std::move(inner));
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeGeneralBlockDecoder(const pb::General& general,
                                                                     const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(const CompressionScheme scheme, ParseGeneral(general));
  ARROW_ASSIGN_OR_RAISE(auto inner, MakeBlockDecoder(general.values(), shape));
  return std::make_unique<GeneralBlockDecoder>(scheme, std::move(inner));
}

arrow::Result<std::unique_ptr<PerValueDecoder>> MakeGeneralPerValueDecoder(
    const pb::General& general, const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(const CompressionScheme scheme, ParseGeneral(general));
  ARROW_ASSIGN_OR_RAISE(auto inner, MakePerValueDecoder(general.values(), shape));
  if (general.values().has_variable()) return std::make_unique<GeneralTextDecoder>(scheme);
  return std::make_unique<GeneralPerValueDecoder>(scheme, std::move(inner));
}

}  // namespace lance::format
