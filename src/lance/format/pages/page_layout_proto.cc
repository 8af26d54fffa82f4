#include "lance/format/pages/page_layout_proto.h"

#include <string>
#include <string_view>
#include <utility>

#include "google/protobuf/repeated_field.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance_encodings21.pb.h"

namespace lance::format {
namespace {

namespace pb = lance_pb::encodings21;

constexpr std::string_view kPageLayoutType = "lance.encodings21.PageLayout";

// Automatic dictionaries have indices of this width (file-format 8.1).
constexpr uint32_t kDictionaryIndexBits = 32;

constexpr uint64_t kMaxDictionaryItems = uint64_t{1} << 31;

constexpr uint32_t kLevelBits = 16;

template <typename... Args>
arrow::Status Corrupt(Args&&... problem) {
  return arrow::Status::SerializationError(std::forward<Args>(problem)...);
}

arrow::Result<PageLayers> ParseLayers(const google::protobuf::RepeatedField<int>& layers,
                                      const LeafPath& path) {
  return ParsePageLayers({layers.data(), static_cast<size_t>(layers.size())}, path);
}

/// The path of a leaf with nothing around it.
const LeafPath& LeafOnlyPath() {
  static const LeafPath path{.layers = {PathLayer{}}};
  return path;
}

arrow::Status CheckBufferCount(const PageMetadata& page, size_t expected) {
  if (page.buffers.size() == expected) return arrow::Status::OK();
  return Corrupt("Page has ", page.buffers.size(), " buffers, its layout has ", expected);
}

/// Makes the decoders of one page's encodings, which must be in its version's grammar.
class DecoderMaker {
 public:
  explicit DecoderMaker(FileVersion version) : version_(version) {}

  arrow::Result<LevelStream> Levels(const pb::CompressiveEncoding& encoding,
                                    std::string_view field) const {
    LevelStream stream;
    ARROW_ASSIGN_OR_RAISE(stream.decoder,
                          Block(encoding, ValueShape{.bits_per_value = kLevelBits}, field));
    stream.is_rle = encoding.has_rle();
    return stream;
  }

  arrow::Result<std::shared_ptr<const BlockDecoder>> Block(const pb::CompressiveEncoding& encoding,
                                                           const ValueShape& shape,
                                                           std::string_view field) const {
    return Make<BlockDecoder>(MakeBlockDecoder, encoding, shape, field);
  }

  arrow::Result<std::shared_ptr<const MiniBlockDecoder>> MiniBlock(
      const pb::CompressiveEncoding& encoding, const ValueShape& shape,
      std::string_view field) const {
    return Make<MiniBlockDecoder>(MakeMiniBlockDecoder, encoding, shape, field);
  }

  arrow::Result<std::shared_ptr<const PerValueDecoder>> PerValue(
      const pb::CompressiveEncoding& encoding, const ValueShape& shape,
      std::string_view field) const {
    return Make<PerValueDecoder>(MakePerValueDecoder, encoding, shape, field);
  }

 private:
  template <typename Decoder, typename Maker>
  arrow::Result<std::shared_ptr<const Decoder>> Make(Maker make,
                                                     const pb::CompressiveEncoding& encoding,
                                                     const ValueShape& shape,
                                                     std::string_view field) const {
    if (version_ == FileVersion::k2_1) {
      ARROW_RETURN_NOT_OK(WithContext(CheckGrammarOf21(encoding), field));
    }
    auto made = make(encoding, shape);
    if (!made.ok()) return WithContext(made.status(), field);
    return std::shared_ptr<const Decoder>(*std::move(made));
  }

