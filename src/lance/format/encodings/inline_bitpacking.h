#pragma once

#include <memory>

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
    const lance_pb::encodings21::InlineBitpacking& bitpacking, const ValueShape& shape);

/// Make a decoder of bit-packed blocks of at most 1024 values. Errors as MakeBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeInlineBitpackingBlockDecoder(
    const lance_pb::encodings21::InlineBitpacking& bitpacking, const ValueShape& shape);

}  // namespace lance::format
