#include "lance/index/stored_columns.h"

#include <charconv>
#include <unordered_set>

namespace lance::index {

std::vector<const format::SchemaField*> LeafFields(const format::LanceSchema& schema) {
  std::unordered_set<int32_t> parents;
  for (const auto& field : schema.fields) parents.insert(field.parent_id);
  std::vector<const format::SchemaField*> leaves;
  for (const auto& field : schema.fields) {
    if (!parents.contains(field.id)) leaves.push_back(&field);
  }
  return leaves;
}

std::optional<int> FindColumn(const format::LanceSchema& schema, std::string_view name) {
  const auto leaves = LeafFields(schema);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i]->parent_id == -1 && leaves[i]->name == name) return static_cast<int>(i);
  }
  return std::nullopt;
}

std::optional<uint64_t> ParseDecimal(std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

const std::string* FindMetadata(const format::LanceSchema& schema, const std::string& key) {
  const auto entry = schema.metadata.find(key);
  return entry == schema.metadata.end() ? nullptr : &entry->second;
}

}  // namespace lance::index
