#include "lance/table/ref_json.h"

#include "arrow/status.h"

namespace lance::table {

arrow::Status BadRefMember(std::string_view key, std::string_view wanted) {
  return arrow::Status::SerializationError("\"", key, "\" is missing or no ", wanted);
}

arrow::Result<RefJson> ParseRefJson(std::string_view text) {
  RefJson json = RefJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return arrow::Status::SerializationError("is no JSON object");
  return json;
}

arrow::Result<uint64_t> NumberIn(const RefJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) {
    return BadRefMember(key, "number of 0 or more");
  }
  return found->get<uint64_t>();
}

arrow::Result<std::optional<std::string>> TextIn(const RefJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) return BadRefMember(key, "text or null");
  return found->get<std::string>();
}

arrow::Result<std::map<std::string, std::string>> TextsIn(const RefJson& json, const char* key) {
  std::map<std::string, std::string> texts;
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return texts;
  if (!found->is_object()) return BadRefMember(key, "object");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) return BadRefMember(key, "object of texts");
    texts.emplace(name, value.get<std::string>());
  }
  return texts;
}

std::string WriteRefJson(const RefJson& json) {
  return json.dump(2, ' ', false, RefJson::error_handler_t::replace);
}

}  // namespace lance::table
