#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

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
    const lance_pb::encodings21::OutOfLineBitpacking& bitpacking, uint32_t bits_per_value);

/// The bytes that some levels take when they are packed to `width` bits.
uint64_t PackedLevelsBytes(uint64_t num_levels, uint32_t width);

/// Pack levels as one block. The last, short group is packed where that is smaller.
///
/// \param width bits of the page's largest level
std::string PackLevels(std::span<const uint16_t> levels, uint32_t width);

}  // namespace lance::format
