// The declaration: the five lance.clustering.* config keys (contract section 2).

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "lance/base/status_detail.h"
#include "lance/table/clustering_metadata.h"
#include "lance/table/decimal.h"

namespace lance::table {
namespace {

constexpr std::string_view kColumnsKey = "lance.clustering.columns";
constexpr std::string_view kCurveKey = "lance.clustering.curve";
constexpr std::string_view kVersionKey = "lance.clustering.version";
constexpr std::string_view kBitsKey = "lance.clustering.bits_per_dim";
constexpr std::string_view kAlgorithmKey = "lance.clustering.algorithm";
constexpr std::array kKeys = {kColumnsKey, kCurveKey, kVersionKey, kBitsKey, kAlgorithmKey};

constexpr size_t kMaxColumns = 16;
constexpr uint32_t kMinBits = 2;
constexpr uint32_t kMaxBits = 64;
constexpr size_t kMaxNamesInMessage = 20;

constexpr std::string_view kRankTypes[] = {
    "bool",   "int8",   "int16",  "int32", "int64",  "uint8",
    "uint16", "uint32", "uint64", "float", "double",
};
// Parameters of a type may follow after a ':'.
constexpr std::string_view kTypedTypes[] = {
    "string", "large_string", "binary", "large_binary", "date32",
    "date64", "timestamp",    "time32", "time64",
};
constexpr std::string_view kDecimal128Prefix = "decimal:128:";

bool IsRankType(std::string_view logical_type) {
  return std::ranges::find(kRankTypes, logical_type) != std::end(kRankTypes);
}

bool IsTypedType(std::string_view logical_type) {
  if (IsRankType(logical_type) || logical_type.starts_with(kDecimal128Prefix)) return true;
  const std::string_view base = logical_type.substr(0, logical_type.find(':'));
  return std::ranges::find(kTypedTypes, base) != std::end(kTypedTypes);
}

std::string Quote(std::string_view text) { return "\"" + std::string(text.substr(0, 64)) + "\""; }

arrow::Status BadValue(std::string_view key, std::string_view value, std::string_view allowed) {
  return arrow::Status::Invalid(key, " is ", Quote(value), "; allowed: ", allowed);
}

bool EqualsIgnoringCase(std::string_view lhs, std::string_view rhs) {
  const auto lower = [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(lhs, rhs, {}, lower, lower);
}

std::string TopLevelNames(const format::LanceSchema& schema) {
  std::string names;
  size_t count = 0;
  for (const format::SchemaField& field : schema.fields) {
    if (field.parent_id != -1) continue;
    if (++count > kMaxNamesInMessage) return names + ", ...";
    names += (names.empty() ? "" : ", ") + field.name;
  }
  return names;
}

/// Find a top-level column: exactly, else ignoring case when that is unique.
arrow::Result<const format::SchemaField*> FindColumn(const std::string& name,
                                                     const format::LanceSchema& schema) {
  if (const auto* exact = schema.FindTopLevel(name)) return exact;
  const format::SchemaField* found = nullptr;
  for (const format::SchemaField& field : schema.fields) {
    if (field.parent_id != -1 || !EqualsIgnoringCase(field.name, name)) continue;
    if (found != nullptr) {
      return arrow::Status::Invalid(kColumnsKey, " names ", Quote(name), ", which could be ",
                                    found->name, " or ", field.name, "; allowed: the exact name");
    }
    found = &field;
  }
  if (found != nullptr) return found;
  return NotFoundError("column", name,
                       std::string(kColumnsKey) + " names " + Quote(name) +
                           ", which is not a top-level column; allowed: " + TopLevelNames(schema));
}

using Columns = std::vector<const format::SchemaField*>;

arrow::Result<Columns> FindColumns(const std::vector<std::string>& names,
                                   const format::LanceSchema& schema) {
  if (names.empty() || names.size() > kMaxColumns) {
    return arrow::Status::Invalid(kColumnsKey, " has ", names.size(), " columns; allowed: 1 to ",
                                  kMaxColumns);
  }
  Columns columns;
  for (const std::string& name : names) {
    ARROW_ASSIGN_OR_RAISE(const format::SchemaField* column, FindColumn(name, schema));
    if (std::ranges::find(columns, column) != columns.end()) {
      return arrow::Status::Invalid(kColumnsKey, " names ", Quote(column->name),
                                    " twice; allowed: distinct columns");
    }
    columns.push_back(column);
  }
  return columns;
}

arrow::Status CheckTypes(const Columns& columns, ClusteringAlgorithm algorithm) {
  const bool is_rank = algorithm == ClusteringAlgorithm::kQuantileRankV1;
  for (const format::SchemaField* column : columns) {
    const std::string& type = column->logical_type;
    if (is_rank ? IsRankType(type) : IsTypedType(type)) continue;
    return arrow::Status::Invalid(
        kColumnsKey, " names ", Quote(column->name), " of type ", type.substr(0, 64), ", which ",
        ToString(algorithm), " does not take; allowed: booleans, integers, float, double",
        is_rank ? "" : ", strings, binary, dates, times, timestamps, decimal128");
  }
  return arrow::Status::OK();
}

ClusteringAlgorithm DefaultAlgorithm(const Columns& columns) {
  const bool fits = std::ranges::all_of(
      columns, [](const format::SchemaField* column) { return IsRankType(column->logical_type); });
  return fits ? ClusteringAlgorithm::kQuantileRankV1 : ClusteringAlgorithm::kTypedQuantileRankV2;
}

arrow::Status CheckBits(uint64_t bits) {
  if (kMinBits <= bits && bits <= kMaxBits) return arrow::Status::OK();
  return BadValue(kBitsKey, std::to_string(bits), "2 to 64");
}

arrow::Result<std::vector<std::string>> ParseColumnList(const std::string& text) {
  const auto bad = [&] { return BadValue(kColumnsKey, text, "a JSON array of column names"); };
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return bad();
  std::vector<std::string> names;
  for (const auto& name : json) {
    if (!name.is_string()) return bad();
    names.push_back(name.get<std::string>());
  }
  return names;
}

/// Refuse a key that is missing, or one that nobody knows.
arrow::Status CheckKeys(const std::map<std::string, std::string>& entries) {
  const std::string all = "lance.clustering.{columns, curve, version, bits_per_dim, algorithm}";
  for (const auto& [key, value] : entries) {
    if (std::ranges::find(kKeys, key) != kKeys.end()) continue;
    return arrow::Status::Invalid(key, " is ", Quote(value),
                                  " but no such key is known; allowed: ", all);
  }
  for (const std::string_view key : kKeys) {
    if (entries.contains(std::string(key))) continue;
    return arrow::Status::Invalid(key, " is missing; allowed: all five of ", all, ", or none");
  }
  return arrow::Status::OK();
}

arrow::Result<ClusteringSpec> ParseEntries(const std::map<std::string, std::string>& entries,
                                           const format::LanceSchema& schema) {
  ARROW_RETURN_NOT_OK(CheckKeys(entries));
  const auto value_of = [&](std::string_view key) { return entries.at(std::string(key)); };
  ClusteringSpec spec;
  ARROW_ASSIGN_OR_RAISE(const auto names, ParseColumnList(value_of(kColumnsKey)));
  ARROW_ASSIGN_OR_RAISE(spec.curve, ParseClusteringCurve(value_of(kCurveKey)));
  spec.version = ParseDecimal(value_of(kVersionKey)).value_or(0);
  if (spec.version == 0) {
    return BadValue(kVersionKey, value_of(kVersionKey), "1 to 18446744073709551615");
  }
  const auto bits = ParseDecimal(value_of(kBitsKey));
  if (!bits) return BadValue(kBitsKey, value_of(kBitsKey), "2 to 64");
  ARROW_RETURN_NOT_OK(CheckBits(*bits));
  spec.bits_per_dim = static_cast<uint32_t>(*bits);
  ARROW_ASSIGN_OR_RAISE(spec.algorithm, ParseClusteringAlgorithm(value_of(kAlgorithmKey)));
  ARROW_ASSIGN_OR_RAISE(const Columns columns, FindColumns(names, schema));
  ARROW_RETURN_NOT_OK(CheckTypes(columns, spec.algorithm));
  for (const format::SchemaField* column : columns) spec.columns.push_back(column->name);
  return spec;
}

/// Whether two layouts differ in nothing but their version.
bool IsSameLayout(LayoutDefinition lhs, const LayoutDefinition& rhs) {
  lhs.version = rhs.version;
  return lhs == rhs;
}

/// The version rules of a request (contract section 2).
arrow::Result<uint64_t> ChooseVersion(const std::optional<uint64_t>& asked,
                                      const ClusteringSpec& spec, const Manifest& manifest) {
  const uint64_t highest = HighestKnownVersion(manifest);
  const auto declared = ReadDeclaration(manifest).spec;
  const bool is_declared = declared && IsSameLayout(LayoutOf(spec, manifest.schema),
                                                    LayoutOf(*declared, manifest.schema));
  if (asked) {
    if (*asked > highest || (is_declared && *asked == declared->version)) return *asked;
    return BadValue(kVersionKey, std::to_string(*asked),
                    "more than " + std::to_string(highest) + ", the highest the table knows");
  }
  if (is_declared && CurrentDefinition(manifest) != nullptr) return declared->version;
  if (highest == std::numeric_limits<uint64_t>::max()) {
    return arrow::Status::Invalid(kVersionKey, " cannot be raised: the table knows version ",
                                  highest, ", the highest possible");
  }
  return highest + 1;
}

}  // namespace

DeclarationState ReadDeclaration(const Manifest& manifest) {
  std::map<std::string, std::string> entries;
  for (auto it = manifest.config.lower_bound(std::string(kDeclarationPrefix));
       it != manifest.config.end() && it->first.starts_with(kDeclarationPrefix); ++it) {
    entries.insert(*it);
  }
  DeclarationState state;
  if (entries.empty()) return state;
  auto spec = ParseEntries(entries, manifest.schema);
  if (spec.ok()) {
    state.spec = *std::move(spec);
  } else {
    state.problem = spec.status().message();
  }
  return state;
}

void FollowRenames(const Manifest& previous, Manifest* next) {
  const DeclarationState state = ReadDeclaration(previous);
  if (!state.spec) return;
  ClusteringSpec renamed = *state.spec;
  const LayoutDefinition layout = LayoutOf(*state.spec, previous.schema);
  for (size_t i = 0; i < renamed.columns.size(); ++i) {
    const format::SchemaField* field = next->schema.FindById(layout.field_ids[i]);
    if (field != nullptr && field->parent_id == -1) renamed.columns[i] = field->name;
  }
  if (renamed.columns == state.spec->columns) return;
  for (const auto& [key, value] : DeclarationEntries(renamed)) next->config[key] = value;
}

std::vector<std::pair<std::string, std::string>> DeclarationEntries(const ClusteringSpec& spec) {
  const nlohmann::json columns = spec.columns;
  // Names come from a schema and are UTF-8; `replace` keeps dump() from throwing all the same.
  const auto list = columns.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return {{std::string(kColumnsKey), list},
          {std::string(kCurveKey), ToString(spec.curve)},
          {std::string(kVersionKey), std::to_string(spec.version)},
          {std::string(kBitsKey), std::to_string(spec.bits_per_dim)},
          {std::string(kAlgorithmKey), ToString(spec.algorithm)}};
}

arrow::Result<ClusteringSpec> ResolveClusteringRequest(const ClusteringRequest& request,
                                                       const Manifest& manifest) {
  ARROW_RETURN_NOT_OK(CheckBits(request.bits_per_dim));
  ARROW_ASSIGN_OR_RAISE(const Columns columns, FindColumns(request.columns, manifest.schema));
  ClusteringSpec spec{.curve = request.curve, .bits_per_dim = request.bits_per_dim};
  spec.algorithm = request.algorithm.value_or(DefaultAlgorithm(columns));
  ARROW_RETURN_NOT_OK(CheckTypes(columns, spec.algorithm));
  for (const format::SchemaField* column : columns) spec.columns.push_back(column->name);
  if (request.version == uint64_t{0}) {
    return BadValue(kVersionKey, "0", "1 to 18446744073709551615");
  }
  ARROW_ASSIGN_OR_RAISE(spec.version, ChooseVersion(request.version, spec, manifest));
  return spec;
}

arrow::Result<ClusteringSpec> ResolveOneShotSort(const std::vector<std::string>& columns,
                                                 const format::LanceSchema& schema) {
  ARROW_ASSIGN_OR_RAISE(const Columns found, FindColumns(columns, schema));
  ClusteringSpec spec;
  spec.algorithm = DefaultAlgorithm(found);
  ARROW_RETURN_NOT_OK(CheckTypes(found, spec.algorithm));
  for (const format::SchemaField* column : found) spec.columns.push_back(column->name);
  return spec;
}

LayoutDefinition LayoutOf(const ClusteringSpec& spec, const format::LanceSchema& schema) {
  LayoutDefinition layout{.version = spec.version,
                          .curve = spec.curve,
                          .bits_per_dim = spec.bits_per_dim,
                          .algorithm = spec.algorithm};
  for (const std::string& name : spec.columns) {
    const format::SchemaField* field = schema.FindTopLevel(name);
    layout.field_ids.push_back(field == nullptr ? -1 : field->id);
  }
  return layout;
}

}  // namespace lance::table
