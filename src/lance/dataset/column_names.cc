#include "lance/dataset/column_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "lance/base/status_detail.h"

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

}  // namespace

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
