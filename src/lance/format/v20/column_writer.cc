#include "lance/format/v20/column_writer.h"

#include <utility>

#include "arrow/array.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/v20/blob_page_builder.h"
#include "lance/format/v20/column_pages.h"
#include "lance/format/v20/leaf_writer.h"
#include "lance/format/v20/list_writer.h"
#include "lance/format/v20/page_builder.h"
#include "lance/format/v20/struct_writer.h"

namespace lance::format::v20 {
namespace {

/// What the writers of one tree have in common.
struct Parts {
  const FieldNode& node;
  const std::string& path;
  const FieldWriterOptions& options;
  PageSink* sink;

  using Made = arrow::Result<std::unique_ptr<ColumnWriter>>;

  Made MakeChild(const FieldNode& child) const {
    return MakeColumnWriter(child, path + "." + child.name, options, sink);
  }

  Made MakeLeaf() const {
    auto builder = MakePageBuilder(node, options.max_page_bytes, options.pool);
    if (!builder.ok()) return WithContext(builder.status(), "field " + path);
    return std::make_unique<LeafWriter>(node, path, options.max_page_bytes, *std::move(builder),
                                        ColumnPages(PlainColumnEncoding(), sink));
  }

  Made MakeBlob() const {
    return std::make_unique<LeafWriter>(node, path, options.max_page_bytes,
                                        std::make_unique<BlobPageBuilder>(sink, options.pool),
                                        ColumnPages(BlobColumnEncoding(), sink));
  }

  Made MakeStruct() const {
    std::vector<std::unique_ptr<ColumnWriter>> members;
    for (const FieldNode& child : node.children) {
      ARROW_ASSIGN_OR_RAISE(auto member, MakeChild(child));
      members.push_back(std::move(member));
    }
    return std::make_unique<StructWriter>(node, path, std::move(members),
                                          ColumnPages(PlainColumnEncoding(), sink));
  }

  Made MakeList() const {
    if (node.children.size() != 1) return InternalError("a list field without one item field");
    ARROW_ASSIGN_OR_RAISE(auto items, MakeChild(node.children[0]));
    return std::make_unique<ListWriter>(node, path, options, std::move(items),
                                        ColumnPages(PlainColumnEncoding(), sink));
  }
};

}  // namespace

arrow::Result<std::unique_ptr<ColumnWriter>> MakeColumnWriter(const FieldNode& node,
                                                              const std::string& path,
                                                              const FieldWriterOptions& options,
                                                              PageSink* sink) {
  const Parts parts{node, path, options, sink};
  switch (node.kind) {
    case FieldKind::kLeaf:
    case FieldKind::kPackedStruct:
      return parts.MakeLeaf();
    case FieldKind::kBlob:
      return parts.MakeBlob();
    case FieldKind::kStruct:
      return parts.MakeStruct();
    case FieldKind::kList:
      return parts.MakeList();
    case FieldKind::kMap:
    case FieldKind::kFixedSizeListOfStruct:
    case FieldKind::kBlobV2:
      break;
  }
  return UnsupportedError("type " + node.type->ToString() + " in 2.0 data files",
                          "field " + path + " is a " + node.type->ToString() +
                              ", which format 2.0 cannot hold; write version 2.2");
}

int64_t EndOfRowsThatFit(const ColumnWriter& writer, const arrow::Array& array, int64_t begin,
                         int64_t end) {
  if (writer.Fits(array, begin, end)) return end;
  int64_t fitting = begin + 1;  // a row that does not fit alone is a page of its own
  while (fitting < end) {
    const int64_t middle = fitting + (end - fitting) / 2;
    if (middle == fitting) break;
    if (writer.Fits(array, begin, middle)) {
      fitting = middle;
    } else {
      end = middle;
    }
  }
  return fitting;
}

arrow::Status CheckNulls(const FieldNode& node, const std::string& path, const arrow::Array& array,
                         int64_t begin, int64_t end) {
  const bool is_struct = node.type->id() == arrow::Type::STRUCT;
  if (node.nullable && !is_struct) return arrow::Status::OK();
  // Values of dictionary arrays may be null where keys are not.
  const bool is_dictionary = array.type_id() == arrow::Type::DICTIONARY;
  if (array.null_count() == 0 && !is_dictionary) return arrow::Status::OK();
  const int64_t num_nulls = array.Slice(begin, end - begin)->ComputeLogicalNullCount();
  if (num_nulls == 0) return arrow::Status::OK();
  if (is_struct && node.children.empty()) {
    return arrow::Status::Invalid("field ", path, " is a struct without members that has ",
                                  num_nulls, " null values, which data files cannot hold");
  }
  if (is_struct) {
    return arrow::Status::Invalid("field ", path, " has ", num_nulls,
                                  " null structs, which format 2.0 cannot hold; write version 2.1 "
                                  "or later");
  }
  return arrow::Status::Invalid("field ", path, " is not nullable and has ", num_nulls, " nulls");
}

}  // namespace lance::format::v20
