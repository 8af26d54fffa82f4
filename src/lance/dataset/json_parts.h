#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lance/clustering.h"

namespace lance {

// What the documents of docs/guide/json.md are made of. For sources that make them, only.

using Json = nlohmann::ordered_json;

/// Bytes that are not UTF-8 become replacement characters: a message must not stop the printing.
inline std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

inline Json Document(const char* kind) { return Json{{"kind", kind}, {"format", 1}}; }

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Doubles that JSON cannot say are texts.
inline Json Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

/// A layout, or null.
inline Json SpecJson(const std::optional<ClusteringSpec>& spec) {
  if (!spec) return nullptr;
  return {{"columns", spec->columns},
          {"curve", ToString(spec->curve)},
          {"version", spec->version},
          {"bits_per_dim", spec->bits_per_dim},
          {"algorithm", ToString(spec->algorithm)}};
}

}  // namespace lance
