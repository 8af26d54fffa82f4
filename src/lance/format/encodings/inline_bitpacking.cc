#include "lance/format/encodings/inline_bitpacking.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

constexpr uint64_t kMaxGroupBytes = kGroupValues * 8;

arrow::Status DecodeInlineBitpacking(uint32_t bits, std::span<const std::byte> bytes,
                                     uint64_t num_values, ValueBuffer* out) {
  LANCE_DCHECK(out->bits_per_value == bits);
  if (num_values > kGroupValues) {
    return arrow::Status::SerializationError("InlineBitpacking: chunk has ", num_values,
                                             " values, allowed ", kGroupValues);
  }
  ByteReader in(bytes, "InlineBitpacking");
  ARROW_ASSIGN_OR_RAISE(const uint64_t width,
                        DispatchUnsigned(bits, [&]<typename T>(T) -> arrow::Result<uint64_t> {
                          ARROW_ASSIGN_OR_RAISE(const T word, in.Read<T>("width"));
                          return uint64_t{word};
                        }));
  if (width > bits) return in.Corrupt("width", "is ", width, ", allowed 0 to ", bits);
  ARROW_ASSIGN_OR_RAISE(const auto packed, in.Take(PackedGroupBytes(width), "values"));
  ARROW_RETURN_NOT_OK(in.ExpectEnd());

  if (num_values == kGroupValues) {
    UnpackGroup(bits, static_cast<uint32_t>(width), packed.data(), GrowFixed(num_values, out));
  } else if (num_values > 0) {
    std::array<std::byte, kMaxGroupBytes> group;
    UnpackGroup(bits, static_cast<uint32_t>(width), packed.data(), group.data());
    std::memcpy(GrowFixed(num_values, out), group.data(), num_values * bits / 8);
  }
  return arrow::Status::OK();
}

class InlineBitpackingMiniBlockDecoder : public MiniBlockDecoder {
 public:
  explicit InlineBitpackingMiniBlockDecoder(uint32_t bits_per_value)
      : bits_per_value_(bits_per_value) {}

  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1);
    return DecodeInlineBitpacking(bits_per_value_, buffers[0], num_values, out);
  }

 private:
  uint32_t bits_per_value_;
};

class InlineBitpackingBlockDecoder : public BlockDecoder {
 public:
  explicit InlineBitpackingBlockDecoder(uint32_t bits_per_value)
      : bits_per_value_(bits_per_value) {}

  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    return DecodeInlineBitpacking(bits_per_value_, bytes, num_values, out);
  }

 private:
  uint32_t bits_per_value_;
};

arrow::Status CheckInlineBitpacking(const pb::InlineBitpacking& bitpacking,
                                    uint32_t bits_per_value) {
  if (bitpacking.has_values()) {
    return RefuseLeafCompression(bitpacking.values(), "InlineBitpacking");
  }
  const uint64_t claimed_bits = bitpacking.uncompressed_bits_per_value();
  if (!IsIntegerWidth(claimed_bits)) {
    return arrow::Status::SerializationError("InlineBitpacking.uncompressed_bits_per_value is ",
                                             claimed_bits, "; allowed: 8, 16, 32, 64");
  }
  return CheckValueWidth(claimed_bits, bits_per_value, "InlineBitpacking");
}

/// Borrow group `index`: 1024 values, the last group the rest.
std::span<const std::byte> GroupAt(const ValueBuffer& values, uint64_t index) {
  const uint64_t group_bytes = kGroupValues * values.bits_per_value / 8;
  const auto bytes = AsBytes(values.bytes);
  const uint64_t start = index * group_bytes;
  return bytes.subspan(start, std::min<uint64_t>(group_bytes, bytes.size() - start));
}

std::string EncodeGroup(uint32_t bits, uint32_t width, std::span<const std::byte> group) {
  std::string buffer;
  buffer.reserve(bits / 8 + PackedGroupBytes(width));
  DispatchUnsigned(bits,
                   [&]<typename T>(T) { AppendLittleEndian(static_cast<T>(width), &buffer); });
  buffer.resize(bits / 8 + PackedGroupBytes(width));
  auto* packed = reinterpret_cast<std::byte*>(buffer.data()) + bits / 8;
  if (group.size() == kGroupValues * bits / 8) {
    PackGroup(bits, width, group.data(), packed);
  } else {
    std::array<std::byte, kMaxGroupBytes> padded{};
    std::copy(group.begin(), group.end(), padded.begin());
    PackGroup(bits, width, padded.data(), packed);
  }
  return buffer;
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeInlineBitpackingMiniBlockDecoder(
    const pb::InlineBitpacking& bitpacking, uint32_t bits_per_value) {
  ARROW_RETURN_NOT_OK(CheckInlineBitpacking(bitpacking, bits_per_value));
  return std::make_unique<InlineBitpackingMiniBlockDecoder>(bits_per_value);
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeInlineBitpackingBlockDecoder(
    const pb::InlineBitpacking& bitpacking, uint32_t bits_per_value) {
  ARROW_RETURN_NOT_OK(CheckInlineBitpacking(bitpacking, bits_per_value));
  return std::make_unique<InlineBitpackingBlockDecoder>(bits_per_value);
}

std::vector<uint32_t> ChooseGroupWidths(const ValueBuffer& values) {
  std::vector<uint32_t> widths(CeilDiv(values.num_values, kGroupValues));
  for (uint64_t i = 0; i < widths.size(); ++i) {
    widths[i] = LargestBitWidth(values.bits_per_value, GroupAt(values, i));
  }
  return widths;
}

uint64_t InlineBitpackedBytes(uint32_t bits_per_value, std::span<const uint32_t> widths) {
  uint64_t bytes = 0;
  for (const uint32_t width : widths) bytes += bits_per_value / 8 + PackedGroupBytes(width);
  return bytes;
}

EncodedMiniBlocks EncodeInlineBitpackingMiniBlocks(const ValueBuffer& values,
                                                   std::span<const uint32_t> widths) {
  const uint32_t bits = values.bits_per_value;
  pb::CompressiveEncoding encoding;
  encoding.mutable_inline_bitpacking()->set_uncompressed_bits_per_value(bits);
  EncodedMiniBlocks encoded;
  encoded.encoding = encoding.SerializeAsString();
  encoded.chunks.reserve(widths.size());
  for (uint64_t i = 0; i < widths.size(); ++i) {
    const auto group = GroupAt(values, i);
    encoded.chunks.push_back({group.size() / (bits / 8), {EncodeGroup(bits, widths[i], group)}});
  }
  return encoded;
}

}  // namespace lance::format
