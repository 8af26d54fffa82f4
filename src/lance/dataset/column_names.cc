#include "lance/dataset/column_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "lance/base/near_names.h"
#include "lance/base/status_detail.h"
#include "lance/format/projection.h"

namespace lance {

namespace {

std::string LowerAscii(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The error of a top-level column that is not there.
arrow::Status NoColumn(const format::LanceSchema& schema, const std::string& name) {
  constexpr size_t kMostShown = 10;
  std::vector<std::string> names;
  for (const format::SchemaField& field : schema.fields) {
    if (field.parent_id == -1) names.push_back(field.name);
  }
  const auto near = NearNames(name, names);
  return NotFoundError("column", name,
                       "there is no column " + name +
                           (near.empty() ? "; columns: " + ListNames(names, kMostShown)
                                         : "; near names: " + ListNames(near, near.size())));
}

/// A child by name: exactly, else ignoring case when unique. \return null when there is none
const format::SchemaField* FindChild(const format::LanceSchema& schema, int32_t parent_id,
                                     const std::string& name) {
  const format::SchemaField* found = nullptr;
  bool is_ambiguous = false;
  for (const format::SchemaField& field : schema.fields) {
    if (field.parent_id != parent_id) continue;
    if (field.name == name) return &field;
    if (LowerAscii(field.name) != LowerAscii(name)) continue;
    is_ambiguous = found != nullptr;
    found = &field;
  }
  return is_ambiguous ? nullptr : found;
}

}  // namespace

arrow::Result<const format::SchemaField*> ResolveFieldPath(const format::LanceSchema& schema,
                                                           const std::string& path) {
  if (const auto* exact = schema.FindTopLevel(path)) return exact;
  const std::vector<std::string> names = format::SplitPath(path);
  if (names.size() == 1) return ResolveColumn(schema, names[0]);
  ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field, ResolveColumn(schema, names[0]));
  for (size_t i = 1; i < names.size(); ++i) {
    const format::SchemaField* child = FindChild(schema, field->id, names[i]);
    if (child == nullptr) {
      return NotFoundError("column", path,
                           "there is no column " + path + ": " + field->name + " has no member " +
                               names[i] + " (or several by that name)");
    }
    field = child;
  }
  return field;
}

arrow::Result<const format::SchemaField*> ResolveColumn(const format::LanceSchema& schema,
                                                        const std::string& name) {
  if (const auto* exact = schema.FindTopLevel(name)) return exact;
  std::vector<const format::SchemaField*> found;
  for (const format::SchemaField& field : schema.fields) {
    if (field.parent_id == -1 && LowerAscii(field.name) == LowerAscii(name)) {
      found.push_back(&field);
    }
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    return NotFoundError("column", name,
                         "column " + name + " is ambiguous: " + found[0]->name + " and " +
                             found[1]->name + " differ in case only");
  }
  return NoColumn(schema, name);
}

}  // namespace lance
