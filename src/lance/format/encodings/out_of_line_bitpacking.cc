#include "lance/format/encodings/out_of_line_bitpacking.h"

#include <array>
#include <cstring>

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

/// Values behind the full groups, and whether they are packed. Full groups come first.
struct PackedBlock {
  uint64_t num_groups = 0;
  uint64_t num_tail_values = 0;
  bool is_tail_packed = false;
};

class OutOfLineBitpackingBlockDecoder : public BlockDecoder {
 public:
  OutOfLineBitpackingBlockDecoder(uint32_t bits_per_value, uint32_t width)
      : bits_(bits_per_value), width_(width) {}

  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(out->bits_per_value == bits_);
    ARROW_ASSIGN_OR_RAISE(const PackedBlock block, Parse(bytes.size(), num_values));
    const uint64_t packed_bytes = PackedGroupBytes(width_);
    const uint64_t group_bytes = kGroupValues * bits_ / 8;
    const std::byte* in = bytes.data();
    std::byte* values = GrowFixed(num_values, out);
    for (uint64_t i = 0; i < block.num_groups; ++i) {
      UnpackGroup(bits_, width_, in + i * packed_bytes, values + i * group_bytes);
    }
    if (block.num_tail_values == 0) return arrow::Status::OK();
    const std::byte* tail = in + block.num_groups * packed_bytes;
    std::array<std::byte, kMaxGroupBytes> group;
    if (block.is_tail_packed) {
      UnpackGroup(bits_, width_, tail, group.data());
      tail = group.data();
    }
    std::memcpy(values + block.num_groups * group_bytes, tail, block.num_tail_values * bits_ / 8);
    return arrow::Status::OK();
  }

 private:
  arrow::Result<PackedBlock> Parse(uint64_t size, uint64_t num_values) const {
    // Width 0 takes no bytes, and so proves nothing about the number of values.
    if (width_ == 0) {
      ARROW_RETURN_NOT_OK(CheckExpandedSize(num_values, bits_, "OutOfLineBitpacking of width 0"));
    }
    PackedBlock block{num_values / kGroupValues, num_values % kGroupValues, false};
    ARROW_ASSIGN_OR_RAISE(const uint64_t groups_bytes,
                          CheckedMul(block.num_groups, PackedGroupBytes(width_),
                                     "OutOfLineBitpacking: size of the groups"));
    if (groups_bytes > size) {
      return arrow::Status::SerializationError("OutOfLineBitpacking: ", block.num_groups,
                                               " groups need ", groups_bytes,
                                               " bytes, the buffer has ", size);
    }
    const uint64_t rest = size - groups_bytes;
    const uint64_t plain_bytes = block.num_tail_values * bits_ / 8;
    if (rest == plain_bytes) return block;  // the format tests for plain values first
    if (block.num_tail_values == 0 || rest != PackedGroupBytes(width_)) {
      return arrow::Status::SerializationError(
          "OutOfLineBitpacking: ", rest, " bytes hold the last ", block.num_tail_values,
          " values, allowed ", plain_bytes, " or ",
          block.num_tail_values == 0 ? 0 : PackedGroupBytes(width_));
    }
    block.is_tail_packed = true;
    return block;
  }

  uint32_t bits_;
  uint32_t width_;
};

}  // namespace

arrow::Result<std::unique_ptr<BlockDecoder>> MakeOutOfLineBitpackingBlockDecoder(
    const pb::OutOfLineBitpacking& bitpacking, const ValueShape& shape) {
  const uint64_t claimed_bits = bitpacking.uncompressed_bits_per_value();
  if (!IsIntegerWidth(claimed_bits)) {
    return arrow::Status::SerializationError("OutOfLineBitpacking.uncompressed_bits_per_value is ",
                                             claimed_bits, "; allowed: 8, 16, 32, 64");
  }
  ARROW_RETURN_NOT_OK(CheckValueWidth(claimed_bits, shape, "OutOfLineBitpacking"));
  ARROW_ASSIGN_OR_RAISE(const uint64_t width,
                        ClaimedFlatBits(bitpacking.values(), "OutOfLineBitpacking.values"));
  if (width > claimed_bits) {
    return arrow::Status::SerializationError("OutOfLineBitpacking.values has ", width,
                                             " bits; allowed: 0 to ", claimed_bits);
  }
  return std::make_unique<OutOfLineBitpackingBlockDecoder>(shape.bits_per_value,
                                                           static_cast<uint32_t>(width));
}

}  // namespace lance::format
