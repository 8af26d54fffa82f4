#include "lance/table/manifest_proto.h"

#include <chrono>
#include <limits>
#include <set>
#include <utility>

#include "google/protobuf/arena.h"
#include "lance/base/status_detail.h"
#include "lance/format/schema_proto.h"
#include "lance/table/base_path_proto.h"
#include "lance/table/data_version.h"
#include "lance/table/feature_flags.h"
#include "lance/table/fragment_proto.h"
#include "lance/table/index_proto.h"
#include "lance/table/manifest_names.h"
#include "lance/table/wire_proto.h"

namespace lance::table {
namespace {

using ManifestMessage = lance_pb::table::Manifest;

constexpr int64_t kNanosPerSecond = 1'000'000'000;

arrow::Result<Timestamp> ParseTimestamp(const lance_pb::table::Timestamp& message) {
  // Nanoseconds since the epoch in 64 bits reach from 1677 to 2262.
  constexpr int64_t kMaxSeconds = std::numeric_limits<int64_t>::max() / kNanosPerSecond - 1;
  if (message.seconds() < -kMaxSeconds || message.seconds() > kMaxSeconds || message.nanos() < 0 ||
      message.nanos() >= kNanosPerSecond) {
    return arrow::Status::SerializationError("timestamp is ", message.seconds(), " s and ",
                                             message.nanos(), " ns, out of range");
  }
  return Timestamp(std::chrono::nanoseconds(message.seconds() * kNanosPerSecond + message.nanos()));
}

void WriteTimestamp(Timestamp timestamp, lance_pb::table::Timestamp* message) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(timestamp);
  message->set_seconds(seconds.time_since_epoch().count());
  message->set_nanos(static_cast<int32_t>((timestamp - seconds).count()));
}

arrow::Result<WriterVersion> ParseWriterVersion(const ManifestMessage::WriterVersion& message) {
  for (const std::string* text :
       {&message.library(), &message.version(), &message.prerelease(), &message.build_metadata()}) {
    ARROW_RETURN_NOT_OK(CheckText(*text, "writer_version"));
  }
  WriterVersion version{.library = message.library(), .version = message.version()};
  if (message.has_prerelease()) version.prerelease = message.prerelease();
  if (message.has_build_metadata()) version.build_metadata = message.build_metadata();
  return version;
}

void WriteWriterVersion(const WriterVersion& version, ManifestMessage::WriterVersion* message) {
  message->set_library(version.library);
  message->set_version(version.version);
  if (version.prerelease) message->set_prerelease(*version.prerelease);
  if (version.build_metadata) message->set_build_metadata(*version.build_metadata);
}

arrow::Result<ClusteringDefinition> ParseDefinition(const lance_pb::table::Clustering& message) {
  ARROW_RETURN_NOT_OK(CheckText(message.provider(), "clustering definition"));
  return ClusteringDefinition{.id = message.id(),
                              .field_ids = {message.columns().begin(), message.columns().end()},
                              .provider = message.provider(),
                              .version = message.version(),
                              .unknown_fields = TakeUnknownFields(message)};
}

void WriteDefinition(const ClusteringDefinition& definition, lance_pb::table::Clustering* message) {
  message->set_id(definition.id);
  message->mutable_columns()->Assign(definition.field_ids.begin(), definition.field_ids.end());
  message->set_provider(definition.provider);
  message->set_version(definition.version);
  PutUnknownFields(definition.unknown_fields, message);
}

arrow::Status CheckSiblingNames(const format::LanceSchema& schema) {
  std::set<std::pair<int32_t, std::string_view>> seen;
  for (const format::SchemaField& field : schema.fields) {
    if (!seen.emplace(field.parent_id, field.name).second) {
      return arrow::Status::SerializationError("schema field \"", field.name,
                                               "\" is there twice below one parent");
    }
  }
  return arrow::Status::OK();
}

arrow::Result<format::LanceSchema> ParseSchema(const ManifestMessage& message) {
  if (message.fields().empty()) return arrow::Status::SerializationError("the schema is empty");
  ARROW_ASSIGN_OR_RAISE(auto schema, format::ParseSchemaFields(message.fields()));
  ARROW_RETURN_NOT_OK(CheckSiblingNames(schema));
  ARROW_ASSIGN_OR_RAISE(schema.metadata,
                        ParseBytesMap(message.schema_metadata(), "schema metadata"));
  return schema;
}

/// Take over the plain members and the maps.
arrow::Status ParseProperties(const ManifestMessage& message, Manifest* manifest) {
  ARROW_RETURN_NOT_OK(CheckText(message.tag(), "tag"));
  ARROW_RETURN_NOT_OK(CheckText(message.branch(), "branch"));
  if (message.version() == 0) {
    return arrow::Status::SerializationError("version is 0, allowed 1 and up");
  }
  manifest->version = message.version();
  ARROW_ASSIGN_OR_RAISE(manifest->timestamp, ParseTimestamp(message.timestamp()));
  manifest->tag = message.tag();
  manifest->reader_feature_flags = message.reader_feature_flags();
  manifest->writer_feature_flags = message.writer_feature_flags();
  if (message.has_max_fragment_id()) manifest->max_fragment_id = message.max_fragment_id();
  if (!message.transaction_file().empty()) {
    ARROW_RETURN_NOT_OK(CheckFileName(message.transaction_file(), "transaction_file"));
  }
  manifest->transaction_file = message.transaction_file();
  manifest->next_row_id = message.next_row_id();
  ARROW_ASSIGN_OR_RAISE(manifest->config, ParseTextMap(message.config(), "config"));
  ARROW_ASSIGN_OR_RAISE(manifest->table_metadata,
                        ParseTextMap(message.table_metadata(), "table_metadata"));
  if (message.has_branch()) manifest->branch = message.branch();
  if (message.has_max_allocated_field_id()) {
    manifest->max_allocated_field_id = message.max_allocated_field_id();
  }
  manifest->max_clustering_id = message.max_clustering_id();
  return arrow::Status::OK();
}

arrow::Status ParseParts(const ManifestMessage& message, Manifest* manifest) {
  ARROW_ASSIGN_OR_RAISE(manifest->schema, ParseSchema(message));
  ARROW_ASSIGN_OR_RAISE(manifest->fragments, ParseFragments(message.fragments()));
  if (message.has_writer_version()) {
    ARROW_ASSIGN_OR_RAISE(manifest->writer_version, ParseWriterVersion(message.writer_version()));
  }
  for (const auto& base : message.base_paths()) {
    ARROW_ASSIGN_OR_RAISE(manifest->base_paths.emplace_back(), ParseBasePath(base));
  }
  for (const auto& definition : message.clustering()) {
    ARROW_ASSIGN_OR_RAISE(manifest->clustering.emplace_back(), ParseDefinition(definition));
  }
  ARROW_RETURN_NOT_OK(CheckText(message.data_format().file_format(), "data_format"));
  ARROW_RETURN_NOT_OK(CheckText(message.data_format().version(), "data_format"));
  if (message.has_data_format()) manifest->file_format = message.data_format().file_format();
  ARROW_ASSIGN_OR_RAISE(manifest->data_storage_version,
                        ResolveDataVersion(message.data_format().version(), *manifest));
  return arrow::Status::OK();
}

void WriteProperties(const Manifest& manifest, ManifestMessage* message) {
  message->set_version(manifest.version);
  WriteTimestamp(manifest.timestamp, message->mutable_timestamp());
  message->set_tag(manifest.tag);
  message->set_reader_feature_flags(manifest.reader_feature_flags);
  message->set_writer_feature_flags(manifest.writer_feature_flags);
  if (manifest.max_fragment_id) message->set_max_fragment_id(*manifest.max_fragment_id);
  message->set_transaction_file(manifest.transaction_file);
  message->set_next_row_id(manifest.next_row_id);
  message->mutable_data_format()->set_file_format(manifest.file_format);
  message->mutable_data_format()->set_version(manifest.data_storage_version);
  WriteTextMap(manifest.config, message->mutable_config());
  WriteTextMap(manifest.table_metadata, message->mutable_table_metadata());
  if (manifest.branch) message->set_branch(*manifest.branch);
  if (manifest.max_allocated_field_id) {
    message->set_max_allocated_field_id(*manifest.max_allocated_field_id);
  }
  message->set_max_clustering_id(manifest.max_clustering_id);
}

}  // namespace

