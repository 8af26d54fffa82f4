#include "lance/format/encodings/inline_bitpacking.h"

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// One checked group. Borrows its buffer.
struct InlineGroup {
  uint32_t width;
  const std::byte* packed;

  /// Check untrusted bytes. Chunks are small, and so nothing is built before something is wrong.
  static arrow::Result<InlineGroup> Parse(uint32_t bits, std::span<const std::byte> bytes) {
    const uint64_t header = bits / 8;
    if (bytes.size() < header) {
      return arrow::Status::SerializationError("InlineBitpacking: width needs ", header,
                                               " bytes, the buffer has ", bytes.size());
    }
    const uint64_t width = DispatchUnsigned(
        bits, [&]<typename T>(T) -> uint64_t { return LoadLittleEndian<T>(bytes.data()); });
    if (width > bits) {
      return arrow::Status::SerializationError("InlineBitpacking: width is ", width,
                                               ", allowed 0 to ", bits);
    }
    if (bytes.size() - header != PackedGroupBytes(width)) {
      return arrow::Status::SerializationError("InlineBitpacking: group of width ", width, " has ",
                                               bytes.size() - header, " bytes, allowed ",
                                               PackedGroupBytes(width));
    }
    return InlineGroup{static_cast<uint32_t>(width), bytes.data() + header};
  }
};

arrow::Status DecodeInlineBitpacking(std::span<const std::byte> bytes, uint64_t num_values,
                                     ValueBuffer* out) {
  const uint32_t bits = out->bits_per_value;
  if (num_values > kGroupValues) {
    return arrow::Status::SerializationError("InlineBitpacking: chunk has ", num_values,
                                             " values, allowed ", kGroupValues);
  }
  ARROW_ASSIGN_OR_RAISE(const InlineGroup group, InlineGroup::Parse(bits, bytes));
  const uint64_t size_before = out->bytes.size();
  UnpackGroup(bits, group.width, group.packed, out->bytes.Grow(kGroupValues * bits / 8));
  out->bytes.Truncate(size_before + num_values * bits / 8);
  out->num_values += num_values;
  return arrow::Status::OK();
}

class InlineBitpackingMiniBlockDecoder : public MiniBlockDecoder {
 public:
  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1);
    return DecodeInlineBitpacking(buffers[0], num_values, out);
  }
};

class InlineBitpackingBlockDecoder : public BlockDecoder {
 public:
  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    return DecodeInlineBitpacking(bytes, num_values, out);
  }
};

arrow::Status CheckInlineBitpacking(const pb::InlineBitpacking& bitpacking,
                                    const ValueShape& shape) {
  if (bitpacking.has_values()) {
    return RefuseLeafCompression(bitpacking.values(), "InlineBitpacking");
  }
  const uint64_t claimed_bits = bitpacking.uncompressed_bits_per_value();
  if (!IsIntegerWidth(claimed_bits)) {
    return arrow::Status::SerializationError("InlineBitpacking.uncompressed_bits_per_value is ",
                                             claimed_bits, "; allowed: 8, 16, 32, 64");
  }
  return CheckValueWidth(claimed_bits, shape, "InlineBitpacking");
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeInlineBitpackingMiniBlockDecoder(
    const pb::InlineBitpacking& bitpacking, const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckInlineBitpacking(bitpacking, shape));
  return std::make_unique<InlineBitpackingMiniBlockDecoder>();
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeInlineBitpackingBlockDecoder(
    const pb::InlineBitpacking& bitpacking, const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckInlineBitpacking(bitpacking, shape));
  return std::make_unique<InlineBitpackingBlockDecoder>();
}

}  // namespace lance::format
