#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lance/format/byte_buffer.h"
#include "lance/format/encodings/fsst_matcher.h"
#include "lance/format/encodings/offset_view.h"

namespace lance::format {

/// Replaces frequent substrings of values by one-byte codes. Immutable, cheaply copied.
///
/// The table is chosen from a sample of the values that depends on nothing but the values, so equal
/// values give equal bytes.
///
/// Source: file-format 9.7. The choice of symbols follows Boncz, Neumann, Leis: "FSST: Fast Random
/// Access String Compression", VLDB 2020.
class FsstEncoder {
 public:
  /// Choose the symbols that pay most for these values. Takes about 1 ms however many there are.
  ///
  /// \param bytes what `offsets` points into
  /// \param num_values may be 0: then there are no symbols
  static FsstEncoder Train(std::span<const std::byte> bytes, OffsetView offsets,
                           uint64_t num_values);

  /// Make an encoder of chosen symbols.
  ///
  /// \pre at most 255, distinct, no two of 3 bytes and more in one slot of FsstMatcher
  explicit FsstEncoder(std::vector<FsstSymbol> symbols);

  /// In the order of their codes.
  const std::vector<FsstSymbol>& symbols() const { return symbols_; }

  /// The table as pages store it: 2312 bytes that FsstSymbolTable::Parse reads.
  std::string SerializedTable() const;

  /// Compress each value by itself and append it.
  ///
  /// \param bytes what `offsets` points into
  /// \param out a value takes at most twice its bytes
  /// \param[out] ends num_values positions in `out`, where the values end, are appended
  void Compress(std::span<const std::byte> bytes, OffsetView offsets, uint64_t num_values,
                ByteBuffer* out, std::vector<uint64_t>* ends) const;

 private:
  std::vector<FsstSymbol> symbols_;
  std::shared_ptr<const FsstMatcher> matcher_;
};

}  // namespace lance::format
