#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class Flat;
}

namespace lance::format {

// Flat: values as Arrow has them, back to back; bools one bit each, least significant first, but
// one byte each where they are stored one by one. Source: file-format 9.1, 8.2.

/// Make a decoder of Flat chunks. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFlatMiniBlockDecoder(
    const lance_pb::encodings21::Flat& flat, const ValueShape& shape);

/// Make a decoder of Flat blocks. Errors as MakeBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeFlatBlockDecoder(
    const lance_pb::encodings21::Flat& flat, const ValueShape& shape);

/// Make a decoder of Flat values that are stored one by one. Errors as MakePerValueDecoder.
arrow::Result<std::unique_ptr<PerValueDecoder>> MakeFlatPerValueDecoder(
    const lance_pb::encodings21::Flat& flat, const ValueShape& shape);

/// Check that a Flat message describes values, or items of fixed-size lists, of `bits`.
arrow::Status CheckFlatBits(const lance_pb::encodings21::Flat& flat, uint32_t bits);

/// Append `num_values` values with all their items, and count them.
///
/// \return SerializationError when the bytes are not exactly theirs
arrow::Status AppendFlat(std::span<const std::byte> bytes, uint64_t num_values, ValueBuffer* out);

/// Check that values that are stored one by one have `value_bytes` bytes each, or data() null.
arrow::Status CheckStoredSizes(std::span<const std::span<const std::byte>> values,
                               uint64_t value_bytes, std::string_view codec);

/// Append whole bytes of values that CheckStoredSizes has accepted; zeros where data() is null.
void AppendEach(std::span<const std::span<const std::byte>> values, uint64_t value_bytes,
                ValueBuffer* out);

}  // namespace lance::format
