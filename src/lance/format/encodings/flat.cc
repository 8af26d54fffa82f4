#include "lance/format/encodings/flat.h"

#include <cstring>

#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

using StoredValues = std::span<const std::span<const std::byte>>;

class FlatMiniBlockDecoder : public MiniBlockDecoder {
 public:
  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1);
    return AppendFlat(buffers[0], num_values, out);
  }
};

class FlatBlockDecoder : public BlockDecoder {
 public:
  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    return AppendFlat(bytes, num_values, out);
  }
};

class FlatPerValueDecoder : public PerValueDecoder {
 public:
  explicit FlatPerValueDecoder(uint32_t bits_per_value) : bits_per_value_(bits_per_value) {}

  uint64_t stored_bits() const override { return bits_per_value_; }

  arrow::Status Decode(StoredValues values, ValueBuffer* out) const override {
    ARROW_RETURN_NOT_OK(CheckStoredSizes(values, bits_per_value_ / 8, "Flat"));
    AppendEach(values, bits_per_value_ / 8, out);
    return arrow::Status::OK();
  }

 private:
  uint32_t bits_per_value_;
};

/// Bools that are stored one by one take a byte each.
class BoolPerValueDecoder : public PerValueDecoder {
 public:
  uint64_t stored_bits() const override { return 8; }

  arrow::Status Decode(StoredValues values, ValueBuffer* out) const override {
    ARROW_RETURN_NOT_OK(CheckStoredSizes(values, 1, "Flat"));
    AppendSameBits(false, values.size(), out->num_values, &out->bytes);
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].data() == nullptr) continue;
      const auto stored = std::to_integer<uint32_t>(values[i][0]);
      if (stored > 1) {
        return arrow::Status::SerializationError("Flat: bool ", i, " is ", stored,
                                                 "; allowed: 0, 1");
      }
      const uint64_t at = out->num_values + i;
      out->bytes.data()[at / 8] |= std::byte(stored << at % 8);
    }
    out->num_values += values.size();
    return arrow::Status::OK();
  }
};

arrow::Status CheckFlat(const pb::Flat& flat, const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckFlatBits(flat, shape.bits_per_value));
  return CheckValueWidth(flat.bits_per_value(), shape, "Flat");
}

template <uint64_t kBytes>
void CopyEach(StoredValues values, std::byte* out) {
  for (const auto value : values) {
    if (value.data() != nullptr) {
      std::memcpy(out, value.data(), kBytes);
    } else {
      std::memset(out, 0, kBytes);
    }
    out += kBytes;
  }
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFlatMiniBlockDecoder(const pb::Flat& flat,
                                                                          const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckFlat(flat, shape));
  return std::make_unique<FlatMiniBlockDecoder>();
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeFlatBlockDecoder(const pb::Flat& flat,
                                                                  const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckFlat(flat, shape));
  return std::make_unique<FlatBlockDecoder>();
}

arrow::Result<std::unique_ptr<PerValueDecoder>> MakeFlatPerValueDecoder(const pb::Flat& flat,
                                                                        const ValueShape& shape) {
  if (shape == ValueShape{.bits_per_value = 1}) {
    ARROW_RETURN_NOT_OK(CheckFlatBits(flat, 8));
    return std::make_unique<BoolPerValueDecoder>();
  }
  ARROW_RETURN_NOT_OK(CheckFlat(flat, shape));
  return std::make_unique<FlatPerValueDecoder>(shape.bits_per_value);
}

arrow::Status CheckFlatBits(const pb::Flat& flat, uint32_t bits) {
  if (flat.has_data()) return RefuseLeafCompression(flat.data(), "Flat");
  const uint64_t claimed_bits = flat.bits_per_value();
  if (claimed_bits == 0 || (claimed_bits != 1 && claimed_bits % 8 != 0)) {
    return arrow::Status::SerializationError("Flat.bits_per_value is ", claimed_bits,
                                             "; allowed: 1 and multiples of 8");
  }
  return CheckValueWidth(claimed_bits, {.bits_per_value = bits}, "Flat");
}

arrow::Status AppendFlat(std::span<const std::byte> bytes, uint64_t num_values, ValueBuffer* out) {
  const uint32_t bits = out->bits_per_value;
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_items,
                        CheckedMul(num_values, out->items_per_value, "Flat: number of items"));
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_bits, CheckedMul(num_items, bits, "Flat: size"));
  if (bytes.size() != CeilDiv(num_bits, 8)) {
    return arrow::Status::SerializationError("Flat: buffer has ", bytes.size(), " bytes, ",
                                             num_items, " values of ", bits, " bits need ",
                                             CeilDiv(num_bits, 8));
  }
  if (bits == 1) {
    AppendBits(bytes.data(), 0, num_items, out->num_items(), &out->bytes);
  } else {
    out->bytes.Append(bytes);
  }
  out->num_values += num_values;
  return arrow::Status::OK();
}

arrow::Status CheckStoredSizes(StoredValues values, uint64_t value_bytes, std::string_view codec) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].size() != value_bytes && values[i].data() != nullptr) {
      return arrow::Status::SerializationError(codec, ": value ", i, " has ", values[i].size(),
                                               " bytes, allowed ", value_bytes);
    }
  }
  return arrow::Status::OK();
}

void AppendEach(StoredValues values, uint64_t value_bytes, ValueBuffer* out) {
  std::byte* to = GrowFixed(values.size(), out);
  switch (value_bytes) {
    case 1:
      return CopyEach<1>(values, to);
    case 2:
      return CopyEach<2>(values, to);
    case 4:
      return CopyEach<4>(values, to);
    case 8:
      return CopyEach<8>(values, to);
    case 16:
      return CopyEach<16>(values, to);
    default:
      break;
  }
  for (const auto value : values) {
    if (value.data() != nullptr) {
      std::memcpy(to, value.data(), value_bytes);
    } else {
      std::memset(to, 0, value_bytes);
    }
    to += value_bytes;
  }
}

}  // namespace lance::format
