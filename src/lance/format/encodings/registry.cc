#include "lance/format/encodings/codec.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/flat.h"
#include "lance/format/encodings/fsst.h"
#include "lance/format/encodings/inline_bitpacking.h"
#include "lance/format/encodings/out_of_line_bitpacking.h"
#include "lance/format/encodings/rle.h"
#include "lance/format/encodings/variable.h"
#include "lance_encodings21.pb.h"

// The registry: which encoding stands where, and who decodes it. Encodings inside encodings are
// checked by the outer one, which knows the few that can be there; nothing here recurses, so the
// depth of a hostile message is bounded by the protobuf parser alone.

namespace lance::format {

namespace pb = lance_pb::encodings21;

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeMiniBlockDecoder(
    const pb::CompressiveEncoding& encoding, uint32_t bits_per_value) {
  switch (encoding.compression_case()) {
    case pb::CompressiveEncoding::kFlat:
      return MakeFlatMiniBlockDecoder(encoding.flat(), bits_per_value);
    case pb::CompressiveEncoding::kVariable:
      return MakeVariableMiniBlockDecoder(encoding.variable(), bits_per_value);
    case pb::CompressiveEncoding::kInlineBitpacking:
      return MakeInlineBitpackingMiniBlockDecoder(encoding.inline_bitpacking(), bits_per_value);
    case pb::CompressiveEncoding::kRle:
      return MakeRleMiniBlockDecoder(encoding.rle(), bits_per_value);
    case pb::CompressiveEncoding::kFsst:
      return MakeFsstMiniBlockDecoder(encoding.fsst(), bits_per_value);
    default:
      return RefuseEncoding(encoding, "mini-block values",
                            "Flat, Variable, InlineBitpacking, Rle, Fsst");
  }
}

arrow::Result<std::unique_ptr<BlockDecoder>> MakeBlockDecoder(
    const pb::CompressiveEncoding& encoding, uint32_t bits_per_value) {
  switch (encoding.compression_case()) {
    case pb::CompressiveEncoding::kFlat:
      return MakeFlatBlockDecoder(encoding.flat(), bits_per_value);
    case pb::CompressiveEncoding::kVariable:
      return MakeVariableBlockDecoder(encoding.variable(), bits_per_value);
    case pb::CompressiveEncoding::kInlineBitpacking:
      return MakeInlineBitpackingBlockDecoder(encoding.inline_bitpacking(), bits_per_value);
    case pb::CompressiveEncoding::kOutOfLineBitpacking:
      return MakeOutOfLineBitpackingBlockDecoder(encoding.out_of_line_bitpacking(), bits_per_value);
    case pb::CompressiveEncoding::kRle:
      return MakeRleBlockDecoder(encoding.rle(), bits_per_value);
    default:
      return RefuseEncoding(encoding, "block values",
                            "Flat, Variable, InlineBitpacking, OutOfLineBitpacking, Rle");
  }
}

}  // namespace lance::format
