// Definitions, stamps, and what every commit keeps true about them (contract section 3).

#include "lance/table/clustering_metadata.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>

#include "lance/base/uuid.h"
#include "lance/table/decimal.h"
#include "lance/table/transaction.h"

namespace lance::table {
namespace {

using TextMap = std::map<std::string, std::string>;

constexpr std::string_view kMaxIdMirror = "lance.liquid-clustering.max_clustering_id";
constexpr std::string_view kMaxVersionMirror = "lance.liquid-clustering.max_version";
constexpr std::string_view kStampVersionKey = "lance.liquid-clustering.version";
constexpr std::string_view kStampGroupKey = "lance.liquid-clustering.group";
constexpr std::string_view kDeclaredVersionKey = "lance.clustering.version";
constexpr uint64_t kMaxId = std::numeric_limits<uint32_t>::max();

constexpr std::string_view kWaysOut =
    "; set_clustering with what is allowed, or clear_clustering, first";

const std::string* FindValue(const TextMap& map, std::string_view key) {
  const auto found = map.find(std::string(key));
  return found == map.end() ? nullptr : &found->second;
}

/// A decimal number in a map; 0 when it is missing or malformed.
uint64_t NumberIn(const TextMap& map, std::string_view key) {
  const std::string* text = FindValue(map, key);
  return text == nullptr ? 0 : ParseDecimal(*text).value_or(0);
}

std::string LayoutKey(uint32_t id, std::string_view key) {
  return std::string(kClusteringProvider) + "." + std::to_string(id) + "." + std::string(key);
}

/// The id in a table_metadata key "{provider}.{number}.*"; 0: another key, or no possible id.
uint64_t IdInKey(std::string_view key, std::string_view provider) {
  if (!key.starts_with(provider)) return 0;
  key.remove_prefix(provider.size());
  if (!key.starts_with('.')) return 0;
  key.remove_prefix(1);
  const size_t dot = key.find('.');
  if (dot == std::string_view::npos) return 0;
  const uint64_t id = ParseDecimal(key.substr(0, dot)).value_or(0);
  return id <= kMaxId ? id : 0;
}

/// The highest id that the table gives any sign of (contract section 3, "Allocation").
uint64_t HighestKnownId(const Manifest& manifest) {
  const uint64_t mirror = NumberIn(manifest.table_metadata, kMaxIdMirror);
  uint64_t highest = std::max<uint64_t>(manifest.max_clustering_id, mirror <= kMaxId ? mirror : 0);
  std::set<std::string_view> providers = {kClusteringProvider};
  for (const ClusteringDefinition& definition : manifest.clustering) {
    highest = std::max<uint64_t>(highest, definition.id);
    if (!definition.provider.empty()) providers.insert(definition.provider);
  }
  for (const auto& [key, value] : manifest.table_metadata) {
    for (const std::string_view provider : providers) {
      highest = std::max(highest, IdInKey(key, provider));
    }
  }
  return highest;
}

/// The definition of ours that has this layout, of several the one with the highest id.
const ClusteringDefinition* FindDefinition(const LayoutDefinition& layout,
                                           const Manifest& manifest) {
  const ClusteringDefinition* best = nullptr;
  for (const ClusteringDefinition& definition : manifest.clustering) {
    if (best != nullptr && best->id > definition.id) continue;
    if (ReadLayout(manifest, definition) == layout) best = &definition;
  }
  return best;
}

void RaiseMirror(std::string_view key, uint64_t value, TextMap* table_metadata) {
  const uint64_t raised = std::max(value, NumberIn(*table_metadata, key));
  table_metadata->insert_or_assign(std::string(key), std::to_string(raised));
}

void RaiseMirrors(const ClusteringDefinition& definition, Manifest* manifest) {
  manifest->max_clustering_id = std::max(manifest->max_clustering_id, definition.id);
  RaiseMirror(kMaxIdMirror, manifest->max_clustering_id, &manifest->table_metadata);
  RaiseMirror(kMaxVersionMirror, definition.version, &manifest->table_metadata);
}

bool IsCanonicalUuid(std::string_view text) {
  const auto uuid = Uuid::Parse(text);
  return uuid.ok() && uuid->ToString() == text;
}

/// The rules for a declaration that is new or has changed.
arrow::Status CheckChangedDeclaration(const Manifest& previous, const Manifest& next,
                                      const DeclarationState& state) {
  if (!state.spec) return arrow::Status::OK();
  const DeclarationState before = ReadDeclaration(previous);
  const LayoutDefinition layout = LayoutOf(*state.spec, next.schema);
  // The same words, although an overwrite may have given the columns other field ids; or other
  // words for the same layout: that belongs to the field ids, so a column may be renamed.
  const bool is_unchanged = before.spec && (*before.spec == *state.spec ||
                                            LayoutOf(*before.spec, previous.schema) == layout);
  if (is_unchanged) return arrow::Status::OK();
  const uint64_t highest = HighestKnownVersion(previous);
  if (layout.version > highest) return arrow::Status::OK();
  const bool is_repair = !before.problem.empty() && layout.version == highest;
  const bool is_taken = std::ranges::any_of(previous.clustering, [&](const auto& definition) {
    return definition.provider == kClusteringProvider && definition.version == layout.version &&
           ReadLayout(previous, definition) != layout;
  });
  if (is_repair && !is_taken) return arrow::Status::OK();
  return arrow::Status::Invalid(kDeclaredVersionKey, " is \"", layout.version,
                                "\"; allowed: more than ", highest,
                                ", the highest the table knows");
}

arrow::Status CheckNotLowered(const Manifest& previous, const Manifest& next) {
  if (next.max_clustering_id < previous.max_clustering_id) {
    return arrow::Status::Invalid("max_clustering_id is ", next.max_clustering_id,
                                  "; allowed: ", previous.max_clustering_id, " and more");
  }
  for (const std::string_view key : {kMaxIdMirror, kMaxVersionMirror}) {
    const uint64_t before = NumberIn(previous.table_metadata, key);
    const uint64_t after = NumberIn(next.table_metadata, key);
    if (after >= before) continue;
    return arrow::Status::Invalid("table metadata ", key, " is ", after, "; allowed: ", before,
                                  " and more");
  }
  return arrow::Status::OK();
}

}  // namespace

const ClusteringDefinition* CurrentDefinition(const Manifest& manifest) {
  const DeclarationState state = ReadDeclaration(manifest);
  if (!state.spec) return nullptr;
  return FindDefinition(LayoutOf(*state.spec, manifest.schema), manifest);
}

std::optional<LayoutDefinition> ReadLayout(const Manifest& manifest,
                                           const ClusteringDefinition& definition) {
  if (definition.provider != kClusteringProvider) return std::nullopt;
  const auto value_of = [&](std::string_view key) {
    return FindValue(manifest.table_metadata, LayoutKey(definition.id, key));
  };
  const std::string* curve = value_of("curve");
  const std::string* bits = value_of("bits_per_dim");
  const std::string* algorithm = value_of("algorithm");
  if (curve == nullptr || bits == nullptr || algorithm == nullptr) return std::nullopt;
  const auto parsed_curve = ParseClusteringCurve(*curve);
  const auto parsed_algorithm = ParseClusteringAlgorithm(*algorithm);
  const uint64_t parsed_bits = ParseDecimal(*bits).value_or(0);
  if (!parsed_curve.ok() || !parsed_algorithm.ok()) return std::nullopt;
  if (parsed_bits < 2 || parsed_bits > 64) return std::nullopt;
  return LayoutDefinition{.field_ids = definition.field_ids,
                          .version = definition.version,
                          .curve = *parsed_curve,
                          .bits_per_dim = static_cast<uint32_t>(parsed_bits),
                          .algorithm = *parsed_algorithm};
}

arrow::Result<uint32_t> EnsureDefinition(const LayoutDefinition& layout, Manifest* manifest) {
  if (const ClusteringDefinition* found = FindDefinition(layout, *manifest)) {
    const ClusteringDefinition definition = *found;
    RaiseMirrors(definition, manifest);
    return definition.id;
  }
  const uint64_t highest = HighestKnownId(*manifest);
  if (highest >= kMaxId) {
    return arrow::Status::CapacityError("clustering ids are exhausted: the table knows id ",
                                        highest, ", the highest possible");
  }
  const ClusteringDefinition definition{.id = static_cast<uint32_t>(highest + 1),
                                        .field_ids = layout.field_ids,
                                        .provider = std::string(kClusteringProvider),
                                        .version = layout.version};
  TextMap& metadata = manifest->table_metadata;
  metadata[LayoutKey(definition.id, "curve")] = ToString(layout.curve);
  metadata[LayoutKey(definition.id, "bits_per_dim")] = std::to_string(layout.bits_per_dim);
  metadata[LayoutKey(definition.id, "algorithm")] = ToString(layout.algorithm);
  manifest->clustering.push_back(definition);
  RaiseMirrors(definition, manifest);
  return definition.id;
}

Stamp ReadStamp(const Fragment& fragment) {
  Stamp stamp;
  if (!fragment.clustering_id || *fragment.clustering_id == 0) return stamp;
  stamp.clustering_id = *fragment.clustering_id;
  stamp.version = NumberIn(fragment.metadata, kStampVersionKey);
  const std::string* group = FindValue(fragment.metadata, kStampGroupKey);
  if (group != nullptr && IsCanonicalUuid(*group)) stamp.group_id = *group;
  return stamp;
}

void WriteStamp(uint32_t clustering_id, uint64_t version, std::string_view group_id,
                Fragment* fragment) {
  fragment->clustering_id = clustering_id;
  fragment->metadata[std::string(kStampVersionKey)] = std::to_string(version);
  fragment->metadata.erase(std::string(kStampGroupKey));
  if (!group_id.empty()) fragment->metadata[std::string(kStampGroupKey)] = std::string(group_id);
}

void ClearStamp(Fragment* fragment) {
  fragment->clustering_id.reset();
  fragment->metadata.erase(std::string(kStampVersionKey));
  fragment->metadata.erase(std::string(kStampGroupKey));
}

bool IsStampedWith(const Fragment& fragment, const ClusteringDefinition& definition) {
  const Stamp stamp = ReadStamp(fragment);
  if (stamp.clustering_id == 0 || stamp.clustering_id != definition.id) return false;
  if (definition.provider != kClusteringProvider || stamp.version != definition.version) {
    return false;
  }
  // Without a group entry the fragment is a group of its own; with a malformed one it is stale.
  const std::string* group = FindValue(fragment.metadata, kStampGroupKey);
  return group == nullptr || !stamp.group_id.empty();
}

std::string FindDefinitionProblem(const ClusteringDefinition& definition, uint32_t max_id) {
  const std::string name = "clustering definition " + std::to_string(definition.id);
  if (definition.id == 0) return name + ": ids start at 1";
  if (definition.id > max_id) {
    return name + " is above max_clustering_id " + std::to_string(max_id);
  }
  if (definition.field_ids.empty()) return name + " has no columns";
  const std::set<int32_t> distinct(definition.field_ids.begin(), definition.field_ids.end());
  if (distinct.size() != definition.field_ids.size()) return name + " repeats a column";
  if (definition.provider.empty()) return name + " has no provider";
  if (definition.version == 0) return name + " has version 0; allowed: 1 and up";
  return "";
}

void RaiseClusteringMarks(Manifest* manifest) {
  manifest->max_clustering_id = static_cast<uint32_t>(HighestKnownId(*manifest));
  RaiseMirror(kMaxIdMirror, manifest->max_clustering_id, &manifest->table_metadata);
  RaiseMirror(kMaxVersionMirror, HighestKnownVersion(*manifest), &manifest->table_metadata);
}

void KeepClusteringMarks(const Manifest& newest, Manifest* restored) {
  restored->max_clustering_id = std::max(restored->max_clustering_id, newest.max_clustering_id);
  const uint64_t max_id = std::max<uint64_t>(NumberIn(newest.table_metadata, kMaxIdMirror),
                                             restored->max_clustering_id);
  const uint64_t max_version = HighestKnownVersion(newest);
  if (max_id > 0) RaiseMirror(kMaxIdMirror, max_id, &restored->table_metadata);
  if (max_version > 0) RaiseMirror(kMaxVersionMirror, max_version, &restored->table_metadata);
}

std::string FindClusteringCorruption(const Manifest& manifest) {
  std::unordered_set<uint32_t> ids;
  for (const ClusteringDefinition& definition : manifest.clustering) {
    std::string problem = FindDefinitionProblem(definition, manifest.max_clustering_id);
    if (!problem.empty()) return problem;
    if (!ids.insert(definition.id).second) {
      return "clustering definition " + std::to_string(definition.id) + " is there twice";
    }
  }
  for (const Fragment& fragment : manifest.fragments) {
    if (!fragment.clustering_id || ids.contains(*fragment.clustering_id)) continue;
    return "fragment " + std::to_string(fragment.id) + " names clustering definition " +
           std::to_string(*fragment.clustering_id) + ", which is not there";
  }
  for (const IndexMetadata& index : manifest.indices) {
    if (!index.clustering_id || ids.contains(*index.clustering_id)) continue;
    return "segment " + index.uuid.ToString() + " of index " + index.name +
           " names clustering definition " + std::to_string(*index.clustering_id) +
           ", which is not there";
  }
  return "";
}

uint64_t HighestKnownVersion(const Manifest& manifest) {
  uint64_t highest = std::max(NumberIn(manifest.config, kDeclaredVersionKey),
                              NumberIn(manifest.table_metadata, kMaxVersionMirror));
  for (const ClusteringDefinition& definition : manifest.clustering) {
    if (definition.provider == kClusteringProvider) highest = std::max(highest, definition.version);
  }
  for (const Fragment& fragment : manifest.fragments) {
    highest = std::max(highest, ReadStamp(fragment).version);
  }
  return highest;
}

bool NeedsObjectMetadataFlag(const Manifest& manifest) {
  const auto is_marked = [](const auto& object) {
    return object.clustering_id.has_value() || !object.metadata.empty();
  };
  return !manifest.clustering.empty() || manifest.max_clustering_id != 0 ||
         std::ranges::any_of(manifest.fragments, is_marked) ||
         std::ranges::any_of(manifest.indices, is_marked);
}

arrow::Status CheckClusteringOfNewManifest(const Manifest& previous, const Manifest& next,
                                           DeclarationRoad road) {
  const std::string corruption = FindClusteringCorruption(next);
  if (!corruption.empty()) {
    return arrow::Status::Invalid("clustering metadata is corrupt: ", corruption,
                                  "; repair the table first");
  }
  const DeclarationState state = ReadDeclaration(next);
  if (!state.problem.empty()) return arrow::Status::Invalid(state.problem, kWaysOut);
  if (road == DeclarationRoad::kChange) {
    ARROW_RETURN_NOT_OK(CheckChangedDeclaration(previous, next, state));
  }
  return CheckNotLowered(previous, next);
}

bool IsReservedTableMetadataKey(std::string_view key) {
  return key.starts_with(kClusteringProvider) &&
         key.substr(kClusteringProvider.size()).starts_with('.');
}

arrow::Status CheckUserMetadataUpdate(const UpdateConfig& update, const Manifest& manifest) {
  if (!update.table_metadata) return arrow::Status::OK();
  for (const auto& [key, value] : update.table_metadata->entries) {
    if (!IsReservedTableMetadataKey(key)) continue;
    const std::string* present = FindValue(manifest.table_metadata, key);
    if (value && present != nullptr && *present == *value) continue;
    return arrow::Status::Invalid("table metadata ", key.substr(0, 128),
                                  " is reserved for clustering; allowed: keys that do not start ",
                                  "with lance.liquid-clustering.");
  }
  return arrow::Status::OK();
}

}  // namespace lance::table
