#pragma once

#include <cstdint>
#include <memory>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class Flat;
}

namespace lance::format {

// Flat: values as Arrow has them, back to back; bools one bit each, least significant first.
// Source: file-format 9.1.

/// Make a decoder of Flat chunks. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFlatMiniBlockDecoder(
    const lance_pb::encodings21::Flat& flat, uint32_t bits_per_value);

/// Make a decoder of Flat blocks. Errors as MakeBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeFlatBlockDecoder(
    const lance_pb::encodings21::Flat& flat, uint32_t bits_per_value);

/// Cut fixed-width values into Flat chunks. Errors as EncodeMiniBlocks.
arrow::Result<EncodedMiniBlocks> EncodeFlatMiniBlocks(const ValueBuffer& values,
                                                      uint32_t level_bytes_per_value);

}  // namespace lance::format
