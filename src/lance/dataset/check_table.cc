#include <utility>

#include "lance/dataset/dataset_impl.h"
#include "lance/table/clustering_repair.h"
#include "lance/verify.h"

namespace lance {
namespace {

std::string NameOf(table::ClusteringFinding::Severity severity) {
  switch (severity) {
    case table::ClusteringFinding::Severity::kError:
      return "error";
    case table::ClusteringFinding::Severity::kWarning:
      return "warning";
    case table::ClusteringFinding::Severity::kInfo:
      break;
  }
  return "info";
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

arrow::Result<std::vector<Finding>> CheckTable(const Dataset& dataset, const CheckRequest&,
                                               const CallOptions&) {
  std::vector<Finding> findings;
  for (const auto& found : table::FindClusteringProblems(dataset.impl().manifest())) {
    findings.push_back({.severity = NameOf(found.severity),
                        .code = found.code,
                        .path = found.path,
                        .message = found.message});
  }
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
