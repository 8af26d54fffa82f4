#include "lance/table/operation_proto.h"

#include <utility>

#include "google/protobuf/unknown_field_set.h"
#include "lance/base/status_detail.h"
#include "lance/format/schema_proto.h"
#include "lance/table/base_path_proto.h"
#include "lance/table/fragment_proto.h"
#include "lance/table/index_proto.h"
#include "lance/table/mem_wal_proto.h"
#include "lance/table/row_operation_proto.h"
#include "lance/table/schema_operation_proto.h"
#include "lance/table/wire_proto.h"

namespace lance::table {
namespace {

namespace pb = lance_pb::table;

using FragmentMessages = google::protobuf::RepeatedPtrField<pb::DataFragment>;

arrow::Result<UpdateMap> ParseUpdateMap(const pb::UpdateMap& message, std::string_view what) {
  UpdateMap map{.replace = message.replace()};
  for (const auto& entry : message.update_entries()) {
    ARROW_RETURN_NOT_OK(CheckText(entry.key(), what));
    ARROW_RETURN_NOT_OK(CheckText(entry.value(), what));
    map.entries.emplace_back(
        entry.key(), entry.has_value() ? std::optional<std::string>(entry.value()) : std::nullopt);
  }
  return map;
}

void WriteUpdateMap(const UpdateMap& map, pb::UpdateMap* message) {
  message->set_replace(map.replace);
  for (const auto& [key, value] : map.entries) {
    auto* entry = message->add_update_entries();
    entry->set_key(key);
    if (value) entry->set_value(*value);
  }
}

bool HasOldStyle(const pb::UpdateConfig& message) {
  return message.upsert_values_size() > 0 || message.delete_keys_size() > 0 ||
         message.schema_metadata_size() > 0 || message.field_metadata_size() > 0;
}

bool HasNewStyle(const pb::UpdateConfig& message) {
  return message.has_config_updates() || message.has_table_metadata_updates() ||
         message.has_schema_metadata_updates() || message.field_metadata_updates_size() > 0;
}

arrow::Result<UpdateMap> ParseReplacement(const TextEntries& entries, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(auto map, ParseTextMap(entries, what));
  UpdateMap replacement{.replace = true};
  for (auto& [key, value] : map) replacement.entries.emplace_back(key, std::move(value));
  return replacement;
}

/// The deprecated fields: config is merged, the metadata maps are replaced (table-format 5.11).
arrow::Result<UpdateConfig> ParseOldUpdateConfig(const pb::UpdateConfig& message) {
  UpdateConfig update;
  ARROW_ASSIGN_OR_RAISE(auto upserts, ParseTextMap(message.upsert_values(), "upsert_values"));
  UpdateMap config;
  for (auto& [key, value] : upserts) config.entries.emplace_back(key, std::move(value));
  for (const std::string& key : message.delete_keys()) {
    ARROW_RETURN_NOT_OK(CheckText(key, "delete_keys"));
    config.entries.emplace_back(key, std::nullopt);
  }
  if (!config.entries.empty()) update.config = std::move(config);
  if (message.schema_metadata_size() > 0) {
    ARROW_ASSIGN_OR_RAISE(update.schema_metadata,
                          ParseReplacement(message.schema_metadata(), "schema_metadata"));
  }
  for (const auto& entry : message.field_metadata()) {
    ARROW_ASSIGN_OR_RAISE(update.field_metadata[static_cast<int32_t>(entry.key())],
                          ParseReplacement(entry.value().metadata(), "field_metadata"));
  }
  return update;
}

arrow::Result<RewriteGroup> ParseGroup(const FragmentMessages& old_fragments,
                                       const FragmentMessages& new_fragments) {
  RewriteGroup group;
  ARROW_ASSIGN_OR_RAISE(group.old_fragments, ParseFragments(old_fragments));
  ARROW_ASSIGN_OR_RAISE(group.new_fragments, ParseFragments(new_fragments));
  return group;
}

arrow::Result<RewrittenIndex> ParseRewrittenIndex(const pb::RewrittenIndex& message) {
  RewrittenIndex index{.details_type_url = message.new_index_details().type_url(),
                       .details_value = message.new_index_details().value(),
                       .index_version = message.new_index_version()};
  ARROW_RETURN_NOT_OK(CheckText(index.details_type_url, "new_index_details"));
  ARROW_ASSIGN_OR_RAISE(index.old_uuid, ParseUuidMessage(message.old_id(), "old_id"));
  ARROW_ASSIGN_OR_RAISE(index.new_uuid, ParseUuidMessage(message.new_id(), "new_id"));
  ARROW_ASSIGN_OR_RAISE(index.files, ParseIndexFiles(message.new_index_files()));
  return index;
}

void WriteRewrittenIndex(const RewrittenIndex& index, pb::RewrittenIndex* message) {
  WriteUuidMessage(index.old_uuid, message->mutable_old_id());
  WriteUuidMessage(index.new_uuid, message->mutable_new_id());
  message->mutable_new_index_details()->set_type_url(index.details_type_url);
  message->mutable_new_index_details()->set_value(index.details_value);
  message->set_new_index_version(index.index_version);
  WriteIndexFiles(index.files, message->mutable_new_index_files());
}

/// Writes one kind of operation each.
struct OperationWriter {
  pb::Transaction* message;

