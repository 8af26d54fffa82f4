#include "lance/format/encodings/fsst.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/variable.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// Codes that are expanded together, so that the loop does not end with each short value. Their
/// positions stay in the fastest cache.
constexpr uint64_t kSliceCodes = 4096;

/// Say what is wrong with the codes of a value that Expand has refused.
arrow::Status RefuseCodes(const FsstSymbolTable& table, std::span<const std::byte> codes) {
  std::vector<std::byte> scratch(codes.size() * FsstSymbolTable::kSymbolBytes);
  return table.ExpandScalar(codes, scratch.data()).status();
}

/// Make room for what some codes can expand to. Never null, which is how Expand refuses codes.
std::byte* GrowForCodes(uint64_t num_codes, ValueBuffer* out) {
  static_assert(FsstSymbolTable::kSymbolBytes <= ByteBuffer::kSlack);
  out->bytes.Reserve(1);
  return out->bytes.Grow(num_codes * FsstSymbolTable::kSymbolBytes);
}

/// Keep `num_bytes` of the room behind the first `size_before` bytes.
arrow::Status KeepExpanded(uint64_t num_bytes, uint64_t size_before, ValueBuffer* out) {
  out->bytes.Truncate(size_before);
  ARROW_RETURN_NOT_OK(CheckOffsetsHold(num_bytes, *out));
  out->bytes.Truncate(size_before + num_bytes);  // the room is still there
  return arrow::Status::OK();
}

/// Append one value, of any size, without its end.
arrow::Status AppendExpanded(const FsstSymbolTable& table, std::span<const std::byte> codes,
                             ValueBuffer* out) {
  const uint64_t size_before = out->bytes.size();
  std::byte* const to = GrowForCodes(codes.size(), out);
  const std::byte* const end = table.Expand(codes, to);
  if (end == nullptr) return RefuseCodes(table, codes);
  return KeepExpanded(static_cast<uint64_t>(end - to), size_before, out);
}

/// Appends the values of a chunk, with offsets of type Stored there and of type End in the result.
template <typename Stored, typename End>
class ChunkExpander {
 public:
  ChunkExpander(const FsstSymbolTable& table, const VariableChunk& chunk, ValueBuffer* out)
      : table_(table), chunk_(chunk), out_(out) {}

  arrow::Status Run() {
    const uint64_t num_values = chunk_.num_values();
    ends_ = GrowOffsets(num_values, out_);
    for (uint64_t first = 0; first < num_values;) {
      uint64_t last = first + 1;
      while (last < num_values && OffsetAt(last + 1) - OffsetAt(first) <= kSliceCodes) ++last;
      if (OffsetAt(last) - OffsetAt(first) <= kSliceCodes) {
        ARROW_RETURN_NOT_OK(ExpandSlice(first, last));
      } else {
        ARROW_RETURN_NOT_OK(AppendExpanded(table_, CodesOf(first, last), out_));
        StoreEnd(first, out_->bytes.size());
      }
      first = last;
    }
    return arrow::Status::OK();
  }

 private:
  uint64_t OffsetAt(uint64_t i) const {
    return LoadLittleEndian<Stored>(chunk_.offsets() + i * sizeof(Stored));
  }

  std::span<const std::byte> CodesOf(uint64_t first, uint64_t last) const {
    return chunk_.buffer().subspan(OffsetAt(first), OffsetAt(last) - OffsetAt(first));
  }

  void StoreEnd(uint64_t value, uint64_t end) {
    const End stored = static_cast<End>(end);
    std::memcpy(ends_ + value * sizeof(End), &stored, sizeof(End));
  }

  /// Append several values that have at most kSliceCodes codes together.
  arrow::Status ExpandSlice(uint64_t first, uint64_t last) {
    uint32_t positions[kSliceCodes + 1];
    const auto codes = CodesOf(first, last);
    const uint64_t size_before = out_->bytes.size();
    std::byte* const to = GrowForCodes(codes.size(), out_);
    const std::byte* const end = table_.Expand(codes, to, positions);
    if (end == nullptr) return Refuse(first, last);
    ARROW_RETURN_NOT_OK(KeepExpanded(static_cast<uint64_t>(end - to), size_before, out_));
    const uint64_t base = OffsetAt(first);
    bool splits_an_escape = false;
    for (uint64_t i = first; i < last; ++i) {
      const uint32_t position = positions[OffsetAt(i + 1) - base];
      splits_an_escape |= position == FsstSymbolTable::kInsideEscape;
      StoreEnd(i, size_before + position);
    }
    return splits_an_escape ? Refuse(first, last) : arrow::Status::OK();
  }

