#include <bit>
#include <cstring>

#include "lance/base/byte_reader.h"
#include "lance/format/encodings/fsst.h"

// The symbol table and the loop that expands codes.

namespace lance::format {

namespace {

constexpr uint32_t kMagic = 0x46535354;

/// The step of codes without a symbol: length 0 and a flag.
constexpr uint8_t kNoSymbol = 0x80;
constexpr uint8_t kLengthMask = 0x0f;

/// Codes that are looked at together.
constexpr size_t kBlock = 8;

/// A word whose lowest set bit is in the first byte of `codes` that is an escape; 0 without any.
uint64_t FindEscape(uint64_t codes) {
  const uint64_t zeros = ~codes;
  return (zeros - 0x0101010101010101) & ~zeros & 0x8080808080808080;
}

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
  table.steps_.fill(kNoSymbol);
  for (uint32_t i = 0; i < table.num_symbols_; ++i) {
    ARROW_ASSIGN_OR_RAISE(const uint8_t length, in.Read<uint8_t>("lengths"));
    if (length < 1 || length > kSymbolBytes) {
      return in.Corrupt("lengths", "symbol ", i, " has ", int{length}, " bytes, allowed 1 to 8");
    }
    table.steps_[i] = length;
  }
  return table;
}

// Each code costs one table look-up, one store of 8 bytes and one addition, without a branch: codes
// without a symbol add nothing and set a flag. Only an escape leaves the straight way. What stands
// in the same block in front of it is expanded like any block, of which the part behind is dropped,
// so that its place costs no branch either.
template <bool kPositions>
std::byte* FsstSymbolTable::ExpandCodes(std::span<const std::byte> codes, std::byte* out,
                                        uint32_t* positions) const {
  const std::byte* const in = codes.data();
  const size_t size = codes.size();
  const std::byte* const start = out;
  uint32_t flags = 0;
  const auto expand = [&](size_t i, uint32_t code, std::byte* at, uint32_t* seen) {
    if constexpr (kPositions) positions[i] = static_cast<uint32_t>(at - start);
    std::memcpy(at, &symbols_[code], kSymbolBytes);
    *seen |= steps_[code];
    return at + (steps_[code] & kLengthMask);
  };
  size_t i = 0;
  while (i < size) {
    size_t num_plain = 0;  // codes in front of the next escape, up to a block
    if (size - i >= kBlock) {
      const auto word = LoadLittleEndian<uint64_t>(in + i);
      const uint64_t escape = FindEscape(word);
      if (escape == 0) {
        for (size_t j = 0; j < kBlock; ++j) {
          out = expand(i + j, static_cast<uint32_t>(word >> 8 * j & 0xff), out, &flags);
        }
        i += kBlock;
        continue;
      }
      std::byte* ends[kBlock + 1] = {out};
      uint32_t seen[kBlock + 1] = {0};
      for (size_t j = 0; j < kBlock; ++j) {
        seen[j + 1] = seen[j];
        ends[j + 1] =
            expand(i + j, static_cast<uint32_t>(word >> 8 * j & 0xff), ends[j], &seen[j + 1]);
      }
      num_plain = static_cast<size_t>(std::countr_zero(escape)) / 8;
      out = ends[num_plain];
      flags |= seen[num_plain];
    } else {
      for (; num_plain < size - i && in[i + num_plain] != std::byte{kEscape}; ++num_plain) {
        out = expand(i + num_plain, std::to_integer<uint32_t>(in[i + num_plain]), out, &flags);
      }
    }
    i += num_plain;
    for (; i < size && in[i] == std::byte{kEscape}; i += 2) {  // escapes come in flocks
      if (i + 1 == size) return nullptr;
      if constexpr (kPositions) {
        positions[i] = static_cast<uint32_t>(out - start);
        positions[i + 1] = kInsideEscape;
      }
      *out++ = in[i + 1];
    }
  }
  if constexpr (kPositions) positions[size] = static_cast<uint32_t>(out - start);
  return (flags & kNoSymbol) == 0 ? out : nullptr;
}

std::byte* FsstSymbolTable::Expand(std::span<const std::byte> codes, std::byte* out) const {
  return ExpandCodes<false>(codes, out, nullptr);
}

std::byte* FsstSymbolTable::Expand(std::span<const std::byte> codes, std::byte* out,
                                   uint32_t* positions) const {
  return ExpandCodes<true>(codes, out, positions);
}

arrow::Result<uint64_t> FsstSymbolTable::ExpandScalar(std::span<const std::byte> codes,
                                                      std::byte* out) const {
  uint64_t expanded = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const auto code = std::to_integer<uint32_t>(codes[i]);
    if (code == kEscape) {
      if (++i == codes.size()) {
        return arrow::Status::SerializationError("Fsst: a value of ", codes.size(),
                                                 " bytes ends in an escape code");
      }
      out[expanded++] = codes[i];
    } else if (code >= num_symbols_) {
      return arrow::Status::SerializationError("Fsst: code at byte ", i, " of a value is ", code,
                                               ", the table has ", num_symbols_, " symbols");
    } else {
      std::memcpy(out + expanded, &symbols_[code], steps_[code]);
      expanded += steps_[code];
    }
  }
  return expanded;
}

}  // namespace lance::format