  void operator()(const Append& append) const {
    WriteFragments(append.fragments, message->mutable_append()->mutable_fragments());
  }

  void operator()(const Overwrite& overwrite) const {
    auto* out = message->mutable_overwrite();
    WriteFragments(overwrite.fragments, out->mutable_fragments());
    format::AppendSchemaFields(overwrite.schema, out->mutable_schema());
    WriteTextMap(overwrite.schema.metadata, out->mutable_schema_metadata());
    WriteTextMap(overwrite.config_upsert_values, out->mutable_config_upsert_values());
    for (const BasePath& base : overwrite.initial_bases) {
      WriteBasePath(base, out->add_initial_bases());
    }
  }

  void operator()(const UpdateConfig& update) const {
    auto* out = message->mutable_update_config();
    if (update.config) WriteUpdateMap(*update.config, out->mutable_config_updates());
    if (update.table_metadata) {
      WriteUpdateMap(*update.table_metadata, out->mutable_table_metadata_updates());
    }
    if (update.schema_metadata) {
      WriteUpdateMap(*update.schema_metadata, out->mutable_schema_metadata_updates());
    }
    for (const auto& [field_id, map] : update.field_metadata) {
      auto* entry = out->add_field_metadata_updates();
      entry->set_key(field_id);
      WriteUpdateMap(map, entry->mutable_value());
    }
  }

  void operator()(const ReserveFragments& reserve) const {
    message->mutable_reserve_fragments()->set_num_fragments(reserve.num_fragments);
  }

  void operator()(const Rewrite& rewrite) const {
    auto* out = message->mutable_rewrite();
    for (const RewriteGroup& group : rewrite.groups) {
      auto* group_message = out->add_groups();
      WriteFragments(group.old_fragments, group_message->mutable_old_fragments());
      WriteFragments(group.new_fragments, group_message->mutable_new_fragments());
    }
    for (const RewrittenIndex& index : rewrite.rewritten_indices) {
      WriteRewrittenIndex(index, out->add_rewritten_indices());
    }
  }

  void operator()(const CreateIndex& create) const {
    auto* out = message->mutable_create_index();
    WriteIndices(create.new_indices, out->mutable_new_indices());
    WriteIndices(create.removed_indices, out->mutable_removed_indices());
  }

  void operator()(const Delete& deletion) const {
    WriteDelete(deletion, message->mutable_delete_());
  }
  void operator()(const Update& update) const { WriteUpdate(update, message->mutable_update()); }
  void operator()(const Merge& merge) const { WriteMerge(merge, message->mutable_merge()); }
  void operator()(const Project& project) const {
    WriteProject(project, message->mutable_project());
  }
  void operator()(const Restore& restore) const {
    WriteRestore(restore, message->mutable_restore());
  }
  void operator()(const DataReplacement& replacement) const {
    WriteDataReplacement(replacement, message->mutable_data_replacement());
  }
  void operator()(const UpdateBases& update) const {
    WriteUpdateBases(update, message->mutable_update_bases());
  }

