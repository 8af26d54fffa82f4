#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "arrow/status.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class BufferCompression;
}

namespace lance::format {

/// The most bytes that a buffer may expand to where its own size does not bound them: runs, and
/// packed values of width 0. 2^26 levels.
inline constexpr uint64_t kMaxExpandedBytes = uint64_t{1} << 27;

/// Name an encoding for messages, for example "InlineBitpacking" or "General (zstd)".
std::string EncodingName(const lance_pb::encodings21::CompressiveEncoding& encoding);

/// Name what a column needs for messages, for example "32 bits" or "variable width".
std::string ShapeName(const ValueShape& shape);

/// Build the error for an encoding that cannot stand where it does.
///
/// \param place what it would be, for example "Fsst.values"
/// \param allowed what we take there
/// \return NotImplemented + UnsupportedFeature when we have the encoding nowhere, else
///   SerializationError; also when no member is set
arrow::Status RefuseEncoding(const lance_pb::encodings21::CompressiveEncoding& encoding,
                             std::string_view place, std::string_view allowed);

/// Refuse a compressor that is set on a leaf: no known writer does that (file-format 5).
///
/// \return NotImplemented + UnsupportedFeature
arrow::Status RefuseLeafCompression(const lance_pb::encodings21::BufferCompression& compression,
                                    std::string_view leaf);

/// Take an encoding that must be a plain Flat. \return its bits per value, unchecked
arrow::Result<uint64_t> ClaimedFlatBits(const lance_pb::encodings21::CompressiveEncoding& encoding,
                                        std::string_view place);

/// Check that single values of `claimed_bits` are what the column needs.
arrow::Status CheckValueWidth(uint64_t claimed_bits, const ValueShape& shape,
                              std::string_view codec);

/// Check that the column needs values of variable width.
arrow::Status CheckVariableWidth(const ValueShape& shape, std::string_view codec);

/// Check an output size that the input does not bound. \return CapacityError
arrow::Status CheckExpandedSize(uint64_t num_values, uint32_t bits_per_value,
                                std::string_view codec);

}  // namespace lance::format
