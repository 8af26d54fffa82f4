#include "lance/format/field_tree.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/field_metadata.h"

namespace lance::format {
namespace {

constexpr std::string_view kFixedSizeListOfStruct = "fixed_size_list:struct:";

/// The fields of a schema, with the positions of their children.
struct FlatTree {
  const LanceSchema& schema;
  std::vector<size_t> roots = {};
  std::vector<std::vector<size_t>> children = {};
};

FlatTree MakeFlatTree(const LanceSchema& schema) {
  FlatTree tree{.schema = schema};
  tree.children.resize(schema.fields.size());
  std::unordered_map<int32_t, size_t> by_id;
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    const SchemaField& field = schema.fields[i];
    const auto parent = by_id.find(field.parent_id);
    // Schemas are parsed with a check that parents come first; a field without one is top level.
    if (field.parent_id == -1 || parent == by_id.end()) {
      tree.roots.push_back(i);
    } else {
      tree.children[parent->second].push_back(i);
    }
    by_id.emplace(field.id, i);
  }
  return tree;
}

template <typename... Args>
arrow::Status Broken(const SchemaField& field, Args&&... problem) {
  return arrow::Status::SerializationError("logical type \"", field.logical_type.substr(0, 64),
                                           "\" with ", std::forward<Args>(problem)...);
}

FieldKind StructKindOf(const SchemaField& field) {
  if (IsBlobV2(field.metadata)) return FieldKind::kBlobV2;
  return AsksForPacking(field.metadata) ? FieldKind::kPackedStruct : FieldKind::kStruct;
}

/// Set kind and type of a field whose children are built, unless it has no type of its own.
arrow::Status SetNestedType(const SchemaField& field, FieldNode* node) {
  const bool has_one_child = node->children.size() == 1;
  const std::string& logical_type = field.logical_type;
  if (logical_type == "struct") {
    node->kind = StructKindOf(field);
    node->type = arrow::struct_({});
  } else if (logical_type.starts_with("list") || logical_type.starts_with("large_list")) {
    node->kind = FieldKind::kList;
    if (!has_one_child) return Broken(field, node->children.size(), " children, 1 is allowed");
    const bool is_large = logical_type.starts_with("large_list");
    node->type = is_large ? arrow::large_list(arrow::null()) : arrow::list(arrow::null());
  } else if (logical_type == "map") {
    node->kind = FieldKind::kMap;
    if (!has_one_child) return Broken(field, node->children.size(), " children, 1 is allowed");
    // Says what Arrow wants of the entries: a struct of two fields, without nulls; the key as well.
    const auto type = arrow::MapType::Make(ToArrowField(node->children[0]));
    if (!type.ok()) return Broken(field, "entries that are none: ", type.status().message());
    node->type = *type;
  } else {
    node->kind = FieldKind::kFixedSizeListOfStruct;
    if (!has_one_child || node->children[0].type->id() != arrow::Type::STRUCT) {
      return Broken(field, node->children.size(), " children, one struct is allowed");
    }
    // The number behind the items' type is checked as that of any list.
    const std::string dimension = logical_type.substr(kFixedSizeListOfStruct.size());
    ARROW_ASSIGN_OR_RAISE(node->type, ParseLogicalType("fixed_size_list:null:" + dimension));
  }
  *node = WithTypeOfChildren(std::move(*node));
  return arrow::Status::OK();
}

bool IsNested(std::string_view logical_type) {
  constexpr std::string_view kNested[] = {
      "struct", "list", "list.struct", "large_list", "large_list.struct", "map"};
  return std::ranges::find(kNested, logical_type) != std::end(kNested) ||
         logical_type.starts_with(kFixedSizeListOfStruct);
}

arrow::Result<FieldNode> MakeNode(const FlatTree& tree, size_t index);

/// Make the children, kind and type of a node.
arrow::Status FillNode(const FlatTree& tree, size_t index, FieldNode* node) {
  const SchemaField& field = tree.schema.fields[index];
  for (const size_t child : tree.children[index]) {
    ARROW_ASSIGN_OR_RAISE(FieldNode made, MakeNode(tree, child));
    node->children.push_back(std::move(made));
  }
  if (IsNested(field.logical_type)) return SetNestedType(field, node);
  ARROW_ASSIGN_OR_RAISE(node->type, ParseLogicalType(field.logical_type));
  if (!node->children.empty()) {
    return Broken(field, "a child, \"", node->children[0].name, "\", none is allowed");
  }
  const bool is_blob = node->type->id() == arrow::Type::LARGE_BINARY && AsksForBlob(field.metadata);
  node->kind = is_blob ? FieldKind::kBlob : FieldKind::kLeaf;
  return arrow::Status::OK();
}

arrow::Result<FieldNode> MakeNode(const FlatTree& tree, size_t index) {
  const SchemaField& field = tree.schema.fields[index];
  FieldNode node{.id = field.id,
                 .name = field.name,
                 .nullable = field.nullable,
                 .metadata = field.metadata,
                 .type = nullptr,
                 .children = {}};
  const arrow::Status status = FillNode(tree, index, &node);
  const std::string_view what = field.parent_id == -1 ? "column" : "field";
  if (!status.ok()) return WithContext(status, std::string(what) + " \"" + field.name + "\"");
  return node;
}

arrow::FieldVector ChildFields(const FieldNode& node) {
  arrow::FieldVector fields;
  for (const FieldNode& child : node.children) fields.push_back(ToArrowField(child));
  return fields;
}

void AppendLeaves(const FieldNode& node, std::vector<const FieldNode*>* leaves) {
  if (node.is_column()) {
    leaves->push_back(&node);
    return;
  }
  for (const FieldNode& child : node.children) AppendLeaves(child, leaves);
}

/// The fields that own columns in 2.0: all, but none below one that is stored as a whole.
void AppendColumnsOf20(const FieldNode& node, std::vector<const FieldNode*>* columns) {
  columns->push_back(&node);
  if (node.is_column() || node.kind == FieldKind::kFixedSizeListOfStruct) return;
  for (const FieldNode& child : node.children) AppendColumnsOf20(child, columns);
}

}  // namespace