arrow::Result<ParsedManifest> ParseManifestMessage(std::string_view bytes) {
  // In one arena: there may be hundreds of thousands of fragments.
  google::protobuf::Arena arena;
  auto& message = *google::protobuf::Arena::CreateMessage<ManifestMessage>(&arena);
  ARROW_RETURN_NOT_OK(ParseMessage(bytes, "manifest", &message));
  ParsedManifest parsed;
  ARROW_RETURN_NOT_OK(ParseProperties(message, &parsed.manifest));
  const arrow::Status parts = ParseParts(message, &parsed.manifest);
  if (!parts.ok()) {
    // What looks broken may be a feature that we do not know; its flag is the better answer.
    ARROW_RETURN_NOT_OK(CheckReadable(parsed.manifest));
    return parts;
  }
  parsed.manifest.unknown_fields = TakeUnknownFields(message);
  if (message.has_index_section()) parsed.positions.index_section = message.index_section();
  if (message.has_transaction_section()) {
    parsed.positions.transaction_section = message.transaction_section();
  } else if (message.has_transaction_section_deprecated()) {
    parsed.positions.transaction_section = message.transaction_section_deprecated();
  }
  return parsed;
}

arrow::Result<std::string> SerializeManifestMessage(const Manifest& manifest,
                                                    const SectionPositions& positions) {
  google::protobuf::Arena arena;
  auto& message = *google::protobuf::Arena::CreateMessage<ManifestMessage>(&arena);
  format::AppendSchemaFields(manifest.schema, message.mutable_fields());
  WriteTextMap(manifest.schema.metadata, message.mutable_schema_metadata());
  WriteFragments(manifest.fragments, message.mutable_fragments());
  WriteProperties(manifest, &message);
  if (manifest.writer_version) {
    WriteWriterVersion(*manifest.writer_version, message.mutable_writer_version());
  }
  for (const BasePath& base : manifest.base_paths) WriteBasePath(base, message.add_base_paths());
  for (const ClusteringDefinition& definition : manifest.clustering) {
    WriteDefinition(definition, message.add_clustering());
  }
  if (positions.index_section) message.set_index_section(*positions.index_section);
  if (positions.transaction_section) {
    message.set_transaction_section(*positions.transaction_section);
  }
  PutUnknownFields(manifest.unknown_fields, &message);
  return SerializeMessage(message, "manifest");
}

arrow::Result<std::vector<IndexMetadata>> ParseIndexSection(std::string_view bytes) {
  lance_pb::table::IndexSection message;
  ARROW_RETURN_NOT_OK(ParseMessage(bytes, "index section", &message));
  return ParseIndices(message.indices());
}

arrow::Result<std::string> SerializeIndexSection(const std::vector<IndexMetadata>& indices) {
  lance_pb::table::IndexSection message;
  WriteIndices(indices, message.mutable_indices());
  return SerializeMessage(message, "index section");
}

}  // namespace lance::table
