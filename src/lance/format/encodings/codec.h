#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "arrow/result.h"
#include "lance/format/encodings/value_buffer.h"
#include "lance/format/encodings/value_shape.h"

namespace lance_pb::encodings21 {
class CompressiveEncoding;
}

namespace lance::format {

/// Decodes the value buffers of one mini-block chunk (file-format 9, context "mini").
///
/// Made from a checked description; immutable, share freely.
class MiniBlockDecoder {
 public:
  virtual ~MiniBlockDecoder() = default;

  /// How many value buffers each chunk has.
  virtual int num_buffers() const = 0;

  /// Append the chunk's `num_values` values to `out`, which was made for the decoder's shape.
  ///
  /// \param buffers untrusted bytes, num_buffers() of them
  /// \param num_values what the caller has checked to be at most 2^16 (what chunks can hold)
  /// \return SerializationError when they are not what the encoding says, CapacityError when
  ///   `out` would exceed its offsets; `out` is then garbage
  virtual arrow::Status Decode(std::span<const std::span<const std::byte>> buffers,
                               uint64_t num_values, ValueBuffer* out) const = 0;
};

/// Decodes one buffer of `num_values` values: levels and dictionaries (context "block").
class BlockDecoder {
 public:
  virtual ~BlockDecoder() = default;

  /// Append `num_values` values to `out`, which was made for the decoder's shape.
  ///
  /// \param bytes untrusted
  /// \return SerializationError when they are not what the encoding says, CapacityError when they
  ///   would expand to more than 128 MiB without proof in their size; `out` is then garbage
  virtual arrow::Status Decode(std::span<const std::byte> bytes, uint64_t num_values,
                               ValueBuffer* out) const = 0;
};

/// Decodes values that are stored one by one (context "per-value": full-zip pages).
class PerValueDecoder {
 public:
  virtual ~PerValueDecoder() = default;

  /// Fixed width: the bits that one stored value takes, validity bits of its items included, a
  /// multiple of 8. 0: values are stored behind their length.
  virtual uint64_t stored_bits() const = 0;

  /// Append values to `out`, which was made for the decoder's shape.
  ///
  /// \param values untrusted bytes, one span a value; of fixed width each has stored_bits() / 8
  ///   bytes. A span whose data() is null stands for a null row without bytes: a dummy is appended
  /// \return as MiniBlockDecoder::Decode
  virtual arrow::Status Decode(std::span<const std::span<const std::byte>> values,
                               ValueBuffer* out) const = 0;
};

/// Make a decoder from a description of values; `place` names it in errors.
///
/// \return SerializationError when the description is broken or does not fit the shape;
///   NotImplemented + UnsupportedFeature for an encoding of no released format version
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeMiniBlockDecoder(
    const lance_pb::encodings21::CompressiveEncoding& encoding, const ValueShape& shape);

/// Make a decoder of one buffer. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeBlockDecoder(
    const lance_pb::encodings21::CompressiveEncoding& encoding, const ValueShape& shape);

/// Make a decoder of values stored one by one. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<PerValueDecoder>> MakePerValueDecoder(
    const lance_pb::encodings21::CompressiveEncoding& encoding, const ValueShape& shape);

/// Whether a page of `version` 2.1 may have this encoding; 2.2 may have all that Make* takes.
///
/// Source: file-format 1.3. \return SerializationError naming what 2.1 does not have
arrow::Status CheckGrammarOf21(const lance_pb::encodings21::CompressiveEncoding& encoding);

}  // namespace lance::format
