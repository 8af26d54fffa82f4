#include "lance/format/encodings/byte_stream_split.h"
#include "lance/format/encodings/codec.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/fixed_size_list.h"
#include "lance/format/encodings/flat.h"
#include "lance/format/encodings/fsst.h"
#include "lance/format/encodings/general.h"
#include "lance/format/encodings/inline_bitpacking.h"
#include "lance/format/encodings/out_of_line_bitpacking.h"
#include "lance/format/encodings/packed_struct.h"
#include "lance/format/encodings/rle.h"
#include "lance/format/encodings/variable.h"
#include "lance_encodings21.pb.h"

// The registry: which encoding stands where, and who decodes it. Encodings inside encodings are
// checked by the outer one, which knows the few that can be there. Only General and packed structs
// come back here for what is inside, and neither takes another of its kind: nothing recurses deeper
// than that, whatever a hostile message holds.

namespace lance::format {

namespace pb = lance_pb::encodings21;

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeMiniBlockDecoder(
    const pb::CompressiveEncoding& encoding, const ValueShape& shape) {
  switch (encoding.compression_case()) {
    case pb::CompressiveEncoding::kFlat:
      return MakeFlatMiniBlockDecoder(encoding.flat(), shape);
    case pb::CompressiveEncoding::kVariable:
      return MakeVariableMiniBlockDecoder(encoding.variable(), shape);
    case pb::CompressiveEncoding::kInlineBitpacking:
      return MakeInlineBitpackingMiniBlockDecoder(encoding.inline_bitpacking(), shape);
    case pb::CompressiveEncoding::kRle:
      return MakeRleMiniBlockDecoder(encoding.rle(), shape);
    case pb::CompressiveEncoding::kByteStreamSplit:
      return MakeByteStreamSplitMiniBlockDecoder(encoding.byte_stream_split(), shape);
    case pb::CompressiveEncoding::kFsst:
      return MakeFsstMiniBlockDecoder(encoding.fsst(), shape);
    case pb::CompressiveEncoding::kGeneral:
      return MakeGeneralMiniBlockDecoder(encoding.general(), shape);
    case pb::CompressiveEncoding::kFixedSizeList:
      return MakeFixedSizeListMiniBlockDecoder(encoding.fixed_size_list(), shape);
    case pb::CompressiveEncoding::kPackedStruct:
      return MakePackedStructMiniBlockDecoder(encoding.packed_struct(), shape);
    default:
      return RefuseEncoding(encoding, "mini-block values",
                            "Flat, Variable, InlineBitpacking, Rle, ByteStreamSplit, Fsst, "
                            "General, FixedSizeList, PackedStruct");
  }
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeBlockDecoder(
    const pb::CompressiveEncoding& encoding, const ValueShape& shape) {
  switch (encoding.compression_case()) {
    case pb::CompressiveEncoding::kFlat:
      return MakeFlatBlockDecoder(encoding.flat(), shape);
    case pb::CompressiveEncoding::kVariable:
      return MakeVariableBlockDecoder(encoding.variable(), shape);
    case pb::CompressiveEncoding::kInlineBitpacking:
      return MakeInlineBitpackingBlockDecoder(encoding.inline_bitpacking(), shape);
    case pb::CompressiveEncoding::kOutOfLineBitpacking:
      return MakeOutOfLineBitpackingBlockDecoder(encoding.out_of_line_bitpacking(), shape);
    case pb::CompressiveEncoding::kRle:
      return MakeRleBlockDecoder(encoding.rle(), shape);
    case pb::CompressiveEncoding::kGeneral:
      return MakeGeneralBlockDecoder(encoding.general(), shape);
    default:
      return RefuseEncoding(encoding, "block values",
                            "Flat, Variable, InlineBitpacking, OutOfLineBitpacking, Rle, General");
  }
}

arrow::Result<std::unique_ptr<PerValueDecoder>> MakePerValueDecoder(
    const pb::CompressiveEncoding& encoding, const ValueShape& shape) {
  switch (encoding.compression_case()) {
    case pb::CompressiveEncoding::kFlat:
      return MakeFlatPerValueDecoder(encoding.flat(), shape);
    case pb::CompressiveEncoding::kVariable:
      return MakeVariablePerValueDecoder(encoding.variable(), shape);
    case pb::CompressiveEncoding::kFsst:
      return MakeFsstPerValueDecoder(encoding.fsst(), shape);
    case pb::CompressiveEncoding::kGeneral:
      return MakeGeneralPerValueDecoder(encoding.general(), shape);
    case pb::CompressiveEncoding::kFixedSizeList:
      return MakeFixedSizeListPerValueDecoder(encoding.fixed_size_list(), shape);
    case pb::CompressiveEncoding::kVariablePackedStruct:
      return MakeVariablePackedStructPerValueDecoder(encoding.variable_packed_struct(), shape);
    default:
      return RefuseEncoding(encoding, "full-zip values",
                            "Flat, Variable, Fsst, General, FixedSizeList, VariablePackedStruct");
  }
}

}  // namespace lance::format
