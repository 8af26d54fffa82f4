#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class Rle;
}

namespace lance::format {

// Rle: runs of equal integers, each at most 255 long. Source: file-format 9.4.
//
//     chunk   buffer 0: a value a run; buffer 1: a u8 length a run
//     block   u64 size of the values in bytes | values | lengths

/// Make a decoder of run-length chunks; what the runs hold beyond the chunk's values is ignored.
/// Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeRleMiniBlockDecoder(
    const lance_pb::encodings21::Rle& rle, const ValueShape& shape);

/// Make a decoder of run-length blocks; the runs must hold exactly the block's values.
/// Errors as MakeBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeRleBlockDecoder(
    const lance_pb::encodings21::Rle& rle, const ValueShape& shape);

/// Count the values that the runs of a block hold: what old writers stored modulo 65,536 as the
/// number of a chunk's levels (file-format 8.1).
///
/// \param block untrusted bytes
/// \return SerializationError when the block's header does not fit it
arrow::Result<uint64_t> CountRleBlockValues(std::span<const std::byte> block);

}  // namespace lance::format
