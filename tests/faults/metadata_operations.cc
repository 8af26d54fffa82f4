#include <utility>

#include "faulty_operation.h"
#include "lance/dataset/dataset_impl.h"

namespace lance::testing {
namespace {

using Acts = std::function<arrow::Result<Dataset>(const TableHandle&)>;

Acts Set(MetadataUpdate update) {
  return [=](const TableHandle& handle) { return UpdateMetadata(*handle.dataset, update); };
}

Acts Declaring(ClusteringRequest request) {
  return [=](const TableHandle& handle) { return handle.dataset->SetClustering(request); };
}

arrow::Status Declare(const Dataset& dataset) {
  return dataset.SetClustering({.columns = {"k", "s"}}).status();
}

/// A declared table whose first definition nothing refers to any more.
arrow::Status DeclareTwice(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(const Dataset declared, dataset.SetClustering({.columns = {"k"}}));
  return declared.SetClustering({.columns = {"s"}}).status();
}

/// Stamp a fragment with a definition that is not there, which no commit of ours would do.
arrow::Status BreakStamp(const Dataset& dataset) {
  ARROW_RETURN_NOT_OK(Declare(dataset));
  ARROW_ASSIGN_OR_RAISE(const Dataset declared, dataset.Checkout());
  table::Manifest broken = declared.impl().manifest();
  broken.version += 1;
  broken.fragments[0].clustering_id = 77;
  broken.max_clustering_id = 77;
  return declared.impl()
      .manifests()
      .PutManifest(broken, table::NamingScheme::kV2, /*serialized_transaction=*/"")
      .status();
}

arrow::Result<Dataset> Optimize(const TableHandle& handle) {
  ARROW_ASSIGN_OR_RAISE(auto result,
                        CompactFilesWithClustering(*handle.dataset, {.rows_per_zone = 2}));
  return result.dataset;
}

/// The same in its three steps.
arrow::Result<Dataset> CommitPlan(const TableHandle& handle) {
  ARROW_ASSIGN_OR_RAISE(const auto plan,
                        PlanClusteringCompaction(*handle.dataset, {.rows_per_zone = 2}));
  std::vector<ClusteringRewriteResult> results;
  for (const ClusteringCompactionTask& task : plan.tasks()) {
    ARROW_ASSIGN_OR_RAISE(auto result, task.Execute(*handle.dataset));
    results.push_back(std::move(result));
  }
  ARROW_ASSIGN_OR_RAISE(auto result, CommitClusteringCompaction(*handle.dataset, plan, results));
  return result.dataset;
}

arrow::Status IndexKeys(const Dataset& dataset) {
  return CreateIndex(dataset, {.column = "k", .rows_per_zone = 3}).status();
}

arrow::Result<Dataset> Index(const TableHandle& handle) {
  return CreateIndex(*handle.dataset, {.column = "k", .rows_per_zone = 2});
}

arrow::Status RivalAppend(const Dataset& dataset) {
  return AppendRows(dataset, R"([[9, 90, "i"]])");
}

std::vector<FaultyOperation> Metadata() {
  return {
      {.name = "UpdateConfig", .rows = kBaseRows, .act = Set({.values = {{"x", "1"}}})},
      {.name = "UpdateConfigPastAppend",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 9:90:i",
       .act = Set({.values = {{"x", "1"}}}),
       .rival = RivalAppend},
      {.name = "UpdateTableMetadata",
       .rows = kBaseRows,
       .act = Set({.target = MetadataTarget::kTable, .values = {{"x", "1"}}})},
      {.name = "ReplaceSchemaMetadata",
       .rows = kBaseRows,
       .act = Set({.target = MetadataTarget::kSchema, .values = {{"x", "1"}}, .replace = true})},
      {.name = "UpdateFieldMetadata",
       .rows = kBaseRows,
       .act = Set({.target = MetadataTarget::kField, .column = "k", .values = {{"x", "1"}}})},
  };
}

std::vector<FaultyOperation> Clustering() {
  return {
      {.name = "SetClustering", .rows = kBaseRows, .act = Declaring({.columns = {"k", "s"}})},
      {.name = "SetOtherClustering",
       .rows = kBaseRows,
       .act = Declaring({.columns = {"s"}, .curve = ClusteringCurve::kZOrder}),
       .prepare = Declare},
      {.name = "ClearClustering",
       .rows = kBaseRows,
       .act = [](const TableHandle& handle) { return handle.dataset->ClearClustering(); },
       .prepare = Declare},
      {.name = "Repair",
       .rows = kBaseRows,
       .act = [](const TableHandle& handle) { return RepairTable(*handle.dataset); },
       .prepare = BreakStamp},
      {.name = "PruneDefinitions",
       .rows = kBaseRows,
       .act = [](const TableHandle& handle) { return PruneClusteringDefinitions(*handle.dataset); },
       .prepare = DeclareTwice},
      {.name = "Optimize",
       .rows = kBaseRows,
       .act = Optimize,
       .prepare = Declare,
       .is_rewrite = true},
      {.name = "OptimizePastAppend",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 9:90:i",
       .act = Optimize,
       .prepare = Declare,
       .rival = RivalAppend,
       .is_rewrite = true},
      {.name = "CommitClusteringPlan",
       .rows = kBaseRows,
       .act = CommitPlan,
       .prepare = Declare,
       .is_rewrite = true,
       .leaves_files = true},
  };
}

}  // namespace

std::vector<FaultyOperation> MetadataOperations() {
  std::vector<FaultyOperation> operations = Metadata();
  for (auto& operation : Clustering()) operations.push_back(std::move(operation));
  operations.push_back({.name = "CreateIndex", .rows = kBaseRows, .act = Index});
  operations.push_back(
      {.name = "ReplaceIndex", .rows = kBaseRows, .act = Index, .prepare = IndexKeys});
  return operations;
}

}  // namespace lance::testing