  /// Find the value that cannot be expanded alone.
  arrow::Status Refuse(uint64_t first, uint64_t last) const {
    for (uint64_t i = first; i < last; ++i) {
      ARROW_RETURN_NOT_OK(RefuseCodes(table_, CodesOf(i, i + 1)));
    }
    return arrow::Status::SerializationError("Fsst: values cannot be expanded");
  }

  const FsstSymbolTable& table_;
  const VariableChunk& chunk_;
  ValueBuffer* out_;
  std::byte* ends_ = nullptr;
};

arrow::Status AppendExpandedChunk(const FsstSymbolTable& table, const VariableChunk& chunk,
                                  ValueBuffer* out) {
  if (chunk.num_values() == 0) return arrow::Status::OK();
  if (chunk.offset_bits() == 32) {
    return out->offset_bits == 32 ? ChunkExpander<uint32_t, uint32_t>(table, chunk, out).Run()
                                  : ChunkExpander<uint32_t, uint64_t>(table, chunk, out).Run();
  }
  return out->offset_bits == 32 ? ChunkExpander<uint64_t, uint32_t>(table, chunk, out).Run()
                                : ChunkExpander<uint64_t, uint64_t>(table, chunk, out).Run();
}

class FsstMiniBlockDecoder : public MiniBlockDecoder {
 public:
  FsstMiniBlockDecoder(FsstSymbolTable table, uint32_t offset_bits)
      : table_(std::move(table)), offset_bits_(offset_bits) {}

  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1 && out->is_variable());
    ARROW_ASSIGN_OR_RAISE(const VariableChunk chunk,
                          VariableChunk::Parse(buffers[0], offset_bits_, num_values));
    if (table_.is_off()) return AppendChunk(chunk, out);
    return AppendExpandedChunk(table_, chunk, out);
  }

 private:
  FsstSymbolTable table_;
  uint32_t offset_bits_;
};

class FsstPerValueDecoder : public PerValueDecoder {
 public:
  explicit FsstPerValueDecoder(FsstSymbolTable table) : table_(std::move(table)) {}

  uint64_t stored_bits() const override { return 0; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(out->is_variable());
    if (table_.is_off()) return AppendTexts(values, out);
    if (values.empty()) return arrow::Status::OK();
    std::byte* ends = GrowOffsets(values.size(), out);
    for (const auto codes : values) {
      if (!codes.empty()) ARROW_RETURN_NOT_OK(AppendExpanded(table_, codes, out));
      const uint64_t end = out->bytes.size();
      std::memcpy(ends, &end, out->offset_bits / 8);  // the low bytes come first
      ends += out->offset_bits / 8;
    }
    return arrow::Status::OK();
  }

 private:
  FsstSymbolTable table_;
};

/// The parts of an Fsst message that stands where text is needed.
struct CheckedFsst {
  FsstSymbolTable table;
  uint32_t offset_bits;
};

arrow::Result<CheckedFsst> ParseFsst(const pb::Fsst& fsst, const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckVariableWidth(shape, "Fsst"));
  // Only Variable can be inside, so a hostile tree of encodings is never walked.
  if (!fsst.values().has_variable()) {
    return RefuseEncoding(fsst.values(), "Fsst.values", "Variable");
  }
  ARROW_ASSIGN_OR_RAISE(const uint32_t offset_bits, ParseVariable(fsst.values().variable()));
  ARROW_ASSIGN_OR_RAISE(FsstSymbolTable table,
                        FsstSymbolTable::Parse(AsBytes(fsst.symbol_table())));
  return CheckedFsst{std::move(table), offset_bits};
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFsstMiniBlockDecoder(const pb::Fsst& fsst,
                                                                          const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(CheckedFsst checked, ParseFsst(fsst, shape));
  return std::make_unique<FsstMiniBlockDecoder>(std::move(checked.table), checked.offset_bits);
}

arrow::Result<std::unique_ptr<PerValueDecoder>> MakeFsstPerValueDecoder(const pb::Fsst& fsst,
                                                                        const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(CheckedFsst checked, ParseFsst(fsst, shape));
  return std::make_unique<FsstPerValueDecoder>(std::move(checked.table));
}

}  // namespace lance::format
