#include "lance/table/fragment_proto.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "lance/base/status_detail.h"
#include "lance/table/fragment_bytes_proto.h"
#include "lance/table/manifest_names.h"
#include "lance/table/wire_proto.h"

namespace lance::table {
namespace {

/// Data version 0.1 numbers its files 0.0 to 0.2 and has no column indices (table-format 2.4).
bool IsLegacyFile(const DataFile& file) {
  return file.major_version == 0 && file.minor_version < 3;
}

arrow::Status CheckColumns(const DataFile& file) {
  const auto corrupt = [&](auto&&... problem) {
    return arrow::Status::SerializationError("data file ", file.path, ": ",
                                             std::forward<decltype(problem)>(problem)...);
  };
  for (const int32_t id : file.field_ids) {
    if (id == -1) return corrupt("field id is -1, which no file may hold");
  }
  if (IsLegacyFile(file)) return arrow::Status::OK();
  if (file.field_ids.size() != file.column_indices.size()) {
    return corrupt("has ", file.field_ids.size(), " fields and ", file.column_indices.size(),
                   " column indices; allowed: equally many");
  }
  std::vector<int32_t> columns;
  for (const int32_t column : file.column_indices) {
    if (column < -1) return corrupt("column index is ", column, ", allowed -1 and up");
    if (column >= 0) columns.push_back(column);
  }
  std::ranges::sort(columns);
  const auto twice = std::ranges::adjacent_find(columns);
  if (twice != columns.end()) return corrupt("column index ", *twice, " stands for two fields");
  return arrow::Status::OK();
}

DeletionFile ParseDeletionFile(const lance_pb::table::DeletionFile& message) {
  DeletionFile file{.file_type = message.file_type(),
                    .read_version = message.read_version(),
                    .id = message.id(),
                    .num_deleted_rows = message.num_deleted_rows(),
                    .unknown_fields = TakeUnknownFields(message)};
  if (message.has_base_id()) file.base_id = message.base_id();
  return file;
}

void WriteDeletionFile(const DeletionFile& file, lance_pb::table::DeletionFile* message) {
  message->set_file_type(file.file_type);
  message->set_read_version(file.read_version);
  message->set_id(file.id);
  message->set_num_deleted_rows(file.num_deleted_rows);
  if (file.base_id) message->set_base_id(*file.base_id);
  PutUnknownFields(file.unknown_fields, message);
}

StoredSequence InlineSequence(std::string_view bytes) {
  return {StoredSequence::Place::kInline, std::string(bytes)};
}

void ParseSequences(const lance_pb::table::DataFragment& message, Fragment* fragment) {
  const StoredSequence column{StoredSequence::Place::kColumn, {}};
  if (message.has_inline_row_ids()) {
    fragment->row_ids = InlineSequence(message.inline_row_ids());
  } else if (message.has_column_row_ids()) {
    fragment->row_ids = column;
  }
  if (message.has_inline_created_at_versions()) {
    fragment->created_at_versions = InlineSequence(message.inline_created_at_versions());
  } else if (message.has_column_created_at_versions()) {
    fragment->created_at_versions = column;
  }
  if (message.has_inline_last_updated_at_versions()) {
    fragment->last_updated_at_versions = InlineSequence(message.inline_last_updated_at_versions());
  } else if (message.has_column_last_updated_at_versions()) {
    fragment->last_updated_at_versions = column;
  }
}

void WriteSequences(const Fragment& fragment, lance_pb::table::DataFragment* message) {
  using Place = StoredSequence::Place;
  if (fragment.row_ids.place == Place::kInline) {
    message->set_inline_row_ids(fragment.row_ids.bytes);
  } else if (fragment.row_ids.place == Place::kColumn) {
    message->mutable_column_row_ids();
  }
  if (fragment.created_at_versions.place == Place::kInline) {
    message->set_inline_created_at_versions(fragment.created_at_versions.bytes);
  } else if (fragment.created_at_versions.place == Place::kColumn) {
    message->mutable_column_created_at_versions();
  }
  if (fragment.last_updated_at_versions.place == Place::kInline) {
    message->set_inline_last_updated_at_versions(fragment.last_updated_at_versions.bytes);
  } else if (fragment.last_updated_at_versions.place == Place::kColumn) {
    message->mutable_column_last_updated_at_versions();
  }
}

arrow::Result<Fragment> ParseFragment(const lance_pb::table::DataFragment& message) {
  Fragment fragment{.id = message.id(),
                    .physical_rows = message.physical_rows(),
                    .unknown_fields = TakeUnknownFields(message)};
  if (fragment.id > std::numeric_limits<uint32_t>::max()) {
    return arrow::Status::SerializationError("its id is above 2^32-1");
  }
  // Row addresses have 32 bits for the offset; a larger claim would only make scans endless.
  if (fragment.physical_rows > uint64_t{1} << 32) {
    return arrow::Status::SerializationError("it claims ", fragment.physical_rows,
                                             " rows; allowed: at most 2^32");
  }
  fragment.files.reserve(message.files_size());
  for (const auto& file : message.files()) {
    ARROW_ASSIGN_OR_RAISE(fragment.files.emplace_back(), ParseDataFile(file));
  }
  if (message.has_deletion_file()) {
    fragment.deletion_file = ParseDeletionFile(message.deletion_file());
  }
  ParseSequences(message, &fragment);
  if (message.has_clustering_id()) fragment.clustering_id = message.clustering_id();
  ARROW_ASSIGN_OR_RAISE(fragment.metadata, ParseTextMap(message.metadata(), "its metadata"));
  return fragment;
}

void WriteFragment(const Fragment& fragment, lance_pb::table::DataFragment* message) {
  message->set_id(fragment.id);
  for (const DataFile& file : fragment.files) WriteDataFile(file, message->add_files());
  if (fragment.deletion_file) {
    WriteDeletionFile(*fragment.deletion_file, message->mutable_deletion_file());
  }
  message->set_physical_rows(fragment.physical_rows);
  WriteSequences(fragment, message);
  if (fragment.clustering_id) message->set_clustering_id(*fragment.clustering_id);
  WriteTextMap(fragment.metadata, message->mutable_metadata());
  PutUnknownFields(fragment.unknown_fields, message);
}

}  // namespace

arrow::Result<DataFile> ParseDataFile(const lance_pb::table::DataFile& message) {
  ARROW_RETURN_NOT_OK(CheckFileName(message.path(), "data file path"));
  DataFile file{
      .path = message.path(),
      .field_ids = {message.fields().begin(), message.fields().end()},
      .column_indices = {message.column_indices().begin(), message.column_indices().end()},
      .major_version = message.file_major_version(),
      .minor_version = message.file_minor_version(),
      .size_bytes = message.file_size_bytes(),
      .unknown_fields = TakeUnknownFields(message)};
  if (message.has_base_id()) file.base_id = message.base_id();
  ARROW_RETURN_NOT_OK(CheckColumns(file));
  return file;
}

void WriteDataFile(const DataFile& file, lance_pb::table::DataFile* message) {
  message->set_path(file.path);
  message->mutable_fields()->Assign(file.field_ids.begin(), file.field_ids.end());
  message->mutable_column_indices()->Assign(file.column_indices.begin(), file.column_indices.end());
  message->set_file_major_version(file.major_version);
  message->set_file_minor_version(file.minor_version);
  message->set_file_size_bytes(file.size_bytes);
  if (file.base_id) message->set_base_id(*file.base_id);
  PutUnknownFields(file.unknown_fields, message);
}

arrow::Result<Fragment> ParseFragment(std::string_view bytes) {
  lance_pb::table::DataFragment message;
  ARROW_RETURN_NOT_OK(ParseMessage(bytes, "DataFragment", &message));
  auto fragment = ParseFragment(message);
  if (!fragment.ok()) {
    return WithContext(fragment.status(), "fragment " + std::to_string(message.id()));
  }
  return fragment;
}

arrow::Result<std::string> SerializeFragment(const Fragment& fragment) {
  lance_pb::table::DataFragment message;
  WriteFragment(fragment, &message);
  return SerializeMessage(message, "DataFragment");
}

arrow::Result<std::vector<Fragment>> ParseFragments(
    const google::protobuf::RepeatedPtrField<lance_pb::table::DataFragment>& messages) {
  std::vector<Fragment> fragments;
  fragments.reserve(messages.size());
  for (const auto& message : messages) {
    auto fragment = ParseFragment(message);
    if (!fragment.ok()) {
      return WithContext(fragment.status(), "fragment " + std::to_string(message.id()));
    }
    fragments.push_back(*std::move(fragment));
  }
  return fragments;
}

void WriteFragments(const std::vector<Fragment>& fragments,
                    google::protobuf::RepeatedPtrField<lance_pb::table::DataFragment>* messages) {
  for (const Fragment& fragment : fragments) WriteFragment(fragment, messages->Add());
}

}  // namespace lance::table
