#include "lance/transaction.h"

#include <set>
#include <utility>

#include "arrow/type.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/metadata_change.h"
#include "lance/dataset/schema_edit.h"
#include "lance/dataset/transaction_impl.h"

namespace lance {
namespace {

std::vector<table::Fragment> FragmentsOf(const std::vector<FragmentMetadata>& shown) {
  std::vector<table::Fragment> fragments;
  fragments.reserve(shown.size());
  for (const FragmentMetadata& fragment : shown) fragments.push_back(*fragment.impl().fragment);
  return fragments;
}

/// Fragments that get their ids at the commit. Whoever made them by hand has no stamp to give.
std::vector<table::Fragment> NewFragmentsOf(const std::vector<FragmentMetadata>& shown) {
  std::vector<table::Fragment> fragments = FragmentsOf(shown);
  for (table::Fragment& fragment : fragments) {
    fragment.id = 0;
    fragment.clustering_id.reset();
  }
  return fragments;
}

arrow::Result<Transaction> Make(const Dataset& dataset, table::Operation operation) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  table::CommitRequest commit;
  commit.transaction =
      MakeTransaction(dataset.version(), std::move(operation), {}, dataset.impl().Run({}));
  return WrapTransaction(std::move(commit));
}

arrow::Status CheckGiven(const std::shared_ptr<arrow::Schema>& schema) {
  if (schema != nullptr) return arrow::Status::OK();
  return arrow::Status::Invalid("the schema is null; allowed: the columns of the new version");
}

/// Give a field of a projection the name of one that stays.
arrow::Status CheckKept(const arrow::Field& before, const arrow::Field& after) {
  if (!before.type()->Equals(after.type())) {
    return arrow::Status::Invalid("project: column ", before.name(), " has type ",
                                  before.type()->ToString(), ", not ", after.type()->ToString());
  }
  if (before.nullable() && !after.nullable()) {
    return arrow::Status::Invalid("project: column ", before.name(),
                                  " may hold nulls; see AlterColumns");
  }
  return arrow::Status::OK();
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

Transaction::Impl::Impl(table::CommitRequest made, std::optional<MergeInsertCounts> merged)
    : commit(std::move(made)),
      operation(table::OperationName(commit.transaction.operation)),
      merge_counts(merged) {}

Transaction WrapTransaction(table::CommitRequest commit,
                            std::optional<MergeInsertCounts> merge_counts) {
  return Transaction(std::make_shared<const Transaction::Impl>(std::move(commit), merge_counts));
}

const MergeInsertCounts* merge_insert_counts(const Transaction& transaction) {
  const auto& counts = transaction.impl().merge_counts;
  return counts ? &*counts : nullptr;
}

uint64_t Transaction::read_version() const { return impl_->commit.transaction.read_version; }
const std::string& Transaction::uuid() const { return impl_->commit.transaction.uuid; }
const std::string& Transaction::operation() const { return impl_->operation; }
const std::map<std::string, std::string>& Transaction::properties() const {
  return impl_->commit.transaction.properties;
}

arrow::Result<Dataset> CommitTransaction(const Dataset& dataset, const Transaction& transaction,
                                         const CommitOptions& options, const CallOptions& call) {
  table::CommitRequest commit = transaction.impl().commit;
  for (const auto& [key, value] : options.properties) {
    commit.transaction.properties.insert_or_assign(key, value);
  }
  if (!options.message.empty()) {
    commit.transaction.properties[std::string(table::kCommitMessageProperty)] = options.message;
  }
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  return dataset.impl().Commit(std::move(commit), dataset.impl().Run(call));
}

arrow::Result<Transaction> MakeAppendTransaction(const Dataset& dataset,
                                                 AppendOperation operation) {
  return Make(dataset, table::Append{.fragments = NewFragmentsOf(operation.fragments)});
}

arrow::Result<Transaction> MakeOverwriteTransaction(const Dataset& dataset,
                                                    OverwriteOperation operation) {
  ARROW_RETURN_NOT_OK(CheckGiven(operation.new_schema));
  table::Overwrite overwrite{.fragments = NewFragmentsOf(operation.fragments)};
  ARROW_ASSIGN_OR_RAISE(overwrite.schema, format::MakeLanceSchema(*operation.new_schema));
  return Make(dataset, std::move(overwrite));
}

arrow::Result<Transaction> MakeDeleteTransaction(const Dataset& dataset,
                                                 DeleteOperation operation) {
  return Make(dataset,
              table::Delete{.updated_fragments = FragmentsOf(operation.updated_fragments),
                            .deleted_fragment_ids = std::move(operation.deleted_fragment_ids),
                            .predicate = std::move(operation.predicate)});
}

arrow::Result<Transaction> MakeUpdateTransaction(const Dataset& dataset,
                                                 UpdateOperation operation) {
  return Make(dataset,
              table::Update{.removed_fragment_ids = std::move(operation.removed_fragment_ids),
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
  ARROW_RETURN_NOT_OK(CheckGiven(operation.schema));
  const arrow::Schema& before = *dataset.schema();
  const arrow::FieldVector& after = operation.schema->fields();
  arrow::FieldVector added;
  bool are_nullable = true;
  for (size_t i = 0; i < after.size(); ++i) {
    if (i >= static_cast<size_t>(before.num_fields())) {
      added.push_back(after[i]);
      are_nullable = are_nullable && after[i]->nullable();
    } else if (!before.field(static_cast<int>(i))->Equals(*after[i], /*check_metadata=*/false)) {
      return arrow::Status::Invalid("merge: column ", i, " is ", after[i]->ToString(),
                                    ", the table has ",
                                    before.field(static_cast<int>(i))->ToString(), " there");
    }
  }
  if (after.size() < static_cast<size_t>(before.num_fields())) {
    return arrow::Status::Invalid("merge: the schema has ", after.size(), " columns, the table ",
                                  before.num_fields(), "; see MakeProjectTransaction");
  }
  table::Merge merge{.fragments = FragmentsOf(operation.fragments),
                     .schema = dataset.impl().manifest().schema,
                     .preserves_nullability = are_nullable};
  if (!added.empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto columns,
                          AddFields(dataset.impl().manifest(), arrow::Schema(std::move(added))));
    merge.schema = columns.whole;
  }
  return Make(dataset, std::move(merge));
}

arrow::Result<Transaction> MakeProjectTransaction(const Dataset& dataset,
                                                  const ProjectOperation& operation) {
  ARROW_RETURN_NOT_OK(CheckGiven(operation.schema));
  const format::LanceSchema& before = dataset.impl().manifest().schema;
  format::LanceSchema after;
  after.metadata = before.metadata;
  std::set<int32_t> seen;
  for (const auto& column : operation.schema->fields()) {
    const format::SchemaField* root = before.FindTopLevel(column->name());
    if (root == nullptr || !seen.insert(root->id).second) {
      return NotFoundError("column", column->name(),
                           "project: column " + column->name() +
                               (root == nullptr ? " is not there" : " is named twice"));
    }
    ARROW_RETURN_NOT_OK(CheckKept(*dataset.schema()->GetFieldByName(column->name()), *column));
    const std::set<int32_t> ids = IdsBelow(before, root->id);
    for (const format::SchemaField& field : before.fields) {
      if (!ids.contains(field.id)) continue;
      after.fields.push_back(field);
      if (field.id == root->id) after.fields.back().nullable = column->nullable();
    }
  }
  return Make(dataset, table::Project{.schema = std::move(after), .preserves_nullability = true});
}

arrow::Result<Transaction> MakeRestoreTransaction(const Dataset& dataset,
                                                  RestoreOperation operation) {
  return Make(dataset, table::Restore{.version = operation.version});
}

arrow::Result<Transaction> MakeRewriteTransaction(const Dataset& dataset,
                                                  RewriteOperation operation) {
  table::Rewrite rewrite;
  for (const RewriteGroup& group : operation.groups) {
    rewrite.groups.push_back({.old_fragments = FragmentsOf(group.old_fragments),
                              .new_fragments = NewFragmentsOf(group.new_fragments)});
  }
  return Make(dataset, std::move(rewrite));
}

arrow::Result<Transaction> MakeUpdateConfigTransaction(const Dataset& dataset,
                                                       const UpdateConfigOperation& operation) {
  table::UpdateConfig all;
  for (const MetadataUpdate& update : operation.updates) {
    ARROW_ASSIGN_OR_RAISE(auto change, MakeMetadataChange(dataset.impl().manifest(), update));
    ARROW_RETURN_NOT_OK(TakeChange(std::move(change), &all));
  }
  return Make(dataset, std::move(all));
}

arrow::Result<Transaction> MakeUpdateBasesTransaction(const Dataset& dataset,
                                                      UpdateBasesOperation operation) {
  table::UpdateBases update;
  for (DatasetBasePath& base : operation.new_bases) {
    update.new_bases.push_back({.id = base.id,
                                .name = std::move(base.name),
                                .is_dataset_root = base.is_dataset_root,
                                .path = std::move(base.path)});
  }
  return Make(dataset, std::move(update));
}

}  // namespace lance
