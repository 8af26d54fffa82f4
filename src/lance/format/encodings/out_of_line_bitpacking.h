#pragma once

#include <memory>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class OutOfLineBitpacking;
}

namespace lance::format {

// OutOfLineBitpacking: blocks of integers packed to one width W that the page's message holds.
// Source: file-format 9.3. Of n values of T bits, with t = n % 1024:
//
//     n / 1024 packed groups of 128 * W bytes | nothing if t = 0, else t plain values or one more
//     packed group, filled up with zeros; the buffer's size tells which

/// Make a decoder of bit-packed blocks. Errors as MakeBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeOutOfLineBitpackingBlockDecoder(
    const lance_pb::encodings21::OutOfLineBitpacking& bitpacking, const ValueShape& shape);

}  // namespace lance::format
