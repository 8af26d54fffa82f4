#pragma once

#include <memory>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class FixedSizeList;
}

namespace lance::format {

// FixedSizeList: the items of all lists back to back, with a bit for each item of each level that
// has nulls. Source: file-format 9.5.
//
//     chunk       a buffer of bits for each level with validity, from the outer to the inner |
//                 a buffer of the innermost items
//     per value   ceil(items / 8) bytes of bits for each such level | the innermost items
//
// Where every innermost item is null (Constant), there are none of them, only the bits.

/// Make a decoder of chunks of lists. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFixedSizeListMiniBlockDecoder(
    const lance_pb::encodings21::FixedSizeList& list, const ValueShape& shape);

/// Make a decoder of lists that are stored one by one. Errors as MakePerValueDecoder.
arrow::Result<std::unique_ptr<PerValueDecoder>> MakeFixedSizeListPerValueDecoder(
    const lance_pb::encodings21::FixedSizeList& list, const ValueShape& shape);

}  // namespace lance::format
