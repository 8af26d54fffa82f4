#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class InlineBitpacking;
}

namespace lance::format {

// InlineBitpacking: groups of up to 1024 integers, each with its own width. Source: file-format
// 9.3. Of T-bit integers, packed to W bits:
//
//     T / 8 bytes: W | 128 * W bytes: one packed group, filled up with zeros

/// Make a decoder of bit-packed chunks. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeInlineBitpackingMiniBlockDecoder(
    const lance_pb::encodings21::InlineBitpacking& bitpacking, uint32_t bits_per_value);

/// Make a decoder of bit-packed blocks of at most 1024 values. Errors as MakeBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeInlineBitpackingBlockDecoder(
    const lance_pb::encodings21::InlineBitpacking& bitpacking, uint32_t bits_per_value);

/// Find the width of each group of 1024 values. \pre IsIntegerWidth(values.bits_per_value)
std::vector<uint32_t> ChooseGroupWidths(const ValueBuffer& values);

/// The bytes that values take when each group is packed to its width.
uint64_t InlineBitpackedBytes(uint32_t bits_per_value, std::span<const uint32_t> widths);

/// Encode, one chunk a group. \param widths what ChooseGroupWidths gave
EncodedMiniBlocks EncodeInlineBitpackingMiniBlocks(const ValueBuffer& values,
                                                   std::span<const uint32_t> widths);

}  // namespace lance::format
