#include "lance/format/encodings/variable.h"

#include <cstring>
#include <string_view>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// Load offset `i` of an array of 4- or 8-byte offsets.
uint64_t LoadOffset(const std::byte* offsets, uint32_t offset_bits, uint64_t i) {
  const std::byte* at = offsets + i * (offset_bits / 8);
  return offset_bits == 32 ? LoadLittleEndian<uint32_t>(at) : LoadLittleEndian<uint64_t>(at);
}

/// Whether `num_values` + 1 offsets rise. Without early exit, so that it is vectorised.
template <typename T>
bool Rises(const std::byte* offsets, uint64_t num_values) {
  T falls = 0;
  for (uint64_t i = 0; i < num_values; ++i) {
    const T offset = LoadLittleEndian<T>(offsets + i * sizeof(T));
    const T next = LoadLittleEndian<T>(offsets + (i + 1) * sizeof(T));
    falls |= static_cast<T>(next < offset ? 1 : 0);
  }
  return falls == 0;
}

arrow::Status RefuseFall(const std::byte* offsets, uint32_t offset_bits) {
  uint64_t i = 1;
  while (LoadOffset(offsets, offset_bits, i) >= LoadOffset(offsets, offset_bits, i - 1)) ++i;
  return arrow::Status::SerializationError(
      "Variable: offset ", i, " is ", LoadOffset(offsets, offset_bits, i),
      ", below the one before it, ", LoadOffset(offsets, offset_bits, i - 1));
}

/// Check that `num_values` + 1 offsets rise and stay within `end`.
arrow::Status CheckOffsets(const std::byte* offsets, uint32_t offset_bits, uint64_t num_values,
                           uint64_t end) {
  const bool rises = offset_bits == 32 ? Rises<uint32_t>(offsets, num_values)
                                       : Rises<uint64_t>(offsets, num_values);
  if (!rises) return RefuseFall(offsets, offset_bits);
  const uint64_t last = LoadOffset(offsets, offset_bits, num_values);
  if (last > end) {
    return arrow::Status::SerializationError("Variable: last offset is ", last, ", allowed ", end);
  }
  return arrow::Status::OK();
}

/// The bytes that `num_values` + 1 offsets take.
arrow::Result<uint64_t> OffsetsBytes(uint64_t num_values, uint32_t offset_bits) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_offsets,
                        CheckedAdd(num_values, 1, "Variable: number of offsets"));
  return CheckedMul(num_offsets, offset_bits / 8, "Variable: size of the offsets");
}

/// Append values whose offsets are checked.
arrow::Status AppendTextBytes(std::span<const std::byte> bytes, const std::byte* offsets,
                              uint32_t offset_bits, uint64_t num_values, ValueBuffer* out) {
  LANCE_DCHECK(out->is_variable());
  ARROW_RETURN_NOT_OK(CheckOffsetsHold(bytes.size(), *out));
  if (num_values == 0) return arrow::Status::OK();
  AppendOffsets(offsets, offset_bits, num_values, out->bytes.size(), out);
  out->bytes.Append(bytes);
  return arrow::Status::OK();
}

class VariableMiniBlockDecoder : public MiniBlockDecoder {
 public:
  explicit VariableMiniBlockDecoder(uint32_t offset_bits) : offset_bits_(offset_bits) {}

  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1);
    ARROW_ASSIGN_OR_RAISE(const VariableChunk chunk,
                          VariableChunk::Parse(buffers[0], offset_bits_, num_values));
    return AppendChunk(chunk, out);
  }

 private:
  uint32_t offset_bits_;
};

class VariableBlockDecoder : public BlockDecoder {
 public:
  explicit VariableBlockDecoder(uint32_t offset_bits) : offset_bits_(offset_bits) {}

  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    ByteReader in(bytes, "Variable block");
    ARROW_ASSIGN_OR_RAISE(const uint64_t bits, ReadWord(&in, "bits_per_offset"));
    if (bits != offset_bits_) {
      return in.Corrupt("bits_per_offset", "is ", bits, ", the encoding says ", offset_bits_);
    }
    ARROW_ASSIGN_OR_RAISE(const uint64_t bytes_start, ReadWord(&in, "bytes_start"));
    ARROW_ASSIGN_OR_RAISE(const uint64_t offsets_bytes, OffsetsBytes(num_values, offset_bits_));
    if (bytes_start < in.offset() || bytes_start - in.offset() != offsets_bytes) {
      return in.Corrupt("bytes_start", "is ", bytes_start, ", header and ", num_values,
                        " values need ", in.offset(), " + ", offsets_bytes);
    }
    ARROW_ASSIGN_OR_RAISE(const auto offsets, in.Take(offsets_bytes, "offsets"));
    const auto values = bytes.subspan(in.offset());
    const uint64_t first = LoadOffset(offsets.data(), offset_bits_, 0);
    if (first != 0) return in.Corrupt("offsets", "start at ", first, ", allowed 0");
    ARROW_RETURN_NOT_OK(CheckOffsets(offsets.data(), offset_bits_, num_values, values.size()));
    const uint64_t last = LoadOffset(offsets.data(), offset_bits_, num_values);
    return AppendTextBytes(values.first(last), offsets.data(), offset_bits_, num_values, out);
  }

 private:
  arrow::Result<uint64_t> ReadWord(ByteReader* in, std::string_view field) const {
    if (offset_bits_ == 64) return in->Read<uint64_t>(field);
    ARROW_ASSIGN_OR_RAISE(const uint32_t word, in->Read<uint32_t>(field));
    return uint64_t{word};
  }

  uint32_t offset_bits_;
};