std::shared_ptr<arrow::DataType> BlobDescriptorType() {
  return arrow::struct_({arrow::field("kind", arrow::uint8(), /*nullable=*/false),
                         arrow::field("position", arrow::uint64(), /*nullable=*/false),
                         arrow::field("size", arrow::uint64(), /*nullable=*/false),
                         arrow::field("blob_id", arrow::uint32(), /*nullable=*/false),
                         arrow::field("blob_uri", arrow::utf8(), /*nullable=*/false)});
}

bool FieldNode::is_column() const {
  switch (kind) {
    case FieldKind::kLeaf:
    case FieldKind::kPackedStruct:
    case FieldKind::kBlob:
    case FieldKind::kBlobV2:
      return true;
    case FieldKind::kStruct:
      return children.empty();
    case FieldKind::kList:
    case FieldKind::kMap:
    case FieldKind::kFixedSizeListOfStruct:
      return false;
  }
  return false;
}

arrow::Result<std::vector<FieldNode>> MakeFieldTree(const LanceSchema& schema) {
  const FlatTree tree = MakeFlatTree(schema);
  std::vector<FieldNode> nodes;
  for (const size_t root : tree.roots) {
    const SchemaField& field = schema.fields[root];
    if (field.parent_id != -1) {
      return arrow::Status::SerializationError("column \"", field.name, "\": its parent id ",
                                               field.parent_id,
                                               " is not the id of an earlier field");
    }
    ARROW_ASSIGN_OR_RAISE(FieldNode node, MakeNode(tree, root));
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::shared_ptr<arrow::Field> ToArrowField(const FieldNode& node) {
  const bool is_blob_v2 = node.kind == FieldKind::kBlobV2;
  return arrow::field(node.name, node.type, node.nullable,
                      ToArrowMetadata(is_blob_v2 ? BlobV2FileMetadata() : node.metadata));
}

FieldNode WithTypeOfChildren(FieldNode node) {
  const bool has_items = node.type != nullptr && !node.children.empty();
  switch (node.kind) {
    case FieldKind::kLeaf:
    case FieldKind::kBlob:
      break;
    case FieldKind::kBlobV2:
      node.type = BlobDescriptorType();
      break;
    case FieldKind::kStruct:
    case FieldKind::kPackedStruct:
      node.type = arrow::struct_(ChildFields(node));
      break;
    case FieldKind::kList:
      if (!has_items) break;
      node.type = node.type->id() == arrow::Type::LARGE_LIST
                      ? arrow::large_list(ToArrowField(node.children[0]))
                      : arrow::list(ToArrowField(node.children[0]));
      break;
    case FieldKind::kMap: {
      // Entries that miss their key or value are not Arrow's map: the type stays.
      if (!has_items) break;
      const auto type = arrow::MapType::Make(ToArrowField(node.children[0]));
      if (type.ok()) node.type = *type;
      break;
    }
    case FieldKind::kFixedSizeListOfStruct: {
      if (!has_items) break;
      const auto& list = static_cast<const arrow::FixedSizeListType&>(*node.type);
      node.type = arrow::fixed_size_list(ToArrowField(node.children[0]), list.list_size());
      break;
    }
  }
  return node;
}

std::vector<const FieldNode*> LeavesOf(const FieldNode& node) {
  std::vector<const FieldNode*> leaves;
  AppendLeaves(node, &leaves);
  return leaves;
}

ColumnMap NumberColumns(const std::vector<FieldNode>& fields, FileVersion version) {
  std::vector<const FieldNode*> columns;
  for (const FieldNode& field : fields) {
    if (version == FileVersion::k2_0) {
      AppendColumnsOf20(field, &columns);
    } else {
      AppendLeaves(field, &columns);
    }
  }
  ColumnMap map;
  int next = 0;
  for (const FieldNode* column : columns) map.emplace(column->id, next++);
  return map;
}

}  // namespace lance::format
