#include "lance/format/encodings/variable.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encodings/chunk_size.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// Load offset `i` of an array of 4- or 8-byte offsets.
uint64_t LoadOffset(std::span<const std::byte> offsets, uint32_t offset_bytes, uint64_t i) {
  const std::byte* at = offsets.data() + i * offset_bytes;
  return offset_bytes == 4 ? LoadLittleEndian<uint32_t>(at) : LoadLittleEndian<uint64_t>(at);
}

/// Check that `num_values` + 1 offsets rise from `first` on and stay within `end`.
arrow::Status CheckOffsets(std::span<const std::byte> offsets, uint32_t offset_bytes,
                           uint64_t num_values, uint64_t end) {
  uint64_t previous = LoadOffset(offsets, offset_bytes, 0);
  for (uint64_t i = 1; i <= num_values; ++i) {
    const uint64_t offset = LoadOffset(offsets, offset_bytes, i);
    if (offset < previous) {
      return arrow::Status::SerializationError("Variable: offset ", i, " is ", offset,
                                               ", below the one before it, ", previous);
    }
    previous = offset;
  }
  if (previous > end) {
    return arrow::Status::SerializationError("Variable: last offset is ", previous, ", allowed ",
                                             end);
  }
  return arrow::Status::OK();
}

/// The bytes that `num_values` + 1 offsets take.
arrow::Result<uint64_t> OffsetsBytes(uint64_t num_values, uint32_t offset_bytes) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_offsets,
                        CheckedAdd(num_values, 1, "Variable: number of offsets"));
  return CheckedMul(num_offsets, offset_bytes, "Variable: size of the offsets");
}

/// Append checked values. `offset_at(i)` is where value i starts, of those in `bytes` together.
template <typename OffsetAt>
void AppendValues(std::span<const std::byte> bytes, uint64_t num_values, OffsetAt offset_at,
                  ValueBuffer* out) {
  if (out->offsets.empty()) out->offsets.push_back(0);
  const uint64_t base = out->bytes.size();
  const uint64_t first = offset_at(0);
  const size_t old_offsets = out->offsets.size();
  out->offsets.resize(old_offsets + num_values);
  for (uint64_t i = 0; i < num_values; ++i) {
    out->offsets[old_offsets + i] = base + (offset_at(i + 1) - first);
  }
  out->bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  out->num_values += num_values;
}

class VariableMiniBlockDecoder : public MiniBlockDecoder {
 public:
  explicit VariableMiniBlockDecoder(uint32_t offset_bytes) : offset_bytes_(offset_bytes) {}

  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1 && out->is_variable());
    ARROW_ASSIGN_OR_RAISE(const VariableChunk chunk,
                          VariableChunk::Parse(buffers[0], offset_bytes_, num_values));
    AppendValues(
        chunk.bytes(), num_values, [&](uint64_t i) { return chunk.offset(i); }, out);
    return arrow::Status::OK();
  }

 private:
  uint32_t offset_bytes_;
};

class VariableBlockDecoder : public BlockDecoder {
 public:
  explicit VariableBlockDecoder(uint32_t offset_bytes) : offset_bytes_(offset_bytes) {}

  arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(out->is_variable());
    ByteReader in(bytes, "Variable block");
    ARROW_ASSIGN_OR_RAISE(const uint64_t bits, ReadWord(&in, "bits_per_offset"));
    if (bits != uint64_t{offset_bytes_} * 8) {
      return in.Corrupt("bits_per_offset", "is ", bits, ", the encoding says ", offset_bytes_ * 8);
    }
    ARROW_ASSIGN_OR_RAISE(const uint64_t bytes_start, ReadWord(&in, "bytes_start"));
    ARROW_ASSIGN_OR_RAISE(const uint64_t offsets_bytes, OffsetsBytes(num_values, offset_bytes_));
    if (bytes_start < in.offset() || bytes_start - in.offset() != offsets_bytes) {
      return in.Corrupt("bytes_start", "is ", bytes_start, ", header and ", num_values,
                        " values need ", in.offset(), " + ", offsets_bytes);
    }
    ARROW_ASSIGN_OR_RAISE(const auto offsets, in.Take(offsets_bytes, "offsets"));
    const auto values = bytes.subspan(in.offset());
    const auto offset_at = [&](uint64_t i) { return LoadOffset(offsets, offset_bytes_, i); };
    if (offset_at(0) != 0) return in.Corrupt("offsets", "start at ", offset_at(0), ", allowed 0");
    ARROW_RETURN_NOT_OK(CheckOffsets(offsets, offset_bytes_, num_values, values.size()));
    AppendValues(values.first(offset_at(num_values)), num_values, offset_at, out);
    return arrow::Status::OK();
  }

 private:
  arrow::Result<uint64_t> ReadWord(ByteReader* in, std::string_view field) const {
    if (offset_bytes_ == 8) return in->Read<uint64_t>(field);
    ARROW_ASSIGN_OR_RAISE(const uint32_t word, in->Read<uint32_t>(field));
    return uint64_t{word};
  }

  uint32_t offset_bytes_;
};

/// The reference's aim for the offsets and bytes of a chunk.
constexpr uint64_t kTargetChunkBytes = 4096;

/// Cuts variable-width values into chunks.
class VariableChunker {
 public:
  VariableChunker(const ValueBuffer& values, uint32_t level_bytes_per_value, uint32_t offset_bytes)
      : values_(values),
        level_bytes_per_value_(level_bytes_per_value),
        offset_bytes_(offset_bytes) {}

