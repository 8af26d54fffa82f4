#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/result.h"

namespace lance::table {

// Taking members out of the JSON that describes a tag or a branch (table-format 1.8). Each failure
// is a SerializationError naming the key.

/// JSON whose keys keep their order.
using RefJson = nlohmann::ordered_json;

/// A key that is missing, or whose value is not what is wanted.
arrow::Status BadRefMember(std::string_view key, std::string_view wanted);

/// Parse a description. \return SerializationError: no JSON object
arrow::Result<RefJson> ParseRefJson(std::string_view text);

/// A number of 0 or more.
arrow::Result<uint64_t> NumberIn(const RefJson& json, const char* key);

/// A text, null or missing.
arrow::Result<std::optional<std::string>> TextIn(const RefJson& json, const char* key);

/// An object of texts; null or missing: empty.
arrow::Result<std::map<std::string, std::string>> TextsIn(const RefJson& json, const char* key);

/// As the reference lays it out. What is no UTF-8 is replaced.
std::string WriteRefJson(const RefJson& json);

}  // namespace lance::table
