#include "lance/format/page_layout_proto.h"

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

template <typename... Args>
arrow::Status Corrupt(Args&&... problem) {
  return arrow::Status::SerializationError(std::forward<Args>(problem)...);
}

arrow::Status Unsupported(const std::string& feature) {
  return UnsupportedError(feature, feature + " is not supported by this version");
}

/// Check the layers of a flat column: exactly one, an item.
///
/// \return the largest definition level
arrow::Result<uint16_t> ParseLayers(const google::protobuf::RepeatedField<int>& layers) {
  for (const int layer : layers) {
    if (layer < pb::REPDEF_ALL_VALID_ITEM || layer > pb::REPDEF_NULL_AND_EMPTY_LIST) {
      return Corrupt("PageLayout.layers has ", layer, ", allowed are 1 to 6");
    }
    if (layer != pb::REPDEF_ALL_VALID_ITEM && layer != pb::REPDEF_NULLABLE_ITEM) {
      return Unsupported("list layer in a page");
    }
  }
  if (layers.empty()) return Corrupt("PageLayout.layers is empty");
  if (layers.size() > 1) return Unsupported("struct layer in a page");
  return static_cast<uint16_t>(layers[0] == pb::REPDEF_NULLABLE_ITEM ? 1 : 0);
}

arrow::Status CheckBufferCount(const PageMetadata& page, size_t expected) {
  if (page.buffers.size() == expected) return arrow::Status::OK();
  return Corrupt("Page has ", page.buffers.size(), " buffers, its layout has ", expected);
}

arrow::Result<PageLayout> ParseAllNull(const pb::ConstantLayout& message,
                                       const PageMetadata& page) {
  if (message.has_inline_value() || message.has_rep_compression() ||
      message.has_def_compression()) {
    return Corrupt("ConstantLayout has members that format 2.1 does not have");
  }
  ARROW_ASSIGN_OR_RAISE(const uint16_t max_definition, ParseLayers(message.layers()));
  if (max_definition == 0) return Unsupported("constant page");
  if (page.buffers.size() == 2) return Unsupported("all-null page with levels");
  ARROW_RETURN_NOT_OK(CheckBufferCount(page, 0));
  PageLayout layout;
  layout.is_all_null = true;
  layout.max_definition = max_definition;
  return layout;
}

/// Make the decoders of the definition levels and the dictionary.
arrow::Status ParseBlocks(const pb::MiniBlockLayout& message, uint32_t bits_per_value,
                          PageLayout* layout) {
  if (message.has_def_compression()) {
    auto levels = MakeBlockDecoder(message.def_compression(), 16);
    if (!levels.ok()) return WithContext(levels.status(), "MiniBlockLayout.def_compression");
    layout->levels = *std::move(levels);
  }
  if (!message.has_dictionary()) return arrow::Status::OK();
  if (message.num_dictionary_items() > kMaxDictionaryItems) {
    return Corrupt("MiniBlockLayout.num_dictionary_items is ", message.num_dictionary_items(),
                   ", allowed are up to 2^31");
  }
  layout->num_dictionary_items = message.num_dictionary_items();
  auto dictionary = MakeBlockDecoder(message.dictionary(), bits_per_value);
  if (!dictionary.ok()) return WithContext(dictionary.status(), "MiniBlockLayout.dictionary");
  layout->dictionary = *std::move(dictionary);
  return arrow::Status::OK();
}

arrow::Status CheckMiniBlockGrammar(const pb::MiniBlockLayout& message, const PageMetadata& page) {
  if (message.has_large_chunk()) {
    return Corrupt("MiniBlockLayout.has_large_chunk is set, which format 2.1 does not have");
  }
  if (message.has_rep_compression() || message.repetition_index_depth() != 0) {
    return Corrupt("MiniBlockLayout has repetition levels, but no list layer");
  }
  if (!message.has_value_compression()) {
    return Corrupt("MiniBlockLayout.value_compression is missing");
  }
  if (message.num_items() != page.num_rows) {
    return Corrupt("MiniBlockLayout.num_items is ", message.num_items(), ", the page has ",
                   page.num_rows, " rows");
  }
  return CheckBufferCount(page, message.has_dictionary() ? 3 : 2);
}

arrow::Result<PageLayout> ParseMiniBlock(const pb::MiniBlockLayout& message,
                                         const PageMetadata& page, uint32_t bits_per_value) {
  PageLayout layout;
  ARROW_ASSIGN_OR_RAISE(layout.max_definition, ParseLayers(message.layers()));
  ARROW_RETURN_NOT_OK(CheckMiniBlockGrammar(message, page));
  ARROW_RETURN_NOT_OK(ParseBlocks(message, bits_per_value, &layout));
  layout.bits_per_value = message.has_dictionary() ? kDictionaryIndexBits : bits_per_value;
  auto values = MakeMiniBlockDecoder(message.value_compression(), layout.bits_per_value);
  if (!values.ok()) return WithContext(values.status(), "MiniBlockLayout.value_compression");
  layout.values = *std::move(values);
  if (message.num_buffers() != static_cast<uint64_t>(layout.values->num_buffers())) {
    return Corrupt("MiniBlockLayout.num_buffers is ", message.num_buffers(), ", the encoding has ",
                   layout.values->num_buffers());
  }
  return layout;
}

}  // namespace

arrow::Result<PageLayout> ParsePageLayout(const PageMetadata& page, uint32_t bits_per_value) {
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, UnpackEncoding(page.encoding, kPageLayoutType));
  pb::PageLayout message;
  if (!ParseBounded(AsBytes(bytes), &message)) {
    return Corrupt("PageLayout is not a message of its type, or is nested too deep");
  }
  switch (message.layout_case()) {
    case pb::PageLayout::kMiniBlockLayout:
      return ParseMiniBlock(message.mini_block_layout(), page, bits_per_value);
    case pb::PageLayout::kConstantLayout:
      return ParseAllNull(message.constant_layout(), page);
    case pb::PageLayout::kFullZipLayout:
      return Unsupported("full-zip page layout");
    case pb::PageLayout::kBlobLayout:
      return Unsupported("blob page layout");
    case pb::PageLayout::LAYOUT_NOT_SET:
      break;
  }
  return Corrupt("PageLayout.layout is missing, or not one of format 2.1");
}

std::string SerializeMiniBlockLayout(const MiniBlockDescription& page) {
  pb::PageLayout message;
  pb::MiniBlockLayout* out = message.mutable_mini_block_layout();
  // Our own serialized messages: parsing them cannot fail.
  (void)out->mutable_value_compression()->ParseFromString(page.value_encoding);
  const bool has_levels = !page.level_encoding.empty();
  if (has_levels) (void)out->mutable_def_compression()->ParseFromString(page.level_encoding);
  out->add_layers(has_levels ? pb::REPDEF_NULLABLE_ITEM : pb::REPDEF_ALL_VALID_ITEM);
  out->set_num_buffers(static_cast<uint64_t>(page.num_buffers));
  out->set_num_items(page.num_items);
  return PackEncoding(message.SerializeAsString(), kPageLayoutType);
}

std::string SerializeAllNullLayout() {
  pb::PageLayout message;
  message.mutable_constant_layout()->add_layers(pb::REPDEF_NULLABLE_ITEM);
  return PackEncoding(message.SerializeAsString(), kPageLayoutType);
}

}  // namespace lance::format
