#include "lance/format/encodings/rle.h"

#include <algorithm>
#include <cstring>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/base/status_detail.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/unsigned_dispatch.h"
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

arrow::Status CheckRuns(uint32_t bits, const Runs& runs, uint64_t num_values, Surplus surplus) {
  const uint64_t value_bytes = bits / 8;
  if (runs.values.size() % value_bytes != 0 ||
      runs.values.size() / value_bytes != runs.lengths.size()) {
    return arrow::Status::SerializationError("Rle: values have ", runs.values.size(), " bytes, ",
                                             runs.lengths.size(), " runs of ", bits, " bits need ",
                                             runs.lengths.size() * value_bytes);
  }
  uint64_t total = 0;  // cannot wrap: at most 255 times the size of a buffer
  for (size_t i = 0; i < runs.lengths.size(); ++i) {
    const auto length = std::to_integer<uint64_t>(runs.lengths[i]);
    if (length == 0) {
      return arrow::Status::SerializationError("Rle: length of run ", i, " is 0, allowed 1 to 255");
    }
    total += length;
  }
  if (total < num_values || (surplus == Surplus::kRefused && total > num_values)) {
    return arrow::Status::SerializationError("Rle: the runs hold ", total, " values, needed are ",
                                             num_values);
  }
  return CheckExpandedSize(num_values, bits, "Rle");
}

/// Write the values of checked runs.
template <typename T>
void ExpandRuns(const Runs& runs, uint64_t num_values, std::byte* out) {
  for (size_t i = 0; num_values > 0; ++i) {
    const T value = LoadLittleEndian<T>(runs.values.data() + i * sizeof(T));
    const auto length = std::min(std::to_integer<uint64_t>(runs.lengths[i]), num_values);
    for (uint64_t j = 0; j < length; ++j) std::memcpy(out + j * sizeof(T), &value, sizeof(T));
    out += length * sizeof(T);
    num_values -= length;
  }
}

arrow::Status DecodeRuns(uint32_t bits, const Runs& runs, uint64_t num_values, Surplus surplus,
                         ValueBuffer* out) {
  LANCE_DCHECK(out->bits_per_value == bits);
  ARROW_RETURN_NOT_OK(CheckRuns(bits, runs, num_values, surplus));
  std::byte* values = GrowFixed(num_values, out);
  DispatchUnsigned(bits, [&]<typename T>(T) { ExpandRuns<T>(runs, num_values, values); });
  return arrow::Status::OK();
}

class RleMiniBlockDecoder : public MiniBlockDecoder {
 public:
  explicit RleMiniBlockDecoder(uint32_t bits_per_value) : bits_per_value_(bits_per_value) {}

  int num_buffers() const override { return 2; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 2);
    return DecodeRuns(bits_per_value_, {buffers[0], buffers[1]}, num_values, Surplus::kIgnored,
                      out);
  }

 private:
  uint32_t bits_per_value_;
};

class RleBlockDecoder : public BlockDecoder {
 public:
  explicit RleBlockDecoder(uint32_t bits_per_value) : bits_per_value_(bits_per_value) {}

  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    ByteReader in(bytes, "Rle block");
    ARROW_ASSIGN_OR_RAISE(const uint64_t values_bytes, in.Read<uint64_t>("values_bytes"));
    ARROW_ASSIGN_OR_RAISE(const auto values, in.Take(values_bytes, "values"));
    ARROW_ASSIGN_OR_RAISE(const auto lengths, in.Take(in.remaining(), "lengths"));
    return DecodeRuns(bits_per_value_, {values, lengths}, num_values, Surplus::kRefused, out);
  }

 private:
  uint32_t bits_per_value_;
};

arrow::Status CheckRle(const pb::Rle& rle, uint32_t bits_per_value) {
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
  return CheckValueWidth(value_bits, bits_per_value, "Rle");
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeRleMiniBlockDecoder(const pb::Rle& rle,
                                                                         uint32_t bits_per_value) {
  ARROW_RETURN_NOT_OK(CheckRle(rle, bits_per_value));
  return std::make_unique<RleMiniBlockDecoder>(bits_per_value);
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeRleBlockDecoder(const pb::Rle& rle,
                                                                 uint32_t bits_per_value) {
  ARROW_RETURN_NOT_OK(CheckRle(rle, bits_per_value));
  return std::make_unique<RleBlockDecoder>(bits_per_value);
}

}  // namespace lance::format
