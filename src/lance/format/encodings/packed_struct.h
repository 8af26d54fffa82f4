#pragma once

#include <memory>

#include "arrow/result.h"
#include "lance/format/encodings/codec.h"

namespace lance_pb::encodings21 {
class PackedStruct;
class VariablePackedStruct;
}  // namespace lance_pb::encodings21

namespace lance::format {

// Packed structs: rows whose members stand side by side. Source: file-format 9.8.
//
//     PackedStruct          chunk of rows; a row is its members of fixed width
//     VariablePackedStruct  per value; a row is, for each member, its bytes, behind their u32 or
//     u64
//                           length where they vary

/// Make a decoder of chunks of rows. Errors as MakeMiniBlockDecoder.
arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakePackedStructMiniBlockDecoder(
    const lance_pb::encodings21::PackedStruct& packed, const ValueShape& shape);

/// Make a decoder of rows that are stored one by one. Errors as MakePerValueDecoder.
arrow::Result<std::unique_ptr<PerValueDecoder>> MakeVariablePackedStructPerValueDecoder(
    const lance_pb::encodings21::VariablePackedStruct& packed, const ValueShape& shape);

}  // namespace lance::format
