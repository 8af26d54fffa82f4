#include "lance/table/clustering_repair.h"

#include <algorithm>
#include <map>
#include <set>

#include "lance/table/clustering_metadata.h"

namespace lance::table {
namespace {

using Severity = ClusteringFinding::Severity;

std::string NameOf(const ClusteringDefinition& definition) {
  return "clustering definition " + std::to_string(definition.id);
}

std::string NameOf(const Fragment& fragment) { return "fragment " + std::to_string(fragment.id); }

std::string NameOf(const IndexMetadata& index) {
  return "index " + index.name + ", segment " + index.uuid.ToString();
}

/// How often each id is there.
std::map<uint32_t, int> CountIds(const Manifest& manifest) {
  std::map<uint32_t, int> counts;
  for (const ClusteringDefinition& definition : manifest.clustering) ++counts[definition.id];
  return counts;
}

void CheckDefinitions(const Manifest& manifest, std::vector<ClusteringFinding>* findings) {
  const auto counts = CountIds(manifest);
  for (const ClusteringDefinition& definition : manifest.clustering) {
    const std::string name = NameOf(definition);
    std::string problem = FindDefinitionProblem(definition, manifest.max_clustering_id);
    if (problem.empty() && counts.at(definition.id) > 1) problem = name + " is there twice";
    if (!problem.empty()) {
      findings->push_back({Severity::kError, "clustering_definition_broken", name, problem});
    } else if (definition.provider == kClusteringProvider && !ReadLayout(manifest, definition)) {
      findings->push_back({Severity::kWarning, "clustering_layout_missing", name,
                           name + " has no curve, bits_per_dim and algorithm in the table "
                                  "metadata, or wrong ones; it is never the current one"});
    }
  }
}

template <typename Object>
void CheckReferences(const std::vector<Object>& objects, const std::map<uint32_t, int>& ids,
                     std::vector<ClusteringFinding>* findings) {
  for (const Object& object : objects) {
    if (!object.clustering_id || ids.contains(*object.clustering_id)) continue;
    const std::string name = NameOf(object);
    findings->push_back({Severity::kError, "clustering_reference_dangling", name,
                         name + " names clustering definition " +
                             std::to_string(*object.clustering_id) + ", which is not there"});
  }
}

/// Stamps of ours that do not agree with their definition count as stale.
void CheckStamps(const Manifest& manifest, std::vector<ClusteringFinding>* findings) {
  for (const Fragment& fragment : manifest.fragments) {
    if (!fragment.clustering_id) continue;
    const auto definition =
        std::ranges::find(manifest.clustering, *fragment.clustering_id, &ClusteringDefinition::id);
    if (definition == manifest.clustering.end() || definition->provider != kClusteringProvider ||
        IsStampedWith(fragment, *definition)) {
      continue;
    }
    const std::string name = NameOf(fragment);
    findings->push_back({Severity::kWarning, "clustering_stamp_stale", name,
                         name + " names " + NameOf(*definition) +
                             ", but its version or group entry is missing or does not fit; it "
                             "counts as stale"});
  }
}

void CheckDeclaration(const Manifest& manifest, std::vector<ClusteringFinding>* findings) {
  const std::string place = "config lance.clustering";
  const DeclarationState state = ReadDeclaration(manifest);
  if (!state.problem.empty()) {
    findings->push_back({Severity::kError, "clustering_declaration_broken", place, state.problem});
  } else if (state.spec && CurrentDefinition(manifest) == nullptr) {
    findings->push_back({Severity::kInfo, "clustering_definition_missing", place,
                         "the declaration has no definition: another writer erased it, or the "
                         "keys were written by hand; the next clustered write makes one"});
  }
}

/// Ids that the declaration, a fragment or a segment refers to.
std::set<uint32_t> ReferredIds(const Manifest& manifest) {
  std::set<uint32_t> ids;
  for (const Fragment& fragment : manifest.fragments) {
    if (fragment.clustering_id) ids.insert(*fragment.clustering_id);
  }
  for (const IndexMetadata& index : manifest.indices) {
    if (index.clustering_id) ids.insert(*index.clustering_id);
  }
  const DeclarationState state = ReadDeclaration(manifest);
  if (!state.spec) return ids;
  const LayoutDefinition declared = LayoutOf(*state.spec, manifest.schema);
  for (const ClusteringDefinition& definition : manifest.clustering) {
    if (ReadLayout(manifest, definition) == declared) ids.insert(definition.id);
  }
  return ids;
}

void CheckUnused(const Manifest& manifest, std::vector<ClusteringFinding>* findings) {
  const std::set<uint32_t> referred = ReferredIds(manifest);
  for (const ClusteringDefinition& definition : manifest.clustering) {
    if (definition.provider != kClusteringProvider || referred.contains(definition.id)) continue;
    findings->push_back(
        {Severity::kInfo, "clustering_definition_unused", NameOf(definition),
         NameOf(definition) + " is not referred to; PruneClusteringDefinitions removes it"});
  }
}

/// Remove definitions with their keys; the marks of what was used stay.
void RemoveDefinitions(const std::set<uint32_t>& ids, Manifest* manifest) {
  RaiseClusteringMarks(manifest);
  for (const uint32_t id : ids) {
    const std::string prefix = std::string(kClusteringProvider) + "." + std::to_string(id) + ".";
    std::erase_if(manifest->table_metadata,
                  [&](const auto& entry) { return entry.first.starts_with(prefix); });
  }
}

}  // namespace

std::vector<ClusteringFinding> FindClusteringProblems(const Manifest& manifest) {
  std::vector<ClusteringFinding> findings;
  CheckDefinitions(manifest, &findings);
  const auto ids = CountIds(manifest);
  CheckReferences(manifest.fragments, ids, &findings);
  CheckReferences(manifest.indices, ids, &findings);
  CheckDeclaration(manifest, &findings);
  CheckStamps(manifest, &findings);
  CheckUnused(manifest, &findings);
  if (NeedsObjectMetadataFlag(manifest) && (manifest.writer_feature_flags >> 17 & 1) == 0) {
    findings.push_back({Severity::kWarning, "clustering_flag_missing", "manifest",
                        "writer feature flag 131072 is not set, so that other writers may erase "
                        "the clustering metadata; the next commit sets it"});
  }
  std::ranges::stable_sort(findings, {}, &ClusteringFinding::severity);
  return findings;
}

bool RepairClustering(Manifest* manifest) {
  std::set<uint32_t> removed;
  std::set<uint32_t> seen;
  const auto is_broken = [&](const ClusteringDefinition& definition) {
    if (definition.provider != kClusteringProvider) return false;
    // Of several with one id the references cannot tell which they mean, so the first stays only
    // when the others are the same.
    const bool differs = std::ranges::any_of(manifest->clustering, [&](const auto& other) {
      return other.id == definition.id &&
             (other.field_ids != definition.field_ids || other.provider != definition.provider ||
              other.version != definition.version);
    });
    return differs || !FindDefinitionProblem(definition, manifest->max_clustering_id).empty();
  };
  std::vector<ClusteringDefinition> kept;
  for (const ClusteringDefinition& definition : manifest->clustering) {
    if (is_broken(definition)) {
      removed.insert(definition.id);
    } else if (definition.provider == kClusteringProvider && !seen.insert(definition.id).second) {
      continue;
    } else {
      kept.push_back(definition);
    }
  }
  bool has_changed = kept.size() != manifest->clustering.size();
  if (has_changed) {
    for (const ClusteringDefinition& definition : kept) removed.erase(definition.id);
    RemoveDefinitions(removed, manifest);
    manifest->clustering = std::move(kept);
  }
  const auto ids = CountIds(*manifest);
  const auto drop_dangling = [&](auto* objects) {
    for (auto& object : *objects) {
      if (!object.clustering_id || ids.contains(*object.clustering_id)) continue;
      object.clustering_id.reset();
      has_changed = true;
    }
  };
  drop_dangling(&manifest->fragments);
  drop_dangling(&manifest->indices);
  return has_changed;
}

bool PruneDefinitions(Manifest* manifest) {
  const std::set<uint32_t> referred = ReferredIds(*manifest);
  std::set<uint32_t> removed;
  for (const ClusteringDefinition& definition : manifest->clustering) {
    if (definition.provider != kClusteringProvider || referred.contains(definition.id)) continue;
    removed.insert(definition.id);
  }
  if (removed.empty()) return false;
  RemoveDefinitions(removed, manifest);
  std::erase_if(manifest->clustering,
                [&](const auto& definition) { return removed.contains(definition.id); });
  return true;
}

}  // namespace lance::table
