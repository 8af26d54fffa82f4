#include "lance/format/encodings/flat.h"

#include <algorithm>
#include <bit>
#include <string>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encodings/chunk_size.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// Append bits behind the first `num_out_bits` of `out`; bits behind the last are 0.
void AppendBits(std::span<const std::byte> bytes, uint64_t num_bits, uint64_t num_out_bits,
                std::string* out) {
  if (num_out_bits % 8 == 0) {
    out->append(reinterpret_cast<const char*>(bytes.data()), CeilDiv(num_bits, 8));
    if (num_bits % 8 != 0) out->back() &= static_cast<char>((1 << num_bits % 8) - 1);
    return;
  }
  out->resize(CeilDiv(num_out_bits + num_bits, 8));  // only tiny chunks end inside a byte
  for (uint64_t i = 0; i < num_bits; ++i) {
    const int bit = std::to_integer<int>(bytes[i / 8] >> (i % 8)) & 1;
    const uint64_t at = num_out_bits + i;
    (*out)[at / 8] |= static_cast<char>(bit << at % 8);
  }
}

arrow::Status DecodeFlat(uint32_t bits, std::span<const std::byte> bytes, uint64_t num_values,
                         ValueBuffer* out) {
  LANCE_DCHECK(out->bits_per_value == bits);
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_bits, CheckedMul(num_values, bits, "Flat: size"));
  if (bytes.size() != CeilDiv(num_bits, 8)) {
    return arrow::Status::SerializationError("Flat: buffer has ", bytes.size(), " bytes, ",
                                             num_values, " values of ", bits, " bits need ",
                                             CeilDiv(num_bits, 8));
  }
  if (bits == 1) {
    AppendBits(bytes, num_values, out->num_values, &out->bytes);
  } else {
    out->bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  out->num_values += num_values;
  return arrow::Status::OK();
}

class FlatMiniBlockDecoder : public MiniBlockDecoder {
 public:
  explicit FlatMiniBlockDecoder(uint32_t bits_per_value) : bits_per_value_(bits_per_value) {}

  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1);
    return DecodeFlat(bits_per_value_, buffers[0], num_values, out);
  }

 private:
  uint32_t bits_per_value_;
};

class FlatBlockDecoder : public BlockDecoder {
 public:
  explicit FlatBlockDecoder(uint32_t bits_per_value) : bits_per_value_(bits_per_value) {}

  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    return DecodeFlat(bits_per_value_, bytes, num_values, out);
  }

 private:
  uint32_t bits_per_value_;
};

arrow::Status CheckFlat(const pb::Flat& flat, uint32_t bits_per_value) {
  if (flat.has_data()) return RefuseLeafCompression(flat.data(), "Flat");
  const uint64_t claimed_bits = flat.bits_per_value();
  if (claimed_bits == 0 || (claimed_bits != 1 && claimed_bits % 8 != 0)) {
    return arrow::Status::SerializationError("Flat.bits_per_value is ", claimed_bits,
                                             "; allowed: 1 and multiples of 8");
  }
  return CheckValueWidth(claimed_bits, bits_per_value, "Flat");
}

/// Whether values are bits and not bytes. Their chunks hold 4096 values as the reference's do.
bool AreBits(const ValueBuffer& values) { return values.bits_per_value == 1; }

uint64_t BytesOf(const ValueBuffer& values, uint64_t num_values) {
  return CeilDiv(num_values * values.bits_per_value, 8);
}

/// The reference's bound on the values of a chunk, and so ours where a choice is left.
constexpr uint64_t kTargetChunkBytes = 8186;

uint64_t ChooseChunkValues(const ValueBuffer& values, uint64_t level_bytes_per_value) {
  const auto fits = [&](uint64_t n) {
    const uint64_t value_bytes = BytesOf(values, n);
    const uint64_t target_bytes = value_bytes + n * level_bytes_per_value;
    return (AreBits(values) || target_bytes < kTargetChunkBytes) &&
           ChunkBytesBound(n, value_bytes, level_bytes_per_value) <= kMaxChunkBytes;
  };
  uint64_t n = AreBits(values) ? 8 : 2;  // chunks of bools are whole bytes, so that they are cut
  while (n < kMaxChunkValues && fits(2 * n)) n *= 2;
  return n;
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFlatMiniBlockDecoder(const pb::Flat& flat,
                                                                          uint32_t bits_per_value) {
  ARROW_RETURN_NOT_OK(CheckFlat(flat, bits_per_value));
  return std::make_unique<FlatMiniBlockDecoder>(bits_per_value);
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeFlatBlockDecoder(const pb::Flat& flat,
                                                                  uint32_t bits_per_value) {
  ARROW_RETURN_NOT_OK(CheckFlat(flat, bits_per_value));
  return std::make_unique<FlatBlockDecoder>(bits_per_value);
}

arrow::Result<EncodedMiniBlocks> EncodeFlatMiniBlocks(const ValueBuffer& values,
                                                      uint32_t level_bytes_per_value) {
  const uint64_t chunk_values = ChooseChunkValues(values, level_bytes_per_value);
  const uint64_t largest = std::min(chunk_values, values.num_values);
  const uint64_t largest_bytes =
      ChunkBytesBound(largest, BytesOf(values, largest), level_bytes_per_value);
  if (largest_bytes > kMaxChunkBytes) {
    return arrow::Status::CapacityError("mini-block chunk: ", largest, " values of ",
                                        BytesOf(values, 1), " bytes need ", largest_bytes,
                                        " bytes, a chunk holds ", kMaxChunkBytes);
  }

  pb::CompressiveEncoding encoding;
  encoding.mutable_flat()->set_bits_per_value(values.bits_per_value);
  EncodedMiniBlocks encoded;
  encoded.encoding = encoding.SerializeAsString();
  for (uint64_t first = 0; first < values.num_values; first += chunk_values) {
    const uint64_t n = std::min(chunk_values, values.num_values - first);
    const uint64_t first_byte = first * values.bits_per_value / 8;
    encoded.chunks.push_back({n, {values.bytes.substr(first_byte, BytesOf(values, n))}});
  }
  return encoded;
}

}  // namespace lance::format
