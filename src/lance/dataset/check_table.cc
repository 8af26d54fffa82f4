#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/check/fragment_checks.h"
#include "lance/dataset/check/manifest_checks.h"
#include "lance/dataset/check/ref_checks.h"
#include "lance/dataset/check/referenced_files.h"
#include "lance/dataset/check/stored_table.h"
#include "lance/dataset/check/version_checks.h"
#include "lance/dataset/check/scalar_index_checks.h"
#include "lance/dataset/check/zone_checks.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/base_path.h"
#include "lance/table/clustering_repair.h"
#include "lance/table/named_files.h"
#include "lance/verify.h"

namespace lance {
namespace {

using check::Findings;

check::Severity SeverityOf(table::ClusteringFinding::Severity severity) {
  switch (severity) {
    case table::ClusteringFinding::Severity::kError:
      return check::Severity::kError;
    case table::ClusteringFinding::Severity::kWarning:
      return check::Severity::kWarning;
    case table::ClusteringFinding::Severity::kInfo:
      break;
  }
  return check::Severity::kInfo;
}

/// Everything that the manifest of a version says by itself.
void CheckManifest(const Dataset::Impl& dataset, Findings* findings) {
  const table::Manifest& manifest = dataset.manifest();
  check::CheckFragments(manifest, findings);
  check::CheckFilesOfFragments(manifest, dataset.fields, findings);
  check::CheckFlags(manifest, findings);
  check::CheckFieldIds(manifest, findings);
  check::CheckBasePaths(manifest, findings);
  check::CheckConfig(manifest, findings);
  check::CheckIndexEntries(manifest, findings);
  for (const auto& found : table::FindClusteringProblems(manifest)) {
    findings->AddText(SeverityOf(found.severity), found.code, found.path, found.message);
  }
}

/// The damaged files of one version by the paths that its store knows them by.
std::unordered_set<std::string> DamagedIn(const table::Manifest& manifest,
                                          const check::VersionLine& line,
                                          const std::unordered_set<std::string>& damaged,
                                          check::ReferencedFiles* files) {
  std::unordered_set<std::string> paths;
  if (damaged.empty()) return paths;
  table::VisitNamedFiles(manifest, [&](const table::NamedFile& file) {
    if (!damaged.contains(files->PathOf(manifest, line, file.base_id, file.path))) return;
    paths.insert(table::BaseFolder(file.base_id) + file.path);
  });
  return paths;
}

/// Check one version in full.
arrow::Status CheckOpened(const Dataset::Impl& version, const check::VersionLine& line,
                          const std::unordered_set<std::string>& damaged_files, bool is_deep,
                          const RunContext& run, check::ReferencedFiles* files,
                          Findings* findings) {
  const auto damaged = DamagedIn(version.manifest(), line, damaged_files, files);
  Findings found;
  CheckManifest(version, &found);
  ARROW_RETURN_NOT_OK(check::CheckFragmentContents(version, damaged, is_deep, run, &found));
  if (is_deep) {
    ARROW_RETURN_NOT_OK(check::CheckIndexContents(version, damaged, run, &found));
    ARROW_RETURN_NOT_OK(check::CheckScalarIndices(version, damaged, run, &found));
  }
  found.RenamePaths(
      [&](const std::string& path) { return files->ShownAs(version.manifest(), line, path); });
  findings->Append(found);
  return arrow::Status::OK();
}

/// The table that a version belongs to; a branch's folder by itself where nobody can say that.
OpenedTable TableOf(const OpenedTable& place) {
  OpenedTable table = place;
  if (!place.root || place.root->store == nullptr) return table;
  table.branch.clear();
  table.uri = place.root->uri;
  table.store = place.root->store;
  return table;
}

/// Check a table.
///
/// \param version the version to check in full; null: none can be opened
arrow::Result<std::vector<Finding>> Check(const OpenedTable& table,
                                          const check::StoredTable& stored,
                                          const Dataset::Impl* version, const CheckRequest& request,
                                          const RunContext& run) {
  Findings findings;
  check::VersionLine line;
  if (version != nullptr && version->uri != table.uri) line.branch = version->opened.branch;
  check::ReferencedFiles files(table);
  ARROW_RETURN_NOT_OK(check::CheckVersions({.table = table,
                                            .stored = stored,
                                            .opened = version,
                                            .opened_branch = line.branch,
                                            .is_deep = request.deep,
                                            .run = run},
                                           &files, &findings));
  ARROW_ASSIGN_OR_RAISE(const auto damaged, files.Check(stored, run, &findings));
  if (version != nullptr) {
    ARROW_RETURN_NOT_OK(CheckOpened(*version, line, damaged, request.deep, run, &files, &findings));
  }
  ARROW_RETURN_NOT_OK(check::CheckRefs(*table.store, stored, run, &findings));
  files.CheckOrphans(stored, &findings);
  return findings.Finish();
}

/// The newest version that can be opened. \return no value: none
std::optional<Dataset> OpenNewestGood(const OpenedTable& table, const check::StoredTable& stored,
                                      const RunContext& run) {
  const auto& versions = stored.lines.at("").versions;
  const table::ManifestStore manifests(table.store);
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    if (version->name.is_detached) continue;
    auto loaded = manifests.Load(version->name.version, run);
    if (!loaded.ok()) continue;
    auto dataset = Dataset::Impl::Make(table, *std::move(loaded));
    if (dataset.ok()) return *std::move(dataset);
  }
  return std::nullopt;
}

/// Commit a maintenance of clustering metadata; the operation itself changes nothing.
arrow::Result<Dataset> Maintain(const Dataset& dataset, table::ClusteringMaintenance maintenance,
                                const CommitOptions& options, const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  table::CommitRequest commit;
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  // An empty update of the table's metadata: where the definitions' own keys are.
  commit.transaction = MakeTransaction(
      dataset.version(), table::UpdateConfig{.table_metadata = table::UpdateMap{}}, options, run);
  commit.clustering.maintenance = maintenance;
  return dataset.impl().Commit(std::move(commit), run);
}

}  // namespace

