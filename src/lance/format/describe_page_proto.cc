#include <string_view>

#include "lance/base/byte_reader.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/describe_page.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/v20/array_encoding_proto.h"
#include "lance_encodings21.pb.h"

namespace lance::format {
namespace {

namespace pb = lance_pb::encodings21;

std::string Describe(const pb::CompressiveEncoding& encoding);

std::string Around(std::string name, const pb::CompressiveEncoding& inner) {
  return std::move(name) + "(" + Describe(inner) + ")";
}

/// Name an encoding and those inside it. The message's depth is bounded by its parser.
std::string Describe(const pb::CompressiveEncoding& encoding) {
  const std::string name = EncodingName(encoding);
  switch (encoding.compression_case()) {
    case pb::CompressiveEncoding::kFlat:
      return name + "{" + std::to_string(encoding.flat().bits_per_value()) + "}";
    case pb::CompressiveEncoding::kVariable:
      return name + "{" + std::to_string(encoding.variable().offsets().flat().bits_per_value()) +
             "}";
    case pb::CompressiveEncoding::kInlineBitpacking:
      return name + "{" +
             std::to_string(encoding.inline_bitpacking().uncompressed_bits_per_value()) + "}";
    case pb::CompressiveEncoding::kOutOfLineBitpacking:
      return Around(
          name + "{" +
              std::to_string(encoding.out_of_line_bitpacking().uncompressed_bits_per_value()) + "}",
          encoding.out_of_line_bitpacking().values());
    case pb::CompressiveEncoding::kFsst:
      return Around(name, encoding.fsst().values());
    case pb::CompressiveEncoding::kRle:
      return Around(name, encoding.rle().values());
    case pb::CompressiveEncoding::kByteStreamSplit:
      return Around(name, encoding.byte_stream_split().values());
    case pb::CompressiveEncoding::kGeneral:
      return Around(name, encoding.general().values());
    case pb::CompressiveEncoding::kFixedSizeList:
      return Around(name + (encoding.fixed_size_list().has_validity() ? "{validity}" : ""),
                    encoding.fixed_size_list().values());
    case pb::CompressiveEncoding::kPackedStruct:
      return Around(name, encoding.packed_struct().values());
    case pb::CompressiveEncoding::kVariablePackedStruct: {
      std::string members;
      for (const auto& field : encoding.variable_packed_struct().fields()) {
        members += (members.empty() ? "" : ", ") + Describe(field.value());
      }
      return name + "(" + members + ")";
    }
    default:
      return name;
  }
}

std::string Layers(const google::protobuf::RepeatedField<int>& layers) {
  std::string text;
  for (const int layer : layers) text += (text.empty() ? "" : " ") + std::to_string(layer);
  return "layers [" + text + "]";
}

std::string DescribeLayout(const pb::PageLayout& page);

std::string DescribeMiniBlock(const pb::MiniBlockLayout& page) {
  std::string text = "MiniBlock(" + Describe(page.value_compression());
  if (page.has_dictionary()) text += ", dictionary " + Describe(page.dictionary());
  if (page.has_rep_compression()) text += ", rep " + Describe(page.rep_compression());
  if (page.has_def_compression()) text += ", def " + Describe(page.def_compression());
  return text + ", " + Layers(page.layers()) + ")";
}

std::string DescribeConstant(const pb::ConstantLayout& page) {
  std::string text = "Constant(";
  if (page.has_inline_value()) text += "inline value, ";
  if (page.has_rep_compression()) text += "rep " + Describe(page.rep_compression()) + ", ";
  if (page.has_def_compression()) text += "def " + Describe(page.def_compression()) + ", ";
  return text + Layers(page.layers()) + ")";
}

std::string DescribeFullZip(const pb::FullZipLayout& page) {
  return "FullZip(" + Describe(page.value_compression()) + ", rep " +
         std::to_string(page.bits_rep()) + " bits, def " + std::to_string(page.bits_def()) +
         " bits, " + Layers(page.layers()) + ")";
}

std::string DescribeLayout(const pb::PageLayout& page) {
  switch (page.layout_case()) {
    case pb::PageLayout::kMiniBlockLayout:
      return DescribeMiniBlock(page.mini_block_layout());
    case pb::PageLayout::kConstantLayout:
      return DescribeConstant(page.constant_layout());
    case pb::PageLayout::kFullZipLayout:
      return DescribeFullZip(page.full_zip_layout());
    case pb::PageLayout::kBlobLayout:
      return "Blob(" + DescribeLayout(page.blob_layout().inner_layout()) + ", " +
             Layers(page.blob_layout().layers()) + ")";
    case pb::PageLayout::LAYOUT_NOT_SET:
      break;
  }
  return "unknown layout";
}

}  // namespace

std::string DescribePage(const PageMetadata& page, FileVersion version) {
  if (version == FileVersion::k2_0) {
    const auto encoding = v20::ParseArrayEncoding(page);
    return encoding.ok() ? v20::Describe(*encoding) : encoding.status().message();
  }
  const auto bytes = UnpackEncoding(page.encoding, "lance.encodings21.PageLayout");
  if (!bytes.ok()) return bytes.status().message();
  pb::PageLayout message;
  if (!ParseBounded(AsBytes(*bytes), &message)) return "not a PageLayout message";
  return DescribeLayout(message);
}

}  // namespace lance::format
