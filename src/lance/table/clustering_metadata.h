#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/clustering.h"
#include "lance/table/manifest.h"

namespace lance::table {

struct UpdateConfig;

/// Our provider's name (contract section 1).
inline constexpr std::string_view kClusteringProvider = "lance.liquid-clustering";

/// What the keys of the declaration in the config start with (contract section 2).
inline constexpr std::string_view kDeclarationPrefix = "lance.clustering.";

/// Layout of one definition of ours, before or after it has an id. A plain value.
struct LayoutDefinition {
  std::vector<int32_t> field_ids;
  uint64_t version = 0;
  ClusteringCurve curve = ClusteringCurve::kHilbert;
  uint32_t bits_per_dim = 16;
  ClusteringAlgorithm algorithm = ClusteringAlgorithm::kQuantileRankV1;

  bool operator==(const LayoutDefinition&) const = default;
};

/// The stored declaration: none, a good one, or one that cannot be used and why.
struct DeclarationState {
  std::optional<ClusteringSpec> spec;
  std::string problem;  // "" when absent or good
};

/// Read the five keys and check them against the schema. Never fails: a broken declaration reads as
/// absent with the problem beside it (contract section 2).
DeclarationState ReadDeclaration(const Manifest& manifest);

/// The five config entries of a spec.
std::vector<std::pair<std::string, std::string>> DeclarationEntries(const ClusteringSpec& spec);

/// Resolve and check a request to declare against a manifest: names, types, bounds, version rules.
///
/// \return the spec to store, columns in the schema's spelling; Invalid or KeyError naming the key,
///   the value and what is allowed
arrow::Result<ClusteringSpec> ResolveClusteringRequest(const ClusteringRequest& request,
                                                       const Manifest& manifest);

/// Columns for a one-shot sort with default curve and bits, checked like a declaration; version 0.
arrow::Result<ClusteringSpec> ResolveOneShotSort(const std::vector<std::string>& columns,
                                                 const format::LanceSchema& schema);

/// The layout that a declaration asks for. \pre the spec was read from or resolved against `schema`
LayoutDefinition LayoutOf(const ClusteringSpec& spec, const format::LanceSchema& schema);

/// The current definition: ours, equal to the declaration, highest id (contract section 1).
///
/// \return null when nothing is declared or no such definition is there
const ClusteringDefinition* CurrentDefinition(const Manifest& manifest);

/// The layout of a definition of ours. \return no value: another provider's, or its keys are
/// missing or malformed
std::optional<LayoutDefinition> ReadLayout(const Manifest& manifest,
                                           const ClusteringDefinition& definition);

/// Find `layout`'s definition in `manifest` or allocate it, with its table_metadata keys, the
/// maximum and both mirrors. \return its id; CapacityError when ids are exhausted
arrow::Result<uint32_t> EnsureDefinition(const LayoutDefinition& layout, Manifest* manifest);

/// The stamp of a fragment. A plain value.
struct Stamp {
  uint32_t clustering_id = 0;  // 0: unstamped
  uint64_t version = 0;        // 0: missing or malformed
  std::string group_id;        // "": missing or malformed
};

/// Read a fragment's stamp; entries without an id mean nothing.
Stamp ReadStamp(const Fragment& fragment);

/// Write a stamp into a new fragment.
void WriteStamp(uint32_t clustering_id, uint64_t version, std::string_view group_id,
                Fragment* fragment);

/// Take off the stamp with its metadata entries. Only for fragments that are not in a manifest yet:
/// in one, entries stay (contract section 3).
void ClearStamp(Fragment* fragment);

/// Whether the fragment's stamp is a valid one of `definition` (contract section 3).
bool IsStampedWith(const Fragment& fragment, const ClusteringDefinition& definition);

/// What is corrupt in the clustering metadata; "" when nothing is (contract section 3, "Corrupt").
std::string FindClusteringCorruption(const Manifest& manifest);

/// The highest layout version that the table knows (contract section 2).
uint64_t HighestKnownVersion(const Manifest& manifest);

/// What is wrong with one definition taken alone; "" when nothing is.
std::string FindDefinitionProblem(const ClusteringDefinition& definition, uint32_t max_id);

/// Raise the maximum and both mirrors to the highest id and version that the table gives any sign
/// of, so that nothing is used again after definitions go.
void RaiseClusteringMarks(Manifest* manifest);

/// Keep the maximum and both mirrors of a version when an older one becomes the newest.
void KeepClusteringMarks(const Manifest& newest, Manifest* restored);

/// After columns were renamed: make the declaration name them as `next` does. The layout belongs to
/// the field ids, so its version stays (contract section 2).
///
/// A declared column that `next` does not have is left for CheckClusteringOfNewManifest to refuse.
void FollowRenames(const Manifest& previous, Manifest* next);

/// Whether writer flag 131072 must be set.
bool NeedsObjectMetadataFlag(const Manifest& manifest);

/// How a version came by its declaration.
enum class DeclarationRoad {
  kChange,   // a different one needs a version that the table does not know yet
  kRestore,  // it was there before
};

/// Check what every commit of ours must keep true: declaration good or absent, nothing corrupt,
/// maxima and mirrors not lowered.
arrow::Status CheckClusteringOfNewManifest(const Manifest& previous, const Manifest& next,
                                           DeclarationRoad road = DeclarationRoad::kChange);

/// Whether a table_metadata key belongs to our provider: no metadata update of a user changes it.
bool IsReservedTableMetadataKey(std::string_view key);

/// Refuse an update that would set or delete a reserved table_metadata key (contract section 3). An
/// entry that repeats what is there is no change.
///
/// \return Invalid naming the key
arrow::Status CheckUserMetadataUpdate(const UpdateConfig& update, const Manifest& manifest);

}  // namespace lance::table