arrow::Result<std::vector<Finding>> CheckTable(const Dataset& dataset, const CheckRequest& request,
                                               const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const OpenedTable table = TableOf(impl.opened);
  ARROW_ASSIGN_OR_RAISE(const auto stored, check::StoredTable::List(*table.store));
  return Check(table, stored, &impl, request, impl.Run(call));
}

arrow::Result<std::vector<Finding>> CheckTableAt(const std::string& uri, const OpenOptions& options,
                                                 const CheckRequest& request,
                                                 const CallOptions& call) {
  const auto dataset = Dataset::Open(uri, options, call);
  if (dataset.ok()) return CheckTable(*dataset, request, call);
  const arrow::Status failure = dataset.status();
  if (!failure.IsSerializationError() && !failure.IsInvalid()) return failure;
  ARROW_ASSIGN_OR_RAISE(OpenedTable place, OpenTableStore(uri, options));
  ARROW_ASSIGN_OR_RAISE(const OpenedTable table, FindRoot(std::move(place), std::nullopt));
  const RunContext run = MakeRunContext(*table.session, call);
  ARROW_ASSIGN_OR_RAISE(const auto stored, check::StoredTable::List(*table.store));
  const auto good = OpenNewestGood(table, stored, run);
  ARROW_ASSIGN_OR_RAISE(auto findings,
                        Check(table, stored, good ? &good->impl() : nullptr, request, run));
  const auto is_error = [](const Finding& finding) { return finding.severity == "error"; };
  // What the caller asked for was wrong, not the table.
  if (std::ranges::none_of(findings, is_error)) return failure;
  return findings;
}

arrow::Result<Dataset> RepairTable(const Dataset& dataset, const CommitOptions& commit,
                                   const CallOptions& call) {
  table::Manifest repaired = dataset.impl().manifest();
  if (!table::RepairClustering(&repaired)) {
    const std::string left = table::FindClusteringCorruption(repaired);
    if (left.empty()) return dataset;
    return arrow::Status::Invalid("cannot repair what belongs to another provider: ", left);
  }
  return Maintain(dataset, table::ClusteringMaintenance::kRepair, commit, call);
}

arrow::Result<Dataset> PruneClusteringDefinitions(const Dataset& dataset,
                                                  const CommitOptions& commit,
                                                  const CallOptions& call) {
  table::Manifest pruned = dataset.impl().manifest();
  if (!table::PruneDefinitions(&pruned)) return dataset;
  return Maintain(dataset, table::ClusteringMaintenance::kPrune, commit, call);
}

}  // namespace lance
