#include "lance/dataset/column_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "lance/base/status_detail.h"
#include "lance/format/projection.h"

namespace lance {

namespace {

std::string LowerAscii(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Edit distance, for near names; quadratic, of short texts.
size_t EditDistance(const std::string& lhs, const std::string& rhs) {
  std::vector<size_t> row(rhs.size() + 1);
  for (size_t j = 0; j <= rhs.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= lhs.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= rhs.size(); ++j) {
      const size_t above = row[j];
      row[j] =
          std::min({row[j] + 1, row[j - 1] + 1, diagonal + (lhs[i - 1] != rhs[j - 1] ? 1 : 0)});
      diagonal = above;
    }
  }
  return row.back();
}

/// The columns whose names come nearest, best first, at most three.
std::string NearNames(const format::LanceSchema& schema, const std::string& name) {
  constexpr size_t kMaxLength = 64;  // longer names are not typing errors
  std::vector<std::pair<size_t, std::string>> names;
  for (const format::SchemaField& field : schema.fields) {
    if (field.parent_id != -1 || field.name.size() > kMaxLength || name.size() > kMaxLength) {
      continue;
    }
    names.emplace_back(EditDistance(LowerAscii(field.name), LowerAscii(name)), field.name);
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& lhs, const auto& rhs) { return lhs.first < rhs.first; });
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(names.size(), 3); ++i) {
    text += (i == 0 ? "" : ", ") + names[i].second;
  }
  return text;
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
  return NotFoundError("column", name,
                       "there is no column " + name + "; near names: " + NearNames(schema, name));
}

}  // namespace lance
