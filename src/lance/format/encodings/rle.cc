#include "lance/format/encodings/rle.h"

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/base/status_detail.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance/format/encodings/vector_kernels.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// What to do with runs that hold more than was asked for. Old writers left some in chunks.
enum class Surplus { kIgnored, kRefused };

/// Borrowed, not yet checked runs.
struct Runs {
  std::span<const std::byte> values;
  std::span<const std::byte> lengths;
};

arrow::Result<Runs> SplitBlock(std::span<const std::byte> block) {
  ByteReader in(block, "Rle block");
  ARROW_ASSIGN_OR_RAISE(const uint64_t values_bytes, in.Read<uint64_t>("values_bytes"));
  ARROW_ASSIGN_OR_RAISE(const auto values, in.Take(values_bytes, "values"));
  ARROW_ASSIGN_OR_RAISE(const auto lengths, in.Take(in.remaining(), "lengths"));
  return Runs{values, lengths};
}

arrow::Status RefuseZeroLength(const Runs& runs) {
  size_t i = 0;
  while (runs.lengths[i] != std::byte{0}) ++i;
  return arrow::Status::SerializationError("Rle: length of run ", i, " is 0, allowed 1 to 255");
}

arrow::Status CheckRuns(uint32_t bits, const Runs& runs, uint64_t num_values, Surplus surplus) {
  const uint64_t value_bytes = bits / 8;
  if (runs.values.size() % value_bytes != 0 ||
      runs.values.size() / value_bytes != runs.lengths.size()) {
    return arrow::Status::SerializationError("Rle: values have ", runs.values.size(), " bytes, ",
                                             runs.lengths.size(), " runs of ", bits, " bits need ",
                                             runs.lengths.size() * value_bytes);
  }
  uint64_t total = 0;  // cannot wrap: at most 255 times the size of a buffer
  bool has_zero = false;
  for (const std::byte length : runs.lengths) {  // without early exit, so that it is vectorised
    total += std::to_integer<uint64_t>(length);
    has_zero |= length == std::byte{0};
  }
  if (has_zero) return RefuseZeroLength(runs);
  if (total < num_values || (surplus == Surplus::kRefused && total > num_values)) {
    return arrow::Status::SerializationError("Rle: the runs hold ", total, " values, needed are ",
                                             num_values);
  }
  return CheckExpandedSize(num_values, bits, "Rle");
}

arrow::Status DecodeRuns(const Runs& runs, uint64_t num_values, Surplus surplus, ValueBuffer* out) {
  static_assert(kKernelSlack <= ByteBuffer::kSlack);
  const uint32_t bits = out->bits_per_value;
  ARROW_RETURN_NOT_OK(CheckRuns(bits, runs, num_values, surplus));
  if (num_values == 0) return arrow::Status::OK();
  ExpandRuns(bits, runs.values.data(), runs.lengths.data(), num_values, GrowFixed(num_values, out));
  return arrow::Status::OK();
}

class RleMiniBlockDecoder : public MiniBlockDecoder {
 public:
  int num_buffers() const override { return 2; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 2);
    return DecodeRuns({buffers[0], buffers[1]}, num_values, Surplus::kIgnored, out);
  }
};

class RleBlockDecoder : public BlockDecoder {
 public:
  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    ARROW_ASSIGN_OR_RAISE(const Runs runs, SplitBlock(bytes));
    return DecodeRuns(runs, num_values, Surplus::kRefused, out);
  }
};

arrow::Status CheckRle(const pb::Rle& rle, const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t value_bits, ClaimedFlatBits(rle.values(), "Rle.values"));
  if (!IsIntegerWidth(value_bits)) {
    return arrow::Status::SerializationError("Rle.values has ", value_bits,
                                             " bits; allowed: 8, 16, 32, 64");
  }
  ARROW_ASSIGN_OR_RAISE(const uint64_t length_bits,
                        ClaimedFlatBits(rle.run_lengths(), "Rle.run_lengths"));
  if (length_bits != 8) {  // file version 2.3 has wider ones
    return UnsupportedError(
        "encoding Rle with wide run lengths",
        "Rle.run_lengths has " + std::to_string(length_bits) + " bits; allowed: 8");
  }
  return CheckValueWidth(value_bits, shape, "Rle");
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeRleMiniBlockDecoder(const pb::Rle& rle,
                                                                         const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckRle(rle, shape));
  return std::make_unique<RleMiniBlockDecoder>();
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeRleBlockDecoder(const pb::Rle& rle,
                                                                 const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckRle(rle, shape));
  return std::make_unique<RleBlockDecoder>();
}

arrow::Result<uint64_t> CountRleBlockValues(std::span<const std::byte> block) {
  ARROW_ASSIGN_OR_RAISE(const Runs runs, SplitBlock(block));
  uint64_t total = 0;
  for (const std::byte length : runs.lengths) total += std::to_integer<uint64_t>(length);
  return total;
}

}  // namespace lance::format
