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
//     chunk       (n + 1) offsets of w bytes from the buffer's start | bytes | padding
//     block       w bytes: 8 * w | w bytes: bytes_start | (n + 1) offsets from bytes_start | bytes
//     per value   the bytes

/// One checked Variable chunk. Borrows the chunk's buffer.
///
/// A value of this type is proof that the offsets rise and stay inside the buffer.
class VariableChunk {
 public:
  /// Check untrusted bytes.
  ///
  /// \param offset_bits 32 or 64
  /// \return SerializationError naming the offset that is wrong
  static arrow::Result<VariableChunk> Parse(std::span<const std::byte> buffer, uint32_t offset_bits,
                                            uint64_t num_values);

  uint64_t num_values() const { return num_values_; }
  uint32_t offset_bits() const { return offset_bits_; }

  /// Where value `i` starts in the buffer; the end of the last one for i = num_values().
  uint64_t offset(uint64_t i) const;
  /// All num_values() + 1 offsets, of any alignment.
  const std::byte* offsets() const { return buffer_.data(); }
  /// The whole buffer, which offsets count from.
  std::span<const std::byte> buffer() const { return buffer_; }

  /// Borrow all values, back to back.
  std::span<const std::byte> bytes() const {
    return buffer_.subspan(offset(0), offset(num_values_) - offset(0));
  }

 private:
  VariableChunk(std::span<const std::byte> buffer, uint32_t offset_bits, uint64_t num_values)
      : buffer_(buffer), offset_bits_(offset_bits), num_values_(num_values) {}

  std::span<const std::byte> buffer_;
  uint32_t offset_bits_;
  uint64_t num_values_;
};

/// Check a Variable message. \return its bits per offset, 32 or 64; errors as MakeMiniBlockDecoder
arrow::Result<uint32_t> ParseVariable(const lance_pb::encodings21::Variable& variable);

/// Append the values of a chunk as they are. \return CapacityError as MiniBlockDecoder::Decode
arrow::Status AppendChunk(const VariableChunk& chunk, ValueBuffer* out);

/// Append values that are stored one by one as they are; empty ones where data() is null.
///
/// \return CapacityError as PerValueDecoder::Decode
arrow::Status AppendTexts(std::span<const std::span<const std::byte>> values, ValueBuffer* out);

/// Make a decoder of Variable chunks. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeVariableMiniBlockDecoder(
    const lance_pb::encodings21::Variable& variable, const ValueShape& shape);

/// Make a decoder of Variable blocks. Errors as MakeBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeVariableBlockDecoder(
    const lance_pb::encodings21::Variable& variable, const ValueShape& shape);

/// Make a decoder of values that are stored one by one. Errors as MakePerValueDecoder.
arrow::Result<std::unique_ptr<PerValueDecoder>> MakeVariablePerValueDecoder(
    const lance_pb::encodings21::Variable& variable, const ValueShape& shape);

}  // namespace lance::format
