#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class Fsst;
}

namespace lance::format {

/// The symbols of one page, checked. Immutable, share freely.
///
/// Layout, always 2312 bytes: u8 n | u8 terminator | u8 suffix limit | u8 switch, bit 0 |
/// u32 "TSSF" | n symbols of 8 bytes | n lengths of 1 byte, 1 to 8 | zeros.
/// Source: file-format 9.7.
class FsstSymbolTable {
 public:
  /// Size of a stored table.
  static constexpr uint64_t kStoredBytes = 2312;
  /// The code in front of a byte that stands for itself.
  static constexpr uint32_t kEscape = 255;
  /// The most bytes that a code expands to.
  static constexpr uint64_t kSymbolBytes = 8;
  /// Where no value can start: behind an escape code.
  static constexpr uint32_t kInsideEscape = 0xffffffff;

  /// Check untrusted bytes.
  static arrow::Result<FsstSymbolTable> Parse(std::span<const std::byte> bytes);

  /// Whether values are stored as they are: the writer switched the encoder off.
  bool is_off() const { return is_off_; }
  uint32_t num_symbols() const { return num_symbols_; }

  /// Expand untrusted codes.
  ///
  /// \param[out] out kSymbolBytes for each code, and kSymbolBytes more, are writable
  /// \return behind the last byte; null when a code is not in the table or the last one escapes
  ///   nothing
  std::byte* Expand(std::span<const std::byte> codes, std::byte* out) const;

  /// Expand, and say where each code's bytes start.
  ///
  /// \pre codes.size() < 2^28
  /// \param[out] positions codes.size() + 1 of them, counted from `out`; kInsideEscape for the byte
  ///   that an escape code announces; the last one is the end
  std::byte* Expand(std::span<const std::byte> codes, std::byte* out, uint32_t* positions) const;

  /// Expand code by code, from the specification: the oracle of tests; names what Expand refuses.
  ///
  /// \return the number of bytes written
  arrow::Result<uint64_t> ExpandScalar(std::span<const std::byte> codes, std::byte* out) const;

 private:
  FsstSymbolTable() = default;

  template <bool kPositions>
  std::byte* ExpandCodes(std::span<const std::byte> codes, std::byte* out,
                         uint32_t* positions) const;

  bool is_off_ = false;
  uint32_t num_symbols_ = 0;
  std::array<uint64_t, 256> symbols_{};  // first byte lowest
  std::array<uint8_t, 256> steps_{};     // length, or kNoSymbol
};

// Fsst: values whose frequent substrings are replaced by one-byte codes. How they are stored is the
// inner encoding's, always Variable.

/// Make a decoder of Fsst{Variable} chunks. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFsstMiniBlockDecoder(
    const lance_pb::encodings21::Fsst& fsst, const ValueShape& shape);

/// Make a decoder of values that are stored one by one. Errors as MakePerValueDecoder.
arrow::Result<std::unique_ptr<PerValueDecoder>> MakeFsstPerValueDecoder(
    const lance_pb::encodings21::Fsst& fsst, const ValueShape& shape);

}  // namespace lance::format