class VariablePerValueDecoder : public PerValueDecoder {
 public:
  uint64_t stored_bits() const override { return 0; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> values,
                       ValueBuffer* out) const override {
    return AppendTexts(values, out);
  }
};

template <typename T>
void WriteEnds(std::span<const std::span<const std::byte>> values, uint64_t end, std::byte* out) {
  for (const auto value : values) {
    end += value.size();
    const T stored = static_cast<T>(end);
    std::memcpy(out, &stored, sizeof(T));
    out += sizeof(T);
  }
}

/// Parse a Variable message for a column that must be of variable width.
arrow::Result<uint32_t> ParseVariableFor(const pb::Variable& variable, const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckVariableWidth(shape, "Variable"));
  return ParseVariable(variable);
}

}  // namespace

arrow::Result<VariableChunk> VariableChunk::Parse(std::span<const std::byte> buffer,
                                                  uint32_t offset_bits, uint64_t num_values) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t header, OffsetsBytes(num_values, offset_bits));
  if (header > buffer.size()) {
    return arrow::Status::SerializationError("Variable: offsets of ", num_values, " values need ",
                                             header, " bytes, the buffer has ", buffer.size());
  }
  const uint64_t first = LoadOffset(buffer.data(), offset_bits, 0);
  if (first < header) {
    return arrow::Status::SerializationError("Variable: first offset is ", first,
                                             ", inside the offsets of ", header, " bytes");
  }
  ARROW_RETURN_NOT_OK(CheckOffsets(buffer.data(), offset_bits, num_values, buffer.size()));
  return VariableChunk(buffer, offset_bits, num_values);
}

uint64_t VariableChunk::offset(uint64_t i) const {
  return LoadOffset(buffer_.data(), offset_bits_, i);
}

arrow::Result<uint32_t> ParseVariable(const pb::Variable& variable) {
  if (variable.has_values()) return RefuseLeafCompression(variable.values(), "Variable");
  ARROW_ASSIGN_OR_RAISE(const uint64_t bits,
                        ClaimedFlatBits(variable.offsets(), "Variable.offsets"));
  if (bits != 32 && bits != 64) {
    return arrow::Status::SerializationError("Variable.offsets has ", bits,
                                             " bits; allowed: 32, 64");
  }
  return static_cast<uint32_t>(bits);
}

arrow::Status AppendChunk(const VariableChunk& chunk, ValueBuffer* out) {
  return AppendTextBytes(chunk.bytes(), chunk.offsets(), chunk.offset_bits(), chunk.num_values(),
                         out);
}

arrow::Status AppendTexts(std::span<const std::span<const std::byte>> values, ValueBuffer* out) {
  LANCE_DCHECK(out->is_variable());
  uint64_t num_bytes = 0;  // cannot wrap: real bytes, each of a value of its own
  for (const auto value : values) num_bytes += value.size();
  ARROW_RETURN_NOT_OK(CheckOffsetsHold(num_bytes, *out));
  if (values.empty()) return arrow::Status::OK();
  std::byte* const ends = GrowOffsets(values.size(), out);
  if (out->offset_bits == 32) {
    WriteEnds<uint32_t>(values, out->bytes.size(), ends);
  } else {
    WriteEnds<uint64_t>(values, out->bytes.size(), ends);
  }
  std::byte* to = num_bytes > 0 ? out->bytes.Grow(num_bytes) : nullptr;
  for (const auto value : values) {
    if (value.empty()) continue;
    std::memcpy(to, value.data(), value.size());
    to += value.size();
  }
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeVariableMiniBlockDecoder(
    const pb::Variable& variable, const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(const uint32_t offset_bits, ParseVariableFor(variable, shape));
  return std::make_unique<VariableMiniBlockDecoder>(offset_bits);
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeVariableBlockDecoder(const pb::Variable& variable,
                                                                      const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(const uint32_t offset_bits, ParseVariableFor(variable, shape));
  return std::make_unique<VariableBlockDecoder>(offset_bits);
}

arrow::Result<std::unique_ptr<PerValueDecoder>> MakeVariablePerValueDecoder(
    const pb::Variable& variable, const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(ParseVariableFor(variable, shape).status());
  return std::make_unique<VariablePerValueDecoder>();
}

}  // namespace lance::format
