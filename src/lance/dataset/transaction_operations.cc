#include <utility>

#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/metadata_change.h"
#include "lance/dataset/target_bases.h"
#include "lance/dataset/transaction_impl.h"
#include "lance/dataset/transaction_schema.h"
#include "lance/transaction.h"

namespace lance {
namespace {

std::vector<table::Fragment> FragmentsOf(const std::vector<FragmentMetadata>& shown) {
  std::vector<table::Fragment> fragments;
  fragments.reserve(shown.size());
  for (const FragmentMetadata& fragment : shown) fragments.push_back(*fragment.impl().fragment);
  return fragments;
}

/// Put one map of an UpdateConfig beside those of earlier updates.
arrow::Status TakeMap(std::optional<table::UpdateMap> map, const char* name,
                      std::optional<table::UpdateMap>* into) {
  if (!map) return arrow::Status::OK();
  if (*into) return arrow::Status::Invalid("update config: ", name, " is there twice");
  *into = std::move(map);
  return arrow::Status::OK();
}

arrow::Status TakeChange(table::UpdateConfig change, table::UpdateConfig* all) {
  ARROW_RETURN_NOT_OK(TakeMap(std::move(change.config), "config", &all->config));
  ARROW_RETURN_NOT_OK(
      TakeMap(std::move(change.table_metadata), "table metadata", &all->table_metadata));
  ARROW_RETURN_NOT_OK(
      TakeMap(std::move(change.schema_metadata), "schema metadata", &all->schema_metadata));
  for (auto& [field_id, map] : change.field_metadata) {
    if (all->field_metadata.emplace(field_id, std::move(map)).second) continue;
    return arrow::Status::Invalid("update config: a column is there twice");
  }
  return arrow::Status::OK();
}

}  // namespace

std::vector<table::Fragment> NewFragmentsOf(const std::vector<FragmentMetadata>& shown) {
  std::vector<table::Fragment> fragments = FragmentsOf(shown);
  for (table::Fragment& fragment : fragments) {
    fragment.id = 0;
    fragment.clustering_id.reset();
  }
  return fragments;
}

arrow::Result<Transaction> MakeOperationTransaction(const Dataset& dataset,
                                                    table::Operation operation) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  table::CommitRequest commit;
  commit.transaction =
      MakeTransaction(dataset.version(), std::move(operation), {}, dataset.impl().Run({}));
  return WrapTransaction(std::move(commit));
}

arrow::Result<Transaction> MakeAppendTransaction(const Dataset& dataset,
                                                 AppendOperation operation) {
  return MakeOperationTransaction(dataset,
                                  table::Append{.fragments = NewFragmentsOf(operation.fragments)});
}

arrow::Result<Transaction> MakeOverwriteTransaction(const Dataset& dataset,
                                                    OverwriteOperation operation) {
  table::Overwrite overwrite{.fragments = NewFragmentsOf(operation.fragments)};
  ARROW_ASSIGN_OR_RAISE(overwrite.schema,
                        SchemaWithIds(operation.new_schema.get(), operation.field_ids));
  return MakeOperationTransaction(dataset, std::move(overwrite));
}

arrow::Result<Transaction> MakeDeleteTransaction(const Dataset& dataset,
                                                 DeleteOperation operation) {
  return MakeOperationTransaction(
      dataset, table::Delete{.updated_fragments = FragmentsOf(operation.updated_fragments),
                             .deleted_fragment_ids = std::move(operation.deleted_fragment_ids),
                             .predicate = std::move(operation.predicate)});
}

arrow::Result<Transaction> MakeUpdateTransaction(const Dataset& dataset,
                                                 UpdateOperation operation) {
  return MakeOperationTransaction(
      dataset, table::Update{.removed_fragment_ids = std::move(operation.removed_fragment_ids),
                             .updated_fragments = FragmentsOf(operation.updated_fragments),
                             .new_fragments = NewFragmentsOf(operation.new_fragments),
                             .fields_modified = std::move(operation.fields_modified),
                             .fields_for_preserving_frag_bitmap =
                                 std::move(operation.fields_for_preserving_frag_bitmap),
                             .mode = operation.update_mode == UpdateMode::kRewriteRows
                                         ? table::UpdateMode::kRewriteRows
                                         : table::UpdateMode::kRewriteColumns});
}

arrow::Result<Transaction> MakeMergeTransaction(const Dataset& dataset, MergeOperation operation) {
  const table::Manifest& manifest = dataset.impl().manifest();
  ARROW_ASSIGN_OR_RAISE(auto schema,
                        MergedSchema(manifest, operation.schema.get(), operation.field_ids));
  table::Merge merge{.fragments = FragmentsOf(operation.fragments), .schema = std::move(schema)};
  merge.preserves_nullability = PreservesNullability(manifest.schema, merge.schema);
  return MakeOperationTransaction(dataset, std::move(merge));
}

arrow::Result<Transaction> MakeProjectTransaction(const Dataset& dataset,
                                                  const ProjectOperation& operation) {
  const format::LanceSchema& before = dataset.impl().manifest().schema;
  ARROW_ASSIGN_OR_RAISE(auto schema,
                        ProjectedSchema(before, operation.schema.get(), operation.field_ids));
  table::Project project{.schema = std::move(schema)};
  project.preserves_nullability = PreservesNullability(before, project.schema);
  return MakeOperationTransaction(dataset, std::move(project));
}

arrow::Result<Transaction> MakeRestoreTransaction(const Dataset& dataset,
                                                  RestoreOperation operation) {
  return MakeOperationTransaction(dataset, table::Restore{.version = operation.version});
}

arrow::Result<Transaction> MakeRewriteTransaction(const Dataset& dataset,
                                                  RewriteOperation operation) {
  table::Rewrite rewrite;
  for (const RewriteGroup& group : operation.groups) {
    rewrite.groups.push_back({.old_fragments = FragmentsOf(group.old_fragments),
                              .new_fragments = NewFragmentsOf(group.new_fragments)});
  }
  return MakeOperationTransaction(dataset, std::move(rewrite));
}

arrow::Result<Transaction> MakeUpdateConfigTransaction(const Dataset& dataset,
                                                       const UpdateConfigOperation& operation) {
  table::UpdateConfig all;
  for (const MetadataUpdate& update : operation.updates) {
    ARROW_ASSIGN_OR_RAISE(auto change, MakeMetadataChange(dataset.impl().manifest(), update));
    ARROW_RETURN_NOT_OK(TakeChange(std::move(change), &all));
  }
  return MakeOperationTransaction(dataset, std::move(all));
}

arrow::Result<Transaction> MakeUpdateBasesTransaction(const Dataset& dataset,
                                                      const UpdateBasesOperation& operation) {
  table::UpdateBases update{.new_bases = TakeBasePaths(operation.new_bases)};
  return MakeOperationTransaction(dataset, std::move(update));
}

}  // namespace lance
