#include "lance/table/build_manifest.h"

#include <algorithm>
#include <set>

#include "lance/base/status_detail.h"
#include "lance/table/apply_rewrite.h"
#include "lance/table/apply_rows.h"
#include "lance/table/apply_schema.h"
#include "lance/table/base_path.h"
#include "lance/table/clustering_metadata.h"
#include "lance/table/data_version.h"
#include "lance/table/feature_flags.h"
#include "lance/table/field_ids.h"
#include "lance/table/fragment_checks.h"
#include "lance/table/fragment_ids.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/manifest_names.h"
#include "lance/table/row_lineage.h"
#include "lance/version.h"

namespace lance::table {
namespace {

constexpr uint64_t kFirstVersion = 1;

using TextMap = std::map<std::string, std::string>;

// The reference derives protobuf members from these and never lets them change once they are set.
constexpr std::string_view kDerivedFieldKeys[] = {
    "lance-schema:unenforced-primary-key",
    "lance-schema:unenforced-primary-key:position",
    "lance-schema:unenforced-clustering-key:position",
};

void ApplyUpdateMap(const UpdateMap& update, TextMap* map) {
  if (update.replace) map->clear();
  for (const auto& [key, value] : update.entries) {
    if (value) {
      map->insert_or_assign(key, *value);
    } else if (!update.replace) {
      map->erase(key);
    }
  }
}

/// Table metadata: a replacement leaves our provider's keys in place (contract section 3).
void ApplyTableMetadataUpdate(const UpdateMap& update, TextMap* map) {
  TextMap reserved;
  for (const auto& [key, value] : *map) {
    if (IsReservedTableMetadataKey(key)) reserved.emplace(key, value);
  }
  ApplyUpdateMap(update, map);
  map->merge(reserved);
}

arrow::Status ApplyFieldMetadata(int32_t field_id, const UpdateMap& update,
                                 format::LanceSchema* schema) {
  const auto field = std::ranges::find(schema->fields, field_id, &format::SchemaField::id);
  if (field == schema->fields.end()) {
    return arrow::Status::Invalid("field metadata: field id ", field_id, " is not in the schema");
  }
  const TextMap before = field->metadata;
  ApplyUpdateMap(update, &field->metadata);
  const auto value_in = [](const TextMap& map, std::string_view key) {
    const auto found = map.find(std::string(key));
    return found == map.end() ? std::optional<std::string>() : found->second;
  };
  for (const std::string_view key : kDerivedFieldKeys) {
    if (value_in(before, key) == value_in(field->metadata, key)) continue;
    return UnsupportedError("changing " + std::string(key),
                            "column " + field->name + ": changing field metadata " +
                                std::string(key) + " is not supported by this version");
  }
  return arrow::Status::OK();
}

/// The data version that files agree on, else the one given.
arrow::Result<std::string> VersionOfFiles(const std::vector<Fragment>& fragments,
                                          std::string otherwise) {
  for (const Fragment& fragment : fragments) {
    for (const DataFile& file : fragment.files) return DataVersionOf(file);
  }
  return otherwise;
}

/// Applies one kind of operation each to the manifest that will be committed.
struct OperationApplier {
  Manifest* next;
  const Manifest* restored;

  arrow::Status operator()(const Append& append) const {
    std::vector<Fragment> added = append.fragments;
    ARROW_RETURN_NOT_OK(
        CheckNewFragments(added, next->schema, next->data_storage_version, StrayFields::kAllow));
    ARROW_RETURN_NOT_OK(CheckFilesAreNew(added, next->fragments));
    ARROW_RETURN_NOT_OK(AssignFragmentIds(/*keep_ids=*/true, next, &added));
    next->fragments.insert(next->fragments.end(), added.begin(), added.end());
    return arrow::Status::OK();
  }