  FileVersion version_;
};

arrow::Status CheckMiniBlockGrammar(const pb::MiniBlockLayout& message, const PageMetadata& page,
                                    FileVersion version) {
  if (message.has_large_chunk() != (version == FileVersion::k2_2)) {
    return Corrupt("MiniBlockLayout.has_large_chunk is ", message.has_large_chunk(),
                   ", which pages of format ", ToString(version), " cannot be");
  }
  if (!message.has_value_compression()) {
    return Corrupt("MiniBlockLayout.value_compression is missing");
  }
  // Either without the other could not be read row by row.
  const bool has_rep = message.has_rep_compression();
  if (message.repetition_index_depth() != (has_rep ? 1u : 0u)) {
    return Corrupt("MiniBlockLayout.repetition_index_depth is ", message.repetition_index_depth(),
                   ", the page has ", has_rep ? "" : "no ", "repetition levels");
  }
  if (message.num_dictionary_items() > kMaxDictionaryItems) {
    return Corrupt("MiniBlockLayout.num_dictionary_items is ", message.num_dictionary_items(),
                   ", allowed are up to 2^31");
  }
  return CheckBufferCount(page, 2 + (message.has_dictionary() ? 1 : 0) + (has_rep ? 1 : 0));
}

arrow::Status ParseMiniBlockLevels(const pb::MiniBlockLayout& message, const PageMetadata& page,
                                   const DecoderMaker& make, MiniBlockLayout* layout) {
  const bool has_lists = layout->layers.max_rep > 0;
  if (message.has_rep_compression() != has_lists) {
    return Corrupt("MiniBlockLayout.rep_compression is ", has_lists ? "missing" : "set",
                   ", the page has ", layout->layers.max_rep, " list layers");
  }
  layout->num_values = message.num_items();
  if (!has_lists && layout->num_values != page.num_rows) {
    return Corrupt("MiniBlockLayout.num_items is ", layout->num_values, ", the page has ",
                   page.num_rows, " rows");
  }
  if (has_lists) {
    ARROW_ASSIGN_OR_RAISE(
        layout->rep, make.Levels(message.rep_compression(), "MiniBlockLayout.rep_compression"));
  }
  if (message.has_def_compression()) {
    ARROW_ASSIGN_OR_RAISE(
        layout->def, make.Levels(message.def_compression(), "MiniBlockLayout.def_compression"));
  }
  return arrow::Status::OK();
}

arrow::Result<MiniBlockLayout> ParseMiniBlock(const pb::MiniBlockLayout& message,
                                              const PageMetadata& page, const LeafTarget& target) {
  const DecoderMaker make(target.version);
  MiniBlockLayout layout;
  ARROW_RETURN_NOT_OK(CheckMiniBlockGrammar(message, page, target.version));
  ARROW_ASSIGN_OR_RAISE(layout.layers, ParseLayers(message.layers(), target.path));
  ARROW_RETURN_NOT_OK(ParseMiniBlockLevels(message, page, make, &layout));
  layout.has_large_chunks = message.has_large_chunk();
  layout.value_shape = target.shape;
  if (message.has_dictionary()) {
    ARROW_ASSIGN_OR_RAISE(layout.dictionary, make.Block(message.dictionary(), target.shape,
                                                        "MiniBlockLayout.dictionary"));
    layout.num_dictionary_items = message.num_dictionary_items();
    layout.value_shape = target.index_bits != 0
                             ? target.value_shape()
                             : ValueShape{.bits_per_value = kDictionaryIndexBits};
  } else if (target.index_bits != 0) {
    return Corrupt("MiniBlockLayout.dictionary is missing, the column has dictionary arrays");
  }
  ARROW_ASSIGN_OR_RAISE(layout.values,
                        make.MiniBlock(message.value_compression(), layout.value_shape,
                                       "MiniBlockLayout.value_compression"));
  if (message.num_buffers() != static_cast<uint64_t>(layout.values->num_buffers())) {
    return Corrupt("MiniBlockLayout.num_buffers is ", message.num_buffers(), ", the encoding has ",
                   layout.values->num_buffers());
  }
  return layout;
}

arrow::Status ParseFullZipBits(const pb::FullZipLayout& message, FullZipLayout* layout) {
  layout->bits_rep = message.bits_rep();
  layout->bits_def = message.bits_def();
  if (layout->bits_rep > kLevelBits || layout->bits_def > kLevelBits) {
    return Corrupt("FullZipLayout has levels of ", layout->bits_rep, " and ", layout->bits_def,
                   " bits, allowed are up to 16");
  }
  const uint32_t bits = layout->bits_rep + layout->bits_def;
  layout->control_bytes = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
  if (layout->layers.max_rep > 0 && layout->bits_rep == 0) {
    return Corrupt("FullZipLayout.bits_rep is 0, the page has ", layout->layers.max_rep,
                   " list layers");
  }
  return arrow::Status::OK();
}

/// Check how wide the page says values are; the decoder must agree.
arrow::Status ParseFullZipWidth(const pb::FullZipLayout& message, FullZipLayout* layout) {
  const uint64_t stored_bits = layout->values->stored_bits();
  switch (message.details_case()) {
    case pb::FullZipLayout::kBitsPerValue:
      if (stored_bits == message.bits_per_value() && stored_bits % 8 == 0 && stored_bits != 0) {
        return arrow::Status::OK();
      }
      return Corrupt("FullZipLayout.bits_per_value is ", message.bits_per_value(),
                     ", the encoding stores ", stored_bits, " bits a value");
    case pb::FullZipLayout::kBitsPerOffset:
      if (message.bits_per_offset() != 32 && message.bits_per_offset() != 64) {
        return Corrupt("FullZipLayout.bits_per_offset is ", message.bits_per_offset(),
                       ", allowed are 32 and 64");
      }
      layout->length_bytes = message.bits_per_offset() / 8;
      if (stored_bits == 0) return arrow::Status::OK();
      return Corrupt("FullZipLayout.bits_per_offset is set, the encoding stores ", stored_bits,
                     " bits a value");
    case pb::FullZipLayout::DETAILS_NOT_SET:
      break;
  }
  return Corrupt("FullZipLayout.details is missing");
}

arrow::Status CheckFullZipCounts(const FullZipLayout& layout, const PageMetadata& page) {
  const bool has_lists = layout.layers.max_rep > 0;
  if (has_lists ? layout.num_entries < page.num_rows : layout.num_entries != page.num_rows) {
    return Corrupt("FullZipLayout.num_items is ", layout.num_entries, ", the page has ",
                   page.num_rows, " rows");
  }
  if (has_lists ? layout.num_visible > layout.num_entries
                : layout.num_visible != layout.num_entries) {
    return Corrupt("FullZipLayout.num_visible_items is ", layout.num_visible, ", num_items is ",
                   layout.num_entries);
  }
  return CheckBufferCount(page, layout.has_index() ? 2 : 1);
}

arrow::Result<FullZipLayout> ParseFullZip(const pb::FullZipLayout& message,
                                          const PageMetadata& page, const LeafTarget& target) {
  if (target.index_bits != 0) {
    return UnsupportedError("full-zip page of dictionary arrays",
                            "a column of dictionary arrays has a full-zip page");
  }
  if (!message.has_value_compression())
    return Corrupt("FullZipLayout.value_compression is missing");
  const DecoderMaker make(target.version);
  FullZipLayout layout;
  ARROW_ASSIGN_OR_RAISE(layout.layers, ParseLayers(message.layers(), target.path));
  ARROW_RETURN_NOT_OK(ParseFullZipBits(message, &layout));
  ARROW_ASSIGN_OR_RAISE(layout.values, make.PerValue(message.value_compression(), target.shape,
                                                     "FullZipLayout.value_compression"));
  ARROW_RETURN_NOT_OK(ParseFullZipWidth(message, &layout));
  layout.num_entries = message.num_items();
  layout.num_visible = message.num_visible_items();
  ARROW_RETURN_NOT_OK(CheckFullZipCounts(layout, page));
  return layout;
}

arrow::Status CheckConstantGrammar(const pb::ConstantLayout& message, const PageMetadata& page,
                                   const LeafTarget& target) {
  const size_t num_buffers = page.buffers.size();
  if (num_buffers > 3) {
    return Corrupt("Page has ", num_buffers, " buffers, a constant page has up to 3");
  }
  if (message.has_inline_value() && num_buffers != 0 && num_buffers != 2) {
    return Corrupt("Page has ", num_buffers, " buffers and ConstantLayout.inline_value, allowed ",
                   "are 0 and 2");
  }
  const bool has_value = message.has_inline_value() || num_buffers % 2 == 1;
  if (target.version == FileVersion::k2_1) {
    if (has_value || message.has_rep_compression() || message.has_def_compression()) {
      return Corrupt("ConstantLayout has a value or compressed levels, which format 2.1 does not ",
                     "have");
    }
  }
  if (has_value &&
      (target.index_bits != 0 || target.shape.is_packed() || target.shape.is_fixed_size_list())) {
    return Corrupt("ConstantLayout has a value, which its column's type cannot have");
  }
  return arrow::Status::OK();
}

/// Levels without a description are 16-bit numbers.
arrow::Result<LevelStream> ParseConstantLevels(bool is_set, const pb::CompressiveEncoding& encoding,
                                               std::string_view field, const DecoderMaker& make) {
  if (is_set) return make.Levels(encoding, field);
  pb::CompressiveEncoding raw;
  raw.mutable_flat()->set_bits_per_value(kLevelBits);
  return make.Levels(raw, field);
}

arrow::Result<ConstantLayout> ParseConstant(const pb::ConstantLayout& message,
                                            const PageMetadata& page, const LeafTarget& target) {
  ARROW_RETURN_NOT_OK(CheckConstantGrammar(message, page, target));
  ConstantLayout layout;
  layout.has_levels = page.buffers.size() >= 2;
  // Structs without members have one layer there, however deep they lie.
  const bool is_without_layers = target.is_empty_struct && !layout.has_levels &&
                                 message.layers_size() == 1 && target.path.max_rep() == 0;
  ARROW_ASSIGN_OR_RAISE(
      layout.layers,
      ParseLayers(message.layers(), is_without_layers ? LeafOnlyPath() : target.path));
  layout.has_value = message.has_inline_value() || page.buffers.size() % 2 == 1;
  if (message.has_inline_value()) layout.inline_value = message.inline_value();
  if (!layout.has_levels) {
    if (layout.layers.max_rep == 0) return layout;
    return Corrupt("ConstantLayout has no levels, the page has ", layout.layers.max_rep,
                   " list layers");
  }
  const DecoderMaker make(target.version);
  ARROW_ASSIGN_OR_RAISE(
      layout.rep, ParseConstantLevels(message.has_rep_compression(), message.rep_compression(),
                                      "ConstantLayout.rep_compression", make));
  ARROW_ASSIGN_OR_RAISE(
      layout.def, ParseConstantLevels(message.has_def_compression(), message.def_compression(),
                                      "ConstantLayout.def_compression", make));
  if (message.has_rep_compression()) layout.num_rep = message.num_rep_values();
  if (message.has_def_compression()) layout.num_def = message.num_def_values();
  return layout;
}

/// Legacy blobs: descriptors in a page of their own, around which the levels are told.
arrow::Result<PageLayout> ParseBlob(const pb::BlobLayout& message, const PageMetadata& page,
                                    const LeafTarget& target) {
  if (!target.is_blob) return Corrupt("PageLayout is a blob layout, the column has no blobs");
  if (!message.has_inner_layout()) return Corrupt("BlobLayout.inner_layout is missing");
  if (!message.inner_layout().has_mini_block_layout()) {
    return Corrupt("BlobLayout.inner_layout is not a mini-block layout");
  }
  ARROW_ASSIGN_OR_RAISE(PageLayers layers, ParseLayers(message.layers(), target.path));
  const LeafTarget inner{.version = target.version, .path = LeafOnlyPath(), .shape = target.shape};
  PageLayout layout;
  ARROW_ASSIGN_OR_RAISE(MiniBlockLayout body,
                        ParseMiniBlock(message.inner_layout().mini_block_layout(), page, inner));
  if (body.layers.max_def != 0) {
    return Corrupt("BlobLayout.inner_layout has nullable layers, allowed is 1 alone");
  }
  layout.body = std::move(body);
  layout.blob_layers = std::move(layers);
  return layout;
}

template <typename Body>
arrow::Result<PageLayout> WithBody(arrow::Result<Body> body) {
  if (!body.ok()) return body.status();
  return PageLayout{.body = *std::move(body), .blob_layers = std::nullopt};
}

arrow::Result<PageLayout> ParseLayout(const pb::PageLayout& message, const PageMetadata& page,
                                      const LeafTarget& target) {
  if (target.is_blob && (message.has_mini_block_layout() || message.has_full_zip_layout())) {
    return Corrupt("PageLayout of a blob column is not a blob layout");
  }
  switch (message.layout_case()) {
    case pb::PageLayout::kMiniBlockLayout:
      return WithBody(ParseMiniBlock(message.mini_block_layout(), page, target));
    case pb::PageLayout::kConstantLayout:
      return WithBody(ParseConstant(message.constant_layout(), page, target));
    case pb::PageLayout::kFullZipLayout:
      return WithBody(ParseFullZip(message.full_zip_layout(), page, target));
    case pb::PageLayout::kBlobLayout:
      return ParseBlob(message.blob_layout(), page, target);
    case pb::PageLayout::LAYOUT_NOT_SET:
      break;
  }
  return Corrupt("PageLayout.layout is missing, or not one of format ", ToString(target.version));
}

}  // namespace

arrow::Result<PageLayout> ParsePageLayout(const PageMetadata& page, const LeafTarget& target) {
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, UnpackEncoding(page.encoding, kPageLayoutType));
  pb::PageLayout message;
  if (!ParseBounded(AsBytes(bytes), &message)) {
    return Corrupt("PageLayout is not a message of its type, or is nested too deep");
  }
  return ParseLayout(message, page, target);
}

}  // namespace lance::format