  void operator()(const ForeignOperation& foreign) const {
    if (foreign.field_number == 0) return;
    message->GetReflection()->MutableUnknownFields(message)->AddLengthDelimited(
        static_cast<int>(foreign.field_number), foreign.bytes);
  }
};

arrow::Status ReadNothing(ForeignOperation*) { return arrow::Status::OK(); }

arrow::Status ReadMemWalState(ForeignOperation* operation) {
  pb::UpdateMemWalState message;
  ARROW_RETURN_NOT_OK(ParseMessage(operation->bytes, "UpdateMemWalState", &message));
  operation->shards = ShardsOf(message.compacted_sstables());
  return arrow::Status::OK();
}

arrow::Status ReadDataOverlay(ForeignOperation* operation) {
  pb::DataOverlay message;
  ARROW_RETURN_NOT_OK(ParseMessage(operation->bytes, "DataOverlay", &message));
  for (const auto& group : message.groups()) {
    OverlaidFragment& overlaid = operation->overlaid.emplace_back();
    overlaid.fragment_id = group.fragment_id();
    for (const auto& overlay : group.overlays()) {
      const auto& fields = overlay.data_file().fields();
      overlaid.field_ids.insert(overlaid.field_ids.end(), fields.begin(), fields.end());
    }
  }
  return arrow::Status::OK();
}

/// An operation of the published schema that this version does not write.
struct ForeignKind {
  uint32_t field_number;
  const char* name;
  arrow::Status (*read)(ForeignOperation*);
};

constexpr ForeignKind kForeignKinds[] = {
    {112, "UpdateMemWalState", ReadMemWalState},
    {113, "Clone", ReadNothing},
    {115, "DataOverlay", ReadDataOverlay},
};

}  // namespace

arrow::Result<Append> ParseAppend(const pb::Append& message) {
  Append append;
  ARROW_ASSIGN_OR_RAISE(append.fragments, ParseFragments(message.fragments()));
  return append;
}

arrow::Result<Overwrite> ParseOverwrite(const pb::Overwrite& message) {
  Overwrite overwrite;
  ARROW_ASSIGN_OR_RAISE(overwrite.fragments, ParseFragments(message.fragments()));
  ARROW_ASSIGN_OR_RAISE(overwrite.schema, format::ParseSchemaFields(message.schema()));
  ARROW_ASSIGN_OR_RAISE(overwrite.schema.metadata,
                        ParseBytesMap(message.schema_metadata(), "schema_metadata"));
  ARROW_ASSIGN_OR_RAISE(overwrite.config_upsert_values,
                        ParseTextMap(message.config_upsert_values(), "config_upsert_values"));
  for (const auto& base : message.initial_bases()) {
    ARROW_ASSIGN_OR_RAISE(overwrite.initial_bases.emplace_back(), ParseBasePath(base));
  }
  return overwrite;
}

arrow::Result<UpdateConfig> ParseUpdateConfig(const pb::UpdateConfig& message) {
  if (HasOldStyle(message)) {
    if (!HasNewStyle(message)) return ParseOldUpdateConfig(message);
    return arrow::Status::SerializationError("UpdateConfig has old and new fields at once");
  }
  UpdateConfig update;
  if (message.has_config_updates()) {
    ARROW_ASSIGN_OR_RAISE(update.config, ParseUpdateMap(message.config_updates(), "config"));
  }
  if (message.has_table_metadata_updates()) {
    ARROW_ASSIGN_OR_RAISE(update.table_metadata,
                          ParseUpdateMap(message.table_metadata_updates(), "table metadata"));
  }
  if (message.has_schema_metadata_updates()) {
    ARROW_ASSIGN_OR_RAISE(update.schema_metadata,
                          ParseUpdateMap(message.schema_metadata_updates(), "schema metadata"));
  }
  for (const auto& entry : message.field_metadata_updates()) {
    ARROW_ASSIGN_OR_RAISE(update.field_metadata[entry.key()],
                          ParseUpdateMap(entry.value(), "field metadata"));
  }
  return update;
}

arrow::Result<Rewrite> ParseRewrite(const pb::Rewrite& message) {
  Rewrite rewrite;
  for (const auto& group : message.groups()) {
    ARROW_ASSIGN_OR_RAISE(rewrite.groups.emplace_back(),
                          ParseGroup(group.old_fragments(), group.new_fragments()));
  }
  if (message.groups().empty() && !message.old_fragments().empty()) {
    ARROW_ASSIGN_OR_RAISE(rewrite.groups.emplace_back(),
                          ParseGroup(message.old_fragments(), message.new_fragments()));
  }
  for (const auto& index : message.rewritten_indices()) {
    ARROW_ASSIGN_OR_RAISE(rewrite.rewritten_indices.emplace_back(), ParseRewrittenIndex(index));
  }
  return rewrite;
}

arrow::Result<CreateIndex> ParseCreateIndex(const pb::CreateIndex& message) {
  CreateIndex create;
  ARROW_ASSIGN_OR_RAISE(create.new_indices, ParseIndices(message.new_indices()));
  ARROW_ASSIGN_OR_RAISE(create.removed_indices, ParseIndices(message.removed_indices()));
  return create;
}

arrow::Result<ForeignOperation> ParseForeignOperation(uint32_t field_number, std::string bytes) {
  ForeignOperation operation{
      .field_number = field_number, .name = "unknown", .bytes = std::move(bytes)};
  for (const ForeignKind& kind : kForeignKinds) {
    if (kind.field_number != field_number) continue;
    operation.name = kind.name;
    ARROW_RETURN_NOT_OK(kind.read(&operation));
  }
  return operation;
}

void WriteOperation(const Operation& operation, pb::Transaction* message) {
  std::visit(OperationWriter{message}, operation);
}

}  // namespace lance::table
