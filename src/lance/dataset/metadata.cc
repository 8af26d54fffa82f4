#include "lance/metadata.h"

#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/dataset_impl.h"

namespace lance {
namespace {

using TextMap = std::map<std::string, std::string>;

/// What a map is after an update.
TextMap Updated(const TextMap& before, const MetadataUpdate& update) {
  TextMap after = update.replace ? TextMap{} : before;
  for (const auto& [key, value] : update.values) {
    if (value) {
      after.insert_or_assign(key, *value);
    } else {
      after.erase(key);
    }
  }
  return after;
}

/// The map that an update is for, and the field it belongs to.
struct Target {
  const TextMap* map = nullptr;
  int32_t field_id = -1;
};

arrow::Result<Target> FindTarget(const table::Manifest& manifest, const MetadataUpdate& update) {
  if (update.target != MetadataTarget::kField && !update.column.empty()) {
    return arrow::Status::Invalid("column ", update.column,
                                  " is named; allowed: only with the metadata of a column");
  }
  switch (update.target) {
    case MetadataTarget::kConfig:
      return Target{.map = &manifest.config};
    case MetadataTarget::kTable:
      return Target{.map = &manifest.table_metadata};
    case MetadataTarget::kSchema:
      return Target{.map = &manifest.schema.metadata};
    case MetadataTarget::kField:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field,
                        ResolveFieldPath(manifest.schema, update.column));
  return Target{.map = &field->metadata, .field_id = field->id};
}

table::UpdateConfig MakeOperation(const MetadataUpdate& update, int32_t field_id) {
  table::UpdateMap map{.entries = {}, .replace = update.replace};
  for (const auto& [key, value] : update.values) {
    // A replacement has no use for deletions (table-format 5.11).
    if (value || !update.replace) map.entries.emplace_back(key, value);
  }
  table::UpdateConfig operation;
  switch (update.target) {
    case MetadataTarget::kConfig:
      operation.config = std::move(map);
      break;
    case MetadataTarget::kTable:
      operation.table_metadata = std::move(map);
      break;
    case MetadataTarget::kSchema:
      operation.schema_metadata = std::move(map);
      break;
    case MetadataTarget::kField:
      operation.field_metadata.emplace(field_id, std::move(map));
      break;
  }
  return operation;
}

}  // namespace

arrow::Result<Dataset> UpdateMetadata(const Dataset& dataset, const MetadataUpdate& update,
                                      const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  ARROW_ASSIGN_OR_RAISE(const Target target, FindTarget(impl.manifest(), update));
  if (Updated(*target.map, update) == *target.map) return dataset;
  table::CommitRequest commit;
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(update.commit));
  commit.transaction = MakeTransaction(dataset.version(), MakeOperation(update, target.field_id),
                                       update.commit, run);
  return impl.Commit(std::move(commit), run);
}

}  // namespace lance
