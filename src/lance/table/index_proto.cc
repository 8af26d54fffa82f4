#include "lance/table/index_proto.h"

#include <algorithm>
#include <string>

#include "lance/base/status_detail.h"
#include "lance/table/wire_proto.h"

namespace lance::table {
namespace {

/// covering_fields is a duplicate-free proper suffix of fields; the reference cannot open a table
/// that breaks this rule.
arrow::Status CheckCoveringFields(const IndexMetadata& index) {
  const auto& covering = index.covering_field_ids;
  const auto& fields = index.field_ids;
  if (covering.empty()) return arrow::Status::OK();
  bool good = covering.size() < fields.size() &&
              std::equal(covering.rbegin(), covering.rend(), fields.rbegin());
  auto sorted = covering;
  std::ranges::sort(sorted);
  good = good && std::ranges::adjacent_find(sorted) == sorted.end();
  if (good) return arrow::Status::OK();
  return arrow::Status::SerializationError(
      "its covering_fields are not a duplicate-free proper suffix of its fields");
}

arrow::Result<IndexMetadata> ParseIndex(const lance_pb::table::IndexMetadata& message) {
  IndexMetadata index{
      .field_ids = {message.fields().begin(), message.fields().end()},
      .name = message.name(),
      .dataset_version = message.dataset_version(),
      .fragment_bitmap = message.fragment_bitmap(),
      .has_details = message.has_index_details(),
      .covering_field_ids = {message.covering_fields().begin(), message.covering_fields().end()},
      .unknown_fields = TakeUnknownFields(message)};
  ARROW_RETURN_NOT_OK(CheckText(index.name, "its name"));
  ARROW_ASSIGN_OR_RAISE(index.uuid, ParseUuidMessage(message.uuid(), "its uuid"));
  ARROW_RETURN_NOT_OK(CheckText(message.index_details().type_url(), "its type_url"));
  index.details_type_url = message.index_details().type_url();
  index.details_value = message.index_details().value();
  if (message.has_index_version()) index.index_version = message.index_version();
  if (message.has_created_at()) index.created_at_ms = message.created_at();
  if (message.has_base_id()) index.base_id = message.base_id();
  ARROW_ASSIGN_OR_RAISE(index.files, ParseIndexFiles(message.files()));
  if (message.has_clustering_id()) index.clustering_id = message.clustering_id();
  ARROW_ASSIGN_OR_RAISE(index.metadata, ParseTextMap(message.metadata(), "its metadata"));
  ARROW_RETURN_NOT_OK(CheckCoveringFields(index));
  return index;
}

void WriteIndex(const IndexMetadata& index, lance_pb::table::IndexMetadata* message) {
  WriteUuidMessage(index.uuid, message->mutable_uuid());
  message->mutable_fields()->Assign(index.field_ids.begin(), index.field_ids.end());
  message->set_name(index.name);
  message->set_dataset_version(index.dataset_version);
  message->set_fragment_bitmap(index.fragment_bitmap);
  if (index.has_details) {
    message->mutable_index_details()->set_type_url(index.details_type_url);
    message->mutable_index_details()->set_value(index.details_value);
  }
  if (index.index_version) message->set_index_version(*index.index_version);
  if (index.created_at_ms) message->set_created_at(*index.created_at_ms);
  if (index.base_id) message->set_base_id(*index.base_id);
  WriteIndexFiles(index.files, message->mutable_files());
  message->mutable_covering_fields()->Assign(index.covering_field_ids.begin(),
                                             index.covering_field_ids.end());
  if (index.clustering_id) message->set_clustering_id(*index.clustering_id);
  WriteTextMap(index.metadata, message->mutable_metadata());
  PutUnknownFields(index.unknown_fields, message);
}

}  // namespace

arrow::Result<Uuid> ParseUuidMessage(const lance_pb::table::Uuid& message, std::string_view what) {
  Uuid uuid;
  if (message.uuid().size() != uuid.bytes.size()) {
    return arrow::Status::SerializationError(what, " has ", message.uuid().size(),
                                             " bytes; allowed: ", uuid.bytes.size());
  }
  std::ranges::copy(message.uuid(), uuid.bytes.begin());
  return uuid;
}

void WriteUuidMessage(const Uuid& uuid, lance_pb::table::Uuid* message) {
  message->set_uuid(uuid.bytes.data(), uuid.bytes.size());
}

arrow::Result<std::vector<IndexFile>> ParseIndexFiles(
    const google::protobuf::RepeatedPtrField<lance_pb::table::IndexFile>& messages) {
  std::vector<IndexFile> files;
  files.reserve(messages.size());
  for (const auto& message : messages) {
    ARROW_RETURN_NOT_OK(CheckText(message.path(), "an index file path"));
    files.push_back({.path = message.path(), .size_bytes = message.size_bytes()});
  }
  return files;
}

void WriteIndexFiles(const std::vector<IndexFile>& files,
                     google::protobuf::RepeatedPtrField<lance_pb::table::IndexFile>* messages) {
  for (const IndexFile& file : files) {
    auto* message = messages->Add();
    message->set_path(file.path);
    message->set_size_bytes(file.size_bytes);
  }
}

arrow::Result<std::vector<IndexMetadata>> ParseIndices(
    const google::protobuf::RepeatedPtrField<lance_pb::table::IndexMetadata>& messages) {
  std::vector<IndexMetadata> indices;
  indices.reserve(messages.size());
  for (const auto& message : messages) {
    auto index = ParseIndex(message);
    if (!index.ok()) {
      return WithContext(index.status(), "index segment " + std::to_string(indices.size()));
    }
    indices.push_back(*std::move(index));
  }
  return indices;
}

void WriteIndices(const std::vector<IndexMetadata>& indices,
                  google::protobuf::RepeatedPtrField<lance_pb::table::IndexMetadata>* messages) {
  for (const IndexMetadata& index : indices) WriteIndex(index, messages->Add());
}

}  // namespace lance::table
