#include "lance/format/encodings/byte_stream_split.h"

#include "lance/base/check.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/vector_kernels.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

class ByteStreamSplitMiniBlockDecoder : public MiniBlockDecoder {
 public:
  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1);
    const uint32_t bits = out->bits_per_value;
    const uint64_t width = bits / 8;
    if (buffers[0].size() % width != 0 || buffers[0].size() / width != num_values) {
      return arrow::Status::SerializationError("ByteStreamSplit: buffer has ", buffers[0].size(),
                                               " bytes, ", num_values, " values of ", bits,
                                               " bits need others");
    }
    if (num_values == 0) return arrow::Status::OK();
    MergeStreams(bits, buffers[0].data(), num_values, GrowFixed(num_values, out));
    return arrow::Status::OK();
  }
};

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeByteStreamSplitMiniBlockDecoder(
    const pb::ByteStreamSplit& split, const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t bits,
                        ClaimedFlatBits(split.values(), "ByteStreamSplit.values"));
  if (bits != 32 && bits != 64) {
    return arrow::Status::SerializationError("ByteStreamSplit.values has ", bits,
                                             " bits; allowed: 32, 64");
  }
  ARROW_RETURN_NOT_OK(CheckValueWidth(bits, shape, "ByteStreamSplit"));
  return std::make_unique<ByteStreamSplitMiniBlockDecoder>();
}

}  // namespace lance::format
