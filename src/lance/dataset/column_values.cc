#include "lance/dataset/column_values.h"

#include "arrow/api.h"
#include "lance/base/status_detail.h"

namespace lance {

namespace {

using format::FieldKind;
using format::FieldNode;

/// The nodes from a root down to a field. \return false when it is not below
bool FindPath(const FieldNode& node, int32_t field_id, std::vector<const FieldNode*>* path) {
  path->push_back(&node);
  if (node.id == field_id) return true;
  for (const FieldNode& child : node.children) {
    if (FindPath(child, field_id, path)) return true;
  }
  path->pop_back();
  return false;
}

/// A name as it stands in a path.
std::string PathComponent(const std::string& name) {
  return name.find_first_of(".`") == std::string::npos ? name : "`" + name + "`";
}

/// A node with nothing below it but the way to a field. \pre the path begins with the node
FieldNode KeepPath(const std::vector<const FieldNode*>& path, size_t place) {
  FieldNode node = *path[place];
  if (place + 1 == path.size()) return node;
  node.children = {KeepPath(path, place + 1)};
  return format::WithTypeOfChildren(std::move(node));
}

}  // namespace

arrow::Result<ColumnValues> ColumnValues::Make(const std::vector<FieldNode>& fields,
                                               int32_t field_id) {
  std::vector<const FieldNode*> path;
  for (const FieldNode& field : fields) {
    if (FindPath(field, field_id, &path)) break;
  }
  if (path.empty()) {
    const std::string name = "#" + std::to_string(field_id);
    return NotFoundError("column", name, "there is no column with field id " + name);
  }
  ColumnValues column;
  column.field_ = *path.back();
  column.depth_ = static_cast<int>(path.size()) - 1;
  column.path_ = path.size() == 1 ? path.front()->name : PathComponent(path.front()->name);
  for (size_t i = 1; i < path.size(); ++i) column.path_ += "." + PathComponent(path[i]->name);
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (path[i]->kind == FieldKind::kStruct) continue;
    return UnsupportedError("index below a list",
                            "column " + column.path_ + " lies below " + path[i]->name +
                                ", which is not a struct, so that a row has no one value of it");
  }
  column.root_ = KeepPath(path, 0);
  return column;
}

arrow::Result<std::shared_ptr<arrow::Array>> ColumnValues::Read(FragmentReader* reader,
                                                                const RowRanges& rows) const {
  ARROW_ASSIGN_OR_RAISE(auto values, reader->ReadColumn(root_, rows));
  for (int i = 0; i < depth_; ++i) {
    const auto& outer = static_cast<const arrow::StructArray&>(*values);
    ARROW_ASSIGN_OR_RAISE(values, outer.GetFlattenedField(0));
  }
  return values;
}

}  // namespace lance
