#pragma once

#include <memory>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class General;
}

namespace lance::format {

// General: what another encoding makes, compressed. Source: file-format 9.6.
//
//     chunk       buffer 0 of the inner encoding is compressed, the others are stored as they are
//     block       the whole buffer
//     per value   each value alone

/// Make a decoder of compressed chunks. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeGeneralMiniBlockDecoder(
    const lance_pb::encodings21::General& general, const ValueShape& shape);

/// Make a decoder of compressed blocks. Errors as MakeBlockDecoder.
arrow::Result<std::unique_ptr<BlockDecoder>> MakeGeneralBlockDecoder(
    const lance_pb::encodings21::General& general, const ValueShape& shape);

/// Make a decoder of values that are compressed one by one. Errors as MakePerValueDecoder.
arrow::Result<std::unique_ptr<PerValueDecoder>> MakeGeneralPerValueDecoder(
    const lance_pb::encodings21::General& general, const ValueShape& shape);

}  // namespace lance::format
