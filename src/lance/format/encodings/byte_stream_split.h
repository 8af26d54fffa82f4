#pragma once

#include <memory>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class ByteStreamSplit;
}

namespace lance::format {

// ByteStreamSplit: the first bytes of all values, then their second bytes, ... Of values with 32 or
// 64 bits. Source: file-format 9.10.

/// Make a decoder of chunks of byte streams. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeByteStreamSplitMiniBlockDecoder(
    const lance_pb::encodings21::ByteStreamSplit& split, const ValueShape& shape);

}  // namespace lance::format