  /// Choose how many values the chunk that starts at value `first` holds.
  arrow::Result<uint64_t> ChooseNumValues(uint64_t first) const {
    const uint64_t rest = values_.num_values - first;
    if (rest == 1 || Fits(first, rest)) return CheckFits(first, rest);
    uint64_t n = 2;  // readers refuse a chunk of one value that is not the last
    while (2 * n <= rest && Fits(first, 2 * n)) n *= 2;
    return CheckFits(first, n);
  }

  /// Encode one chunk: offsets from the buffer's start, bytes, padding.
  std::string Encode(uint64_t first, uint64_t num_values) const {
    const uint64_t header = (num_values + 1) * offset_bytes_;
    const uint64_t start = values_.offsets[first];
    std::string buffer;
    buffer.reserve(BufferBytes(first, num_values) + offset_bytes_);
    for (uint64_t i = 0; i <= num_values; ++i) {
      const uint64_t offset = header + values_.offsets[first + i] - start;
      if (offset_bytes_ == 4) {
        AppendLittleEndian(static_cast<uint32_t>(offset), &buffer);
      } else {
        AppendLittleEndian(offset, &buffer);
      }
    }
    buffer.append(values_.bytes, start, values_.offsets[first + num_values] - start);
    buffer.append(-buffer.size() % offset_bytes_, 'H');  // the reference's padding, counted as size
    return buffer;
  }

 private:
  uint64_t BufferBytes(uint64_t first, uint64_t num_values) const {
    return (num_values + 1) * offset_bytes_ + values_.offsets[first + num_values] -
           values_.offsets[first];
  }

  uint64_t ChunkBytes(uint64_t first, uint64_t num_values) const {
    return ChunkBytesBound(num_values, CeilDiv(BufferBytes(first, num_values), 8) * 8,
                           level_bytes_per_value_);
  }

  bool Fits(uint64_t first, uint64_t num_values) const {
    return num_values <= kMaxChunkValues && BufferBytes(first, num_values) <= kTargetChunkBytes &&
           ChunkBytes(first, num_values) <= kMaxChunkBytes;
  }

  arrow::Result<uint64_t> CheckFits(uint64_t first, uint64_t num_values) const {
    const uint64_t chunk_bytes = ChunkBytes(first, num_values);
    if (chunk_bytes <= kMaxChunkBytes) return num_values;
    return arrow::Status::CapacityError("mini-block chunk: the ", num_values, " values from value ",
                                        first, " on need ", chunk_bytes, " bytes, a chunk holds ",
                                        kMaxChunkBytes);
  }

  const ValueBuffer& values_;
  uint64_t level_bytes_per_value_;
  uint32_t offset_bytes_;
};

}  // namespace

arrow::Result<VariableChunk> VariableChunk::Parse(std::span<const std::byte> buffer,
                                                  uint32_t offset_bytes, uint64_t num_values) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t header, OffsetsBytes(num_values, offset_bytes));
  if (header > buffer.size()) {
    return arrow::Status::SerializationError("Variable: offsets of ", num_values, " values need ",
                                             header, " bytes, the buffer has ", buffer.size());
  }
  const uint64_t first = LoadOffset(buffer, offset_bytes, 0);
  if (first < header) {
    return arrow::Status::SerializationError("Variable: first offset is ", first,
                                             ", inside the offsets of ", header, " bytes");
  }
  ARROW_RETURN_NOT_OK(CheckOffsets(buffer, offset_bytes, num_values, buffer.size()));
  return VariableChunk(buffer, offset_bytes, num_values);
}

uint64_t VariableChunk::offset(uint64_t i) const { return LoadOffset(buffer_, offset_bytes_, i); }

arrow::Result<uint32_t> ParseVariable(const pb::Variable& variable) {
  if (variable.has_values()) return RefuseLeafCompression(variable.values(), "Variable");
  ARROW_ASSIGN_OR_RAISE(const uint64_t bits,
                        ClaimedFlatBits(variable.offsets(), "Variable.offsets"));
  if (bits != 32 && bits != 64) {
    return arrow::Status::SerializationError("Variable.offsets has ", bits,
                                             " bits; allowed: 32, 64");
  }
  return static_cast<uint32_t>(bits / 8);
}

namespace {

/// Parse a Variable message for a column that must be of variable width.
arrow::Result<uint32_t> ParseVariableFor(const pb::Variable& variable, uint32_t bits_per_value) {
  if (bits_per_value != 0) {
    return arrow::Status::SerializationError("Variable: has variable width, the column needs ",
                                             bits_per_value, " bits");
  }
  return ParseVariable(variable);
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeVariableMiniBlockDecoder(
    const pb::Variable& variable, uint32_t bits_per_value) {
  ARROW_ASSIGN_OR_RAISE(const uint32_t offset_bytes, ParseVariableFor(variable, bits_per_value));
  return std::make_unique<VariableMiniBlockDecoder>(offset_bytes);
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeVariableBlockDecoder(const pb::Variable& variable,
                                                                      uint32_t bits_per_value) {
  ARROW_ASSIGN_OR_RAISE(const uint32_t offset_bytes, ParseVariableFor(variable, bits_per_value));
  return std::make_unique<VariableBlockDecoder>(offset_bytes);
}

arrow::Result<EncodedMiniBlocks> EncodeVariableMiniBlocks(const ValueBuffer& values,
                                                          uint32_t level_bytes_per_value,
                                                          uint32_t offset_bits) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(offset_bits);
  EncodedMiniBlocks encoded;
  encoded.encoding = encoding.SerializeAsString();
  const VariableChunker chunker(values, level_bytes_per_value, offset_bits / 8);
  for (uint64_t first = 0; first < values.num_values;) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t n, chunker.ChooseNumValues(first));
    encoded.chunks.push_back({n, {chunker.Encode(first, n)}});
    first += n;
  }
  return encoded;
}

}  // namespace lance::format
