#include "lance/dataset/filter/asked_field.h"

#include "lance/dataset/filter/canonical.h"

namespace lance::filter {

namespace {

using format::FieldKind;
using format::FieldNode;

/// The node of a column or of a member of structs, whose path is added to `path`; null for other
/// values, and for columns that are not structs.
const FieldNode* NodeOf(const BoundValue& value, const std::vector<FilterColumn>& columns,
                        std::string* path) {
  if (value.kind == BoundValue::Kind::kColumn) {
    const FilterColumn& column = columns[static_cast<size_t>(value.column)];
    *path += CanonicalIdentifier(column.name);
    return column.field.get();
  }
  if (value.kind != BoundValue::Kind::kField) return nullptr;
  const FieldNode* outer = NodeOf(value.arguments[0], columns, path);
  const auto place = static_cast<size_t>(value.place);
  if (outer == nullptr || outer->kind != FieldKind::kStruct || place >= outer->children.size()) {
    return nullptr;
  }
  *path += "." + CanonicalIdentifier(outer->children[place].name);
  return &outer->children[place];
}

}  // namespace

AskedField FieldOfColumn(const FilterColumn& column) {
  return {column.field_id, CanonicalIdentifier(column.name), column.type};
}

std::optional<AskedField> FieldOf(const BoundValue& value,
                                  const std::vector<FilterColumn>& columns) {
  if (value.kind == BoundValue::Kind::kColumn) {
    const FilterColumn& column = columns[static_cast<size_t>(value.column)];
    if (column.field_id < 0) return std::nullopt;
    return AskedField{column.field_id, CanonicalIdentifier(column.name), value.type};
  }
  std::string path;
  const FieldNode* node = NodeOf(value, columns, &path);
  if (node == nullptr || (node->kind != FieldKind::kLeaf && node->kind != FieldKind::kList)) {
    return std::nullopt;
  }
  return AskedField{node->id, std::move(path), value.type};
}

}  // namespace lance::filter
