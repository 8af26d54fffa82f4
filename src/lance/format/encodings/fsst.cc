#include "lance/format/encodings/fsst.h"

#include <cstring>
#include <utility>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/variable.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

constexpr uint32_t kMagic = 0x46535354;
constexpr uint32_t kSymbolBytes = 8;

class FsstMiniBlockDecoder : public MiniBlockDecoder {
 public:
  FsstMiniBlockDecoder(FsstSymbolTable table, uint32_t offset_bytes)
      : table_(std::move(table)), offset_bytes_(offset_bytes) {}

  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1 && out->is_variable());
    ARROW_ASSIGN_OR_RAISE(const VariableChunk chunk,
                          VariableChunk::Parse(buffers[0], offset_bytes_, num_values));
    if (out->offsets.empty()) out->offsets.push_back(0);
    uint64_t end = out->bytes.size();
    for (uint64_t i = 0; i < num_values; ++i) {
      ARROW_ASSIGN_OR_RAISE(const uint64_t value_bytes, ExpandedBytes(chunk.value(i)));
      end += value_bytes;
      out->offsets.push_back(end);
    }
    AppendExpanded(chunk, end, out);
    out->num_values += num_values;
    return arrow::Status::OK();
  }

 private:
  arrow::Result<uint64_t> ExpandedBytes(std::span<const std::byte> value) const {
    if (table_.is_off()) return value.size();
    return table_.ExpandedBytes(value);
  }

  void AppendExpanded(const VariableChunk& chunk, uint64_t end, ValueBuffer* out) const {
    const auto stored = chunk.bytes();
    if (table_.is_off()) {
      out->bytes.append(reinterpret_cast<const char*>(stored.data()), stored.size());
      return;
    }
    const size_t start = out->bytes.size();
    out->bytes.resize(end + kSymbolBytes - 1);  // symbols are written eight bytes at a time
    auto* at = reinterpret_cast<std::byte*>(out->bytes.data()) + start;
    for (uint64_t i = 0; i < chunk.num_values(); ++i) at = table_.Expand(chunk.value(i), at);
    out->bytes.resize(end);
  }

  FsstSymbolTable table_;
  uint32_t offset_bytes_;
};

}  // namespace

arrow::Result<FsstSymbolTable> FsstSymbolTable::Parse(std::span<const std::byte> bytes) {
  if (bytes.size() != kStoredBytes) {
    return arrow::Status::SerializationError("Fsst.symbol_table has ", bytes.size(),
                                             " bytes; allowed: ", kStoredBytes);
  }
  ByteReader in(bytes, "Fsst.symbol_table");
  ARROW_ASSIGN_OR_RAISE(const uint64_t header, in.Read<uint64_t>("header"));
  if (header >> 32 != kMagic) return in.Corrupt("header", "has no magic TSSF");
  FsstSymbolTable table;
  table.is_off_ = (header >> 24 & 1) == 0;
  if (table.is_off_) return table;  // then the rest of the table is of no use
  table.num_symbols_ = header & 0xff;
  for (uint32_t i = 0; i < table.num_symbols_; ++i) {
    ARROW_ASSIGN_OR_RAISE(table.symbols_[i], in.Read<uint64_t>("symbols"));
  }
  for (uint32_t i = 0; i < table.num_symbols_; ++i) {
    ARROW_ASSIGN_OR_RAISE(const uint8_t length, in.Read<uint8_t>("lengths"));
    if (length < 1 || length > kSymbolBytes) {
      return in.Corrupt("lengths", "symbol ", i, " has ", int{length}, " bytes, allowed 1 to 8");
    }
    table.lengths_[i] = length;
  }
  return table;
}

arrow::Result<uint64_t> FsstSymbolTable::ExpandedBytes(std::span<const std::byte> codes) const {
  uint64_t expanded = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const auto code = std::to_integer<uint32_t>(codes[i]);
    if (code == kEscape) {
      if (++i == codes.size()) {
        return arrow::Status::SerializationError("Fsst: a value of ", codes.size(),
                                                 " bytes ends in an escape code");
      }
      ++expanded;
    } else if (code >= num_symbols_) {
      return arrow::Status::SerializationError("Fsst: code at byte ", i, " of a value is ", code,
                                               ", the table has ", num_symbols_, " symbols");
    } else {
      expanded += lengths_[code];
    }
  }
  return expanded;
}

std::byte* FsstSymbolTable::Expand(std::span<const std::byte> codes, std::byte* out) const {
  for (size_t i = 0; i < codes.size(); ++i) {
    const auto code = std::to_integer<uint32_t>(codes[i]);
    if (code == kEscape) {
      *out++ = codes[++i];
    } else {
      std::memcpy(out, &symbols_[code], kSymbolBytes);
      out += lengths_[code];
    }
  }
  return out;
}

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFsstMiniBlockDecoder(const pb::Fsst& fsst,
                                                                          uint32_t bits_per_value) {
  if (bits_per_value != 0) {
    return arrow::Status::SerializationError("Fsst: has variable width, the column needs ",
                                             bits_per_value, " bits");
  }
  // Only Variable can be inside, so a hostile tree of encodings is never walked.
  if (!fsst.values().has_variable()) {
    return RefuseEncoding(fsst.values(), "Fsst.values", "Variable");
  }
  ARROW_ASSIGN_OR_RAISE(const uint32_t offset_bytes, ParseVariable(fsst.values().variable()));
  ARROW_ASSIGN_OR_RAISE(FsstSymbolTable table,
                        FsstSymbolTable::Parse(AsBytes(fsst.symbol_table())));
  return std::make_unique<FsstMiniBlockDecoder>(std::move(table), offset_bytes);
}

}  // namespace lance::format
