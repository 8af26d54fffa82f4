#include "lance/table/row_operation_proto.h"

#include "lance/table/fragment_proto.h"
#include "lance/table/wire_proto.h"

namespace lance::table {
namespace {

namespace pb = lance_pb::table;

/// Field ids that the schema of messages declares as unsigned.
std::vector<int32_t> SignedIds(const google::protobuf::RepeatedField<uint32_t>& ids) {
  return {ids.begin(), ids.end()};
}

}  // namespace

arrow::Result<Delete> ParseDelete(const pb::Delete& message) {
  ARROW_RETURN_NOT_OK(CheckText(message.predicate(), "predicate"));
  Delete deletion{.deleted_fragment_ids = {message.deleted_fragment_ids().begin(),
                                           message.deleted_fragment_ids().end()},
                  .predicate = message.predicate(),
                  .unknown_fields = TakeUnknownFields(message)};
  ARROW_ASSIGN_OR_RAISE(deletion.updated_fragments, ParseFragments(message.updated_fragments()));
  return deletion;
}

void WriteDelete(const Delete& deletion, pb::Delete* message) {
  WriteFragments(deletion.updated_fragments, message->mutable_updated_fragments());
  message->mutable_deleted_fragment_ids()->Assign(deletion.deleted_fragment_ids.begin(),
                                                  deletion.deleted_fragment_ids.end());
  message->set_predicate(deletion.predicate);
  PutUnknownFields(deletion.unknown_fields, message);
}

arrow::Result<Update> ParseUpdate(const pb::Update& message) {
  if (message.update_mode() > static_cast<uint32_t>(UpdateMode::kRewriteColumns)) {
    return arrow::Status::SerializationError("update_mode is ", message.update_mode(),
                                             "; allowed: 0 and 1");
  }
  Update update{
      .removed_fragment_ids = {message.removed_fragment_ids().begin(),
                               message.removed_fragment_ids().end()},
      .fields_modified = SignedIds(message.fields_modified()),
      .fields_for_preserving_frag_bitmap = SignedIds(message.fields_for_preserving_frag_bitmap()),
      .mode = static_cast<UpdateMode>(message.update_mode()),
      .compacted_sstables = {message.compacted_sstables().begin(),
                             message.compacted_sstables().end()},
      .unknown_fields = TakeUnknownFields(message)};
  ARROW_ASSIGN_OR_RAISE(update.updated_fragments, ParseFragments(message.updated_fragments()));
  ARROW_ASSIGN_OR_RAISE(update.new_fragments, ParseFragments(message.new_fragments()));
  if (message.has_inserted_rows()) update.inserted_rows = message.inserted_rows();
  for (const auto& entry : message.updated_fragment_offset_bitmaps()) {
    update.updated_offsets.insert_or_assign(entry.key(), entry.value());
  }
  return update;
}

void WriteUpdate(const Update& update, pb::Update* message) {
  message->mutable_removed_fragment_ids()->Assign(update.removed_fragment_ids.begin(),
                                                  update.removed_fragment_ids.end());
  WriteFragments(update.updated_fragments, message->mutable_updated_fragments());
  WriteFragments(update.new_fragments, message->mutable_new_fragments());
  message->mutable_fields_modified()->Assign(update.fields_modified.begin(),
                                             update.fields_modified.end());
  for (const std::string& sstable : update.compacted_sstables) {
    message->add_compacted_sstables(sstable);
  }
  message->mutable_fields_for_preserving_frag_bitmap()->Assign(
      update.fields_for_preserving_frag_bitmap.begin(),
      update.fields_for_preserving_frag_bitmap.end());
  message->set_update_mode(static_cast<uint32_t>(update.mode));
  if (update.inserted_rows) message->set_inserted_rows(*update.inserted_rows);
  for (const auto& [fragment_id, bitmap] : update.updated_offsets) {
    auto* entry = message->add_updated_fragment_offset_bitmaps();
    entry->set_key(fragment_id);
    entry->set_value(bitmap);
  }
  PutUnknownFields(update.unknown_fields, message);
}

arrow::Result<DataReplacement> ParseDataReplacement(const pb::DataReplacement& message) {
  DataReplacement replacement{.unknown_fields = TakeUnknownFields(message)};
  for (const auto& group : message.replacements()) {
    ARROW_ASSIGN_OR_RAISE(DataFile file, ParseDataFile(group.new_file()));
    replacement.groups.push_back({.fragment_id = group.fragment_id(), .new_file = std::move(file)});
  }
  return replacement;
}

void WriteDataReplacement(const DataReplacement& replacement, pb::DataReplacement* message) {
  for (const DataReplacementGroup& group : replacement.groups) {
    auto* out = message->add_replacements();
    out->set_fragment_id(group.fragment_id);
    WriteDataFile(group.new_file, out->mutable_new_file());
  }
  PutUnknownFields(replacement.unknown_fields, message);
}

}  // namespace lance::table
