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

  /// Check untrusted bytes.
  static arrow::Result<FsstSymbolTable> Parse(std::span<const std::byte> bytes);

  /// Whether values are stored as they are: the writer switched the encoder off.
  bool is_off() const { return is_off_; }
  uint32_t num_symbols() const { return num_symbols_; }

  /// Check one compressed value. \return its size when it is expanded, at most 8 times its own
  arrow::Result<uint64_t> ExpandedBytes(std::span<const std::byte> codes) const;

  /// Expand one value that ExpandedBytes has accepted.
  ///
  /// \param[out] out its expanded size and 7 bytes more are writable
  /// \return behind the last byte of the value
  std::byte* Expand(std::span<const std::byte> codes, std::byte* out) const;

 private:
  FsstSymbolTable() = default;

  bool is_off_ = false;
  uint32_t num_symbols_ = 0;
  std::array<uint64_t, 255> symbols_{};  // first byte lowest
  std::array<uint8_t, 255> lengths_{};   // 0: no such symbol
};

// Fsst: values whose frequent substrings are replaced by one-byte codes. The chunk is the inner
// encoding's, always Variable.

/// Make a decoder of Fsst{Variable} chunks. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFsstMiniBlockDecoder(
    const lance_pb::encodings21::Fsst& fsst, uint32_t bits_per_value);

}  // namespace lance::format
