#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class Variable;
}

namespace lance::format {

// Variable: values of any length behind their offsets. Source: file-format 9.2. With w = 4 or 8:
//
//     chunk   (n + 1) offsets of w bytes from the buffer's start | bytes | padding
//     block   w bytes: 8 * w | w bytes: bytes_start | (n + 1) offsets from bytes_start | bytes

/// One checked Variable chunk. Borrows the chunk's buffer.
///
/// A value of this type is proof that the offsets rise and stay inside the buffer.
class VariableChunk {
 public:
  /// Check untrusted bytes.
  ///
  /// \param offset_bytes 4 or 8
  /// \return SerializationError naming the offset that is wrong
  static arrow::Result<VariableChunk> Parse(std::span<const std::byte> buffer,
                                            uint32_t offset_bytes, uint64_t num_values);

  uint64_t num_values() const { return num_values_; }

  /// Borrow value `i`. \pre i < num_values()
  std::span<const std::byte> value(uint64_t i) const {
    return buffer_.subspan(offset(i), offset(i + 1) - offset(i));
  }

  /// Where value `i` starts; the end of the last one for i = num_values().
  uint64_t offset(uint64_t i) const;

  /// Borrow all values, back to back.
  std::span<const std::byte> bytes() const {
    return buffer_.subspan(offset(0), offset(num_values_) - offset(0));
  }

 private:
  VariableChunk(std::span<const std::byte> buffer, uint32_t offset_bytes, uint64_t num_values)
      : buffer_(buffer), offset_bytes_(offset_bytes), num_values_(num_values) {}

  std::span<const std::byte> buffer_;
  uint32_t offset_bytes_;
  uint64_t num_values_;
};

/// Check a Variable message. \return its bytes per offset, 4 or 8; errors as MakeMiniBlockDecoder
arrow::Result<uint32_t> ParseVariable(const lance_pb::encodings21::Variable& variable);

/// Make a decoder of Variable chunks. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeVariableMiniBlockDecoder(
    const lance_pb::encodings21::Variable& variable, uint32_t bits_per_value);

/// Make a decoder of Variable blocks. Errors as MakeBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeVariableBlockDecoder(
    const lance_pb::encodings21::Variable& variable, uint32_t bits_per_value);

/// Cut variable-width values into Variable chunks. Errors as EncodeMiniBlocks.
///
/// \param offset_bits 32 or 64
arrow::Result<EncodedMiniBlocks> EncodeVariableMiniBlocks(const ValueBuffer& values,
                                                          uint32_t level_bytes_per_value,
                                                          uint32_t offset_bits);

}  // namespace lance::format
