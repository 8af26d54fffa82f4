#include "lance/format/projection.h"

#include <algorithm>
#include <set>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"

namespace lance::format {
namespace {

/// Which ids of a tree to keep; a kept field keeps all below it.
using KeptIds = std::set<int32_t>;

std::string NamesOf(const std::vector<FieldNode>& fields) {
  std::string names;
  for (const FieldNode& field : fields) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

const FieldNode* FindByName(const std::vector<FieldNode>& fields, const std::string& name) {
  const auto found = std::ranges::find(fields, name, &FieldNode::name);
  return found == fields.end() ? nullptr : &*found;
}

arrow::Status NotThere(const std::string& path, const std::vector<FieldNode>& fields) {
  return NotFoundError("column", path,
                       "column \"" + path + "\" does not exist; available: " + NamesOf(fields));
}

/// Find the field of a path, and the top-level one above it.
arrow::Result<std::pair<const FieldNode*, const FieldNode*>> FindPath(
    const std::vector<FieldNode>& fields, const std::string& path) {
  const FieldNode* found = FindByName(fields, path);
  if (found != nullptr) return std::pair{found, found};
  const std::vector<std::string> names = SplitPath(path);
  const FieldNode* top = FindByName(fields, names[0]);
  found = top;
  for (size_t i = 1; found != nullptr && i < names.size(); ++i) {
    if (found->kind != FieldKind::kStruct) return NotThere(path, fields);
    found = FindByName(found->children, names[i]);
  }
  if (found == nullptr) return NotThere(path, fields);
  return std::pair{top, found};
}

bool HoldsAny(const KeptIds& kept, const FieldNode& node) {
  return kept.contains(node.id) || std::ranges::any_of(node.children, [&](const FieldNode& child) {
           return HoldsAny(kept, child);
         });
}

/// \return whether anything of the field is kept
bool Prune(const KeptIds& kept, FieldNode* node) {
  if (kept.contains(node->id)) return true;
  if (node->kind == FieldKind::kPackedStruct) return HoldsAny(kept, *node);  // one column
  std::erase_if(node->children, [&](FieldNode& child) { return !Prune(kept, &child); });
  const bool has_parts = node->kind == FieldKind::kStruct || node->kind == FieldKind::kList ||
                         node->kind == FieldKind::kFixedSizeListOfStruct;
  if (!has_parts || node->children.empty()) return false;
  *node = WithTypeOfChildren(std::move(*node));
  return true;
}

}  // namespace

std::vector<std::string> SplitPath(const std::string& path) {
  std::vector<std::string> names(1);
  bool is_quoted = false;
  for (const char c : path) {
    if (c == '`') {
      is_quoted = !is_quoted;
    } else if (c == '.' && !is_quoted) {
      names.emplace_back();
    } else {
      names.back().push_back(c);
    }
  }
  return names;
}

arrow::Result<std::vector<FieldNode>> ProjectFields(const std::vector<FieldNode>& fields,
                                                    const std::vector<std::string>& paths) {
  KeptIds kept;
  std::vector<const FieldNode*> tops;
  for (const std::string& path : paths) {
    ARROW_ASSIGN_OR_RAISE(const auto found, FindPath(fields, path));
    kept.insert(found.second->id);
    if (std::ranges::find(tops, found.first) == tops.end()) tops.push_back(found.first);
  }
  std::vector<FieldNode> projected;
  for (const FieldNode* top : tops) {
    FieldNode node = *top;
    Prune(kept, &node);
    projected.push_back(std::move(node));
  }
  return projected;
}

FieldNode KeepFields(FieldNode field, const std::set<int32_t>& ids) {
  Prune(ids, &field);
  return field;
}

std::shared_ptr<arrow::Schema> SchemaOf(const std::vector<FieldNode>& fields,
                                        std::shared_ptr<const arrow::KeyValueMetadata> metadata) {
  arrow::FieldVector made;
  for (const FieldNode& field : fields) made.push_back(ToArrowField(field));
  return arrow::schema(std::move(made), std::move(metadata));
}

}  // namespace lance::format
