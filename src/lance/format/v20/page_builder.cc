#include "lance/format/v20/page_builder.h"

#include <utility>

#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "lance/format/encode/encoding_hints.h"
#include "lance/format/v20/binary_page_builder.h"
#include "lance/format/v20/dictionary_page_builder.h"
#include "lance/format/v20/fixed_page_builder.h"
#include "lance/format/v20/packed_page_builder.h"

namespace lance::format::v20 {

arrow::Result<std::unique_ptr<PageBuilder>> MakePageBuilder(const FieldNode& node,
                                                            uint64_t max_page_bytes,
                                                            arrow::MemoryPool* pool) {
  if (node.kind == FieldKind::kPackedStruct) return PackedPageBuilder::Make(*node.type, pool);
  if (arrow::is_dictionary(node.type->id())) {
    return DictionaryPageBuilder::Make(*node.type, max_page_bytes, pool);
  }
  if (!arrow::is_base_binary_like(node.type->id())) {
    return FixedPageBuilder::Make(*node.type, pool);
  }
  ARROW_ASSIGN_OR_RAISE(const EncodingHints hints, ParseEncodingHints(node, node));
  const BinaryPageOptions options{.may_use_dictionary = node.type->id() == arrow::Type::STRING,
                                  .compression = hints.compression,
                                  .compression_level = hints.compression_level};
  return std::make_unique<BinaryPageBuilder>(options, pool);
}

}  // namespace lance::format::v20
