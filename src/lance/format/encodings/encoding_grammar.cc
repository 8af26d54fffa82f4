#include "lance/format/encodings/encoding_grammar.h"

#include "lance/base/status_detail.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

std::string SchemeName(const pb::BufferCompression& compression) {
  switch (static_cast<int>(compression.scheme())) {
    case pb::BufferCompression::LZ4:
      return "lz4";
    case pb::BufferCompression::ZSTD:
      return "zstd";
    default:
      return "scheme " + std::to_string(static_cast<int>(compression.scheme()));
  }
}

/// Whether we read the encoding somewhere.
bool HasDecoder(const pb::CompressiveEncoding& encoding) {
  switch (encoding.compression_case()) {
    case pb::CompressiveEncoding::kDictionary:
    case pb::CompressiveEncoding::kRange:
    case pb::CompressiveEncoding::kDelta:
    case pb::CompressiveEncoding::COMPRESSION_NOT_SET:
      return false;
    default:
      return true;
  }
}

/// Encodings inside encodings that a grammar check follows. Real ones are nested 4 deep.
constexpr int kMaxDepth = 32;

arrow::Status CheckPartOf21(const pb::CompressiveEncoding& encoding, int depth) {
  if (depth > kMaxDepth) {
    return arrow::Status::SerializationError("encoding is nested more than ", kMaxDepth, " deep");
  }
  switch (encoding.compression_case()) {
    case pb::CompressiveEncoding::kVariablePackedStruct:
      return arrow::Status::SerializationError(
          "encoding is VariablePackedStruct, which files of version 2.1 do not have");
    case pb::CompressiveEncoding::kFsst:
      return CheckPartOf21(encoding.fsst().values(), depth + 1);
    case pb::CompressiveEncoding::kGeneral:
      return CheckPartOf21(encoding.general().values(), depth + 1);
    case pb::CompressiveEncoding::kFixedSizeList:
      return CheckPartOf21(encoding.fixed_size_list().values(), depth + 1);
    case pb::CompressiveEncoding::kPackedStruct:
      return CheckPartOf21(encoding.packed_struct().values(), depth + 1);
    default:
      return arrow::Status::OK();  // what can be inside the others has one form in all versions
  }
}

}  // namespace

std::string EncodingName(const pb::CompressiveEncoding& encoding) {
  switch (encoding.compression_case()) {
    case pb::CompressiveEncoding::kFlat:
      return "Flat";
    case pb::CompressiveEncoding::kVariable:
      return "Variable";
    case pb::CompressiveEncoding::kConstant:
      return "Constant";
    case pb::CompressiveEncoding::kOutOfLineBitpacking:
      return "OutOfLineBitpacking";
    case pb::CompressiveEncoding::kInlineBitpacking:
      return "InlineBitpacking";
    case pb::CompressiveEncoding::kFsst:
      return "Fsst";
    case pb::CompressiveEncoding::kDictionary:
      return "Dictionary";
    case pb::CompressiveEncoding::kRle:
      return "Rle";
    case pb::CompressiveEncoding::kByteStreamSplit:
      return "ByteStreamSplit";
    case pb::CompressiveEncoding::kGeneral:
      return "General (" + SchemeName(encoding.general().compression()) + ")";
    case pb::CompressiveEncoding::kFixedSizeList:
      return "FixedSizeList";
    case pb::CompressiveEncoding::kPackedStruct:
      return "PackedStruct";
    case pb::CompressiveEncoding::kVariablePackedStruct:
      return "VariablePackedStruct";
    case pb::CompressiveEncoding::kRange:
      return "Range";
    case pb::CompressiveEncoding::kDelta:
      return "Delta";
    case pb::CompressiveEncoding::COMPRESSION_NOT_SET:
      break;
  }
  return "none";
}

arrow::Status RefuseEncoding(const pb::CompressiveEncoding& encoding, std::string_view place,
                             std::string_view allowed) {
  if (encoding.compression_case() == pb::CompressiveEncoding::COMPRESSION_NOT_SET) {
    return arrow::Status::SerializationError(place,
                                             ": no known encoding is set; allowed: ", allowed);
  }
  const std::string name = EncodingName(encoding);
  const std::string message =
      std::string(place) + ": encoding is " + name + "; allowed: " + std::string(allowed);
  if (HasDecoder(encoding)) return arrow::Status::SerializationError(message);
  return UnsupportedError("encoding " + name, message);
}

arrow::Status RefuseLeafCompression(const pb::BufferCompression& compression,
                                    std::string_view leaf) {
  const std::string name = std::string(leaf) + " with a compressed buffer";
  return UnsupportedError("encoding " + name, name + " (" + SchemeName(compression) +
                                                  ") is not supported; allowed: no compression");
}

arrow::Result<uint64_t> ClaimedFlatBits(const pb::CompressiveEncoding& encoding,
                                        std::string_view place) {
  if (!encoding.has_flat()) return RefuseEncoding(encoding, place, "Flat");
  if (encoding.flat().has_data()) return RefuseLeafCompression(encoding.flat().data(), place);
  return encoding.flat().bits_per_value();
}

std::string ShapeName(const ValueShape& shape) {
  if (shape.is_packed()) return "packed structs";
  if (shape.is_fixed_size_list()) return "fixed-size lists";
  if (shape.is_variable()) return "variable width";
  return std::to_string(shape.bits_per_value) + " bits";
}

arrow::Status CheckValueWidth(uint64_t claimed_bits, const ValueShape& shape,
                              std::string_view codec) {
  const bool is_plain = !shape.is_packed() && !shape.is_fixed_size_list() && !shape.is_variable();
  if (is_plain && claimed_bits == shape.bits_per_value) return arrow::Status::OK();
  return arrow::Status::SerializationError(codec, ": has values of ", claimed_bits,
                                           " bits, the column needs ", ShapeName(shape));
}

arrow::Status CheckVariableWidth(const ValueShape& shape, std::string_view codec) {
  if (shape.is_variable()) return arrow::Status::OK();
  return arrow::Status::SerializationError(codec, ": has variable width, the column needs ",
                                           ShapeName(shape));
}

arrow::Status CheckExpandedSize(uint64_t num_values, uint32_t bits_per_value,
                                std::string_view codec) {
  const uint64_t max_values = kMaxExpandedBytes * 8 / bits_per_value;
  if (num_values <= max_values) return arrow::Status::OK();
  return arrow::Status::CapacityError(codec, ": would expand to ", num_values, " values of ",
                                      bits_per_value, " bits, allowed ", max_values);
}

arrow::Status CheckGrammarOf21(const pb::CompressiveEncoding& encoding) {
  return CheckPartOf21(encoding, 0);
}

}  // namespace lance::format
