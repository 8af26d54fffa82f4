#include "lance/metadata.h"

#include <utility>

#include "lance/dataset/column_names.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/metadata_change.h"

namespace lance {
namespace {

using TextMap = std::map<std::string, std::string>;
using Entries = std::map<std::string, std::optional<std::string>>;

/// Whether an update leaves a map as it is.
bool IsUnchanged(const TextMap& before, const Entries& entries, bool replace) {
  TextMap after = replace ? TextMap{} : before;
  for (const auto& [key, value] : entries) {
    if (value) {
      after.insert_or_assign(key, *value);
    } else {
      after.erase(key);
    }
  }
  return after == before;
}

table::UpdateMap MakeMap(const Entries& entries, bool replace) {
  table::UpdateMap map{.entries = {}, .replace = replace};
  for (const auto& [key, value] : entries) {
    // A replacement has no use for deletions (table-format 5.11).
    if (value || !replace) map.entries.emplace_back(key, value);
  }
  return map;
}

/// \return no value when nothing changes
std::optional<table::UpdateMap> MakeChange(const TextMap& before, const MetadataUpdate& update) {
  if (IsUnchanged(before, update.values, update.replace)) return std::nullopt;
  return MakeMap(update.values, update.replace);
}

/// The columns that an update is for, by field id.
arrow::Result<std::map<int32_t, table::UpdateMap>> MakeFieldChanges(
    const format::LanceSchema& schema, const MetadataUpdate& update) {
  std::map<std::string, Entries> columns = update.columns;
  if (columns.empty() || !update.column.empty()) columns.emplace(update.column, update.values);
  std::map<int32_t, table::UpdateMap> changes;
  for (const auto& [path, entries] : columns) {
    ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field, ResolveFieldPath(schema, path));
    if (IsUnchanged(field->metadata, entries, update.replace)) continue;
    changes.emplace(field->id, MakeMap(entries, update.replace));
  }
  return changes;
}

}  // namespace

arrow::Result<table::UpdateConfig> MakeMetadataChange(const table::Manifest& manifest,
                                                      const MetadataUpdate& update) {
  const bool names_column = !update.column.empty() || !update.columns.empty();
  if (update.target != MetadataTarget::kField && names_column) {
    return arrow::Status::Invalid("a column is named; allowed: only for the metadata of columns");
  }
  table::UpdateConfig operation;
  switch (update.target) {
    case MetadataTarget::kConfig:
      operation.config = MakeChange(manifest.config, update);
      break;
    case MetadataTarget::kTable:
      operation.table_metadata = MakeChange(manifest.table_metadata, update);
      break;
    case MetadataTarget::kSchema:
      operation.schema_metadata = MakeChange(manifest.schema.metadata, update);
      break;
    case MetadataTarget::kField: {
      ARROW_ASSIGN_OR_RAISE(operation.field_metadata, MakeFieldChanges(manifest.schema, update));
      break;
    }
  }
  return operation;
}

arrow::Result<TextMap> ReadMetadata(const Dataset& dataset, MetadataTarget target,
                                    const std::string& column) {
  const table::Manifest& manifest = dataset.impl().manifest();
  switch (target) {
    case MetadataTarget::kConfig:
      return manifest.config;
    case MetadataTarget::kTable:
      return manifest.table_metadata;
    case MetadataTarget::kSchema:
      return manifest.schema.metadata;
    case MetadataTarget::kField:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field,
                        ResolveFieldPath(manifest.schema, column));
  return field->metadata;
}

arrow::Result<Dataset> UpdateMetadata(const Dataset& dataset, const MetadataUpdate& update,
                                      const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  ARROW_ASSIGN_OR_RAISE(auto operation, MakeMetadataChange(impl.manifest(), update));
  const bool changes = operation.config || operation.table_metadata || operation.schema_metadata ||
                       !operation.field_metadata.empty();
  if (!changes) return dataset;
  table::CommitRequest commit;
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(update.commit));
  commit.transaction = MakeTransaction(dataset.version(), std::move(operation), update.commit, run);
  return impl.Commit(std::move(commit), run);
}

}  // namespace lance