  arrow::Status operator()(const Overwrite& overwrite) const {
    if (overwrite.schema.fields.empty()) {
      return arrow::Status::Invalid("overwrite: the schema has no columns; allowed: 1 and more");
    }
    std::vector<Fragment> added = overwrite.fragments;
    for (const Fragment& fragment : added) {
      if (!fragment.deletion_file) continue;
      return arrow::Status::Invalid("overwrite: a fragment has a deletion file; allowed: none");
    }
    std::string version = overwrite.data_storage_version.empty() ? next->data_storage_version
                                                                 : overwrite.data_storage_version;
    if (version.empty()) version = std::string(kDefaultDataVersion);
    ARROW_ASSIGN_OR_RAISE(next->data_storage_version, VersionOfFiles(added, std::move(version)));
    ARROW_RETURN_NOT_OK(CheckNewFragments(added, overwrite.schema, next->data_storage_version,
                                          StrayFields::kRefuse));
    ARROW_RETURN_NOT_OK(AssignFragmentIds(/*keep_ids=*/false, next, &added));
    ARROW_RETURN_NOT_OK(ChooseRowIdMode(overwrite));
    ARROW_RETURN_NOT_OK(TakeInitialBases(overwrite));
    next->fragments = std::move(added);
    next->schema = overwrite.schema;
    next->indices.clear();
    for (const auto& [key, value] : overwrite.config_upsert_values) {
      next->config.insert_or_assign(key, value);
    }
    if (next->version == kFirstVersion) {  // what a definition brought in wins
      next->table_metadata.insert(overwrite.table_metadata.begin(), overwrite.table_metadata.end());
    }
    return arrow::Status::OK();
  }

  arrow::Status operator()(const UpdateConfig& update) const {
    if (update.config) ApplyUpdateMap(*update.config, &next->config);
    if (update.table_metadata) {
      ApplyTableMetadataUpdate(*update.table_metadata, &next->table_metadata);
    }
    if (update.schema_metadata) {
      ApplyUpdateMap(*update.schema_metadata, &next->schema.metadata);
    }
    for (const auto& [field_id, map] : update.field_metadata) {
      ARROW_RETURN_NOT_OK(ApplyFieldMetadata(field_id, map, &next->schema));
    }
    return arrow::Status::OK();
  }

  arrow::Status operator()(const ReserveFragments& reserve) const {
    return ReserveFragmentIds(reserve.num_fragments, next);
  }

  arrow::Status operator()(const Rewrite& rewrite) const {
    Rewrite assigned = rewrite;
    for (RewriteGroup& group : assigned.groups) {
      ARROW_RETURN_NOT_OK(CheckNewFragments(group.new_fragments, next->schema,
                                            next->data_storage_version, StrayFields::kAllow));
      ARROW_RETURN_NOT_OK(AssignFragmentIds(/*keep_ids=*/true, next, &group.new_fragments));
    }
    return ApplyRewrite(assigned, next);
  }

  arrow::Status operator()(const CreateIndex& create) const {
    if (FindFragmentReuse(create.new_indices) != nullptr) {
      const IndexMetadata* replaced = FindFragmentReuse(create.removed_indices);
      ARROW_RETURN_NOT_OK(CheckReplaced(replaced ? std::optional(replaced->uuid) : std::nullopt,
                                        *next));
    }
    std::set<Uuid> removed;
    for (const IndexMetadata& index : create.removed_indices) removed.insert(index.uuid);
    std::erase_if(next->indices, [&](const auto& index) { return removed.contains(index.uuid); });
    for (const IndexMetadata& index : create.new_indices) {
      ARROW_RETURN_NOT_OK(CheckNewIndex(index));
      next->indices.push_back(index);
    }
    return arrow::Status::OK();
  }

  arrow::Status operator()(const ForeignOperation& foreign) const {
    return UnsupportedError("operation " + foreign.name,
                            "committing operation " + foreign.name + " is not supported");
  }

  arrow::Status operator()(const Delete& deletion) const { return ApplyDelete(deletion, next); }
  arrow::Status operator()(const Update& update) const { return ApplyUpdate(update, next); }
  arrow::Status operator()(const DataReplacement& replacement) const {
    return ApplyDataReplacement(replacement, next);
  }
  arrow::Status operator()(const Merge& merge) const { return ApplyMerge(merge, next); }
  arrow::Status operator()(const Project& project) const { return ApplyProject(project, next); }
  arrow::Status operator()(const UpdateBases& update) const {
    return ApplyUpdateBases(update, next);
  }

  arrow::Status operator()(const Restore& restore) const {
    if (restored == nullptr || restored->version != restore.version) {
      return InternalError("restore: version " + std::to_string(restore.version) +
                           " was not loaded");
    }
    return ApplyRestore(*restored, next);
  }

  arrow::Status TakeInitialBases(const Overwrite& overwrite) const {
    if (overwrite.initial_bases.empty()) return arrow::Status::OK();
    if (next->version != kFirstVersion) {
      return arrow::Status::Invalid(
          "overwrite: initial_bases are given, but the table is there already; allowed: when a "
          "table is created, later an UpdateBases");
    }
    return AddBasePaths(overwrite.initial_bases, BaseNames::kAny, &next->base_paths);
  }

  arrow::Status ChooseRowIdMode(const Overwrite& overwrite) const {
    if (!overwrite.enable_stable_row_ids || HasStableRowIds(*next)) return arrow::Status::OK();
    if (next->version != kFirstVersion) {
      return arrow::Status::Invalid(
          "the table has no stable row ids; they can only be chosen when a table is created");
    }
    next->reader_feature_flags |= kStableRowIdsFlag;
    next->writer_feature_flags |= kStableRowIdsFlag;
    return arrow::Status::OK();
  }

  arrow::Status CheckNewIndex(const IndexMetadata& index) const {
    if (index.name.empty()) return arrow::Status::Invalid("create index: the name is empty");
    for (const int32_t id : index.field_ids) {
      if (next->schema.FindById(id) != nullptr) continue;
      return arrow::Status::Invalid("create index ", index.name, ": field id ", id,
                                    " is not in the schema");
    }
    ARROW_RETURN_NOT_OK(index.Coverage().status());
    if (std::ranges::find(next->indices, index.uuid, &IndexMetadata::uuid) != next->indices.end()) {
      return arrow::Status::Invalid("create index ", index.name, ": segment ",
                                    index.uuid.ToString(), " is there already");
    }
    return arrow::Status::OK();
  }
};

/// What every version gets afresh, whatever its operation.
arrow::Status Renew(const Transaction& transaction, const BuildInput& input, Manifest* next) {
  if (next->version + 1 >= kFirstDetachedVersion) {
    return InternalError("version " + std::to_string(next->version) + " is the last possible one");
  }
  next->version += 1;
  next->timestamp = input.now;
  next->tag = transaction.tag;
  next->transaction_file = input.transaction_file;
  next->writer_version =
      WriterVersion{.library = std::string(kWriterLibrary), .version = LANCE_VERSION_STRING};
  return arrow::Status::OK();
}

/// What a new schema asks of field ids and of the clustering declaration.
arrow::Status FinishSchema(const Manifest& newest, const Operation& operation, Manifest* next) {
  const bool is_overwrite = std::holds_alternative<Overwrite>(operation);
  const bool changes_fields =
      std::holds_alternative<Merge>(operation) || std::holds_alternative<Project>(operation);
  if (!is_overwrite && !changes_fields) return arrow::Status::OK();
  if (changes_fields) FollowRenames(newest, next);
  return TakeFieldIds(newest, is_overwrite, next);
}

arrow::Status FinishManifest(Manifest* next) {
  TidyFragments(&next->fragments);
  ARROW_RETURN_NOT_OK(CheckFragmentIdsAreUnique(next->fragments));
  const FeatureFlags flags = ComputeFlags(*next);
  next->reader_feature_flags = flags.reader;
  next->writer_feature_flags = flags.writer;
  return CheckWritable(*next);
}

}  // namespace

arrow::Result<Manifest> BuildManifest(const Manifest& newest, const Transaction& transaction,
                                      const BuildInput& input) {
  if (newest.version == 0 && !std::holds_alternative<Overwrite>(transaction.operation)) {
    return arrow::Status::Invalid("there is no table yet: ", OperationName(transaction.operation),
                                  " cannot create one; allowed: Overwrite");
  }
  Manifest next = newest;
  ARROW_RETURN_NOT_OK(Renew(transaction, input, &next));
  ARROW_RETURN_NOT_OK(std::visit(OperationApplier{&next, input.restored}, transaction.operation));
  ARROW_RETURN_NOT_OK(FinishSchema(newest, transaction.operation, &next));
  ARROW_RETURN_NOT_OK(KeepRowLineage(newest, transaction.operation, &next));
  ARROW_RETURN_NOT_OK(FinishManifest(&next));
  return next;
}

}  // namespace lance::table
