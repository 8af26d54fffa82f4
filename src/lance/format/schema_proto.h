#pragma once

#include <map>
#include <string>

#include "arrow/result.h"
#include "google/protobuf/map.h"
#include "google/protobuf/repeated_field.h"
#include "lance/format/schema.h"
#include "lance_file.pb.h"

namespace lance::format {

/// Metadata as the messages of files and manifests store it.
using MetadataMap = google::protobuf::Map<std::string, std::string>;

/// Check and take over the fields of a file descriptor or a manifest (file-format 3.1).
///
/// \param fields untrusted; depth-first, parents before children
/// \param metadata the Arrow schema metadata that stands beside them
/// The members that data files list behind a blob v2, all with id -1, are left out.
///
/// \return SerializationError for a repeated id, id -1 elsewhere, a parent that is not there before
///   its child, or a tree that is too deep
arrow::Result<LanceSchema> ParseSchemaFields(
    const google::protobuf::RepeatedPtrField<lance_pb::file::Field>& fields,
    const MetadataMap& metadata);

/// The same for a schema without metadata.
arrow::Result<LanceSchema> ParseSchemaFields(
    const google::protobuf::RepeatedPtrField<lance_pb::file::Field>& fields);

/// Append the messages of a schema's fields to `fields`; the inverse of ParseSchemaFields, which
/// includes the members of blobs v2 as data files describe them.
void AppendSchemaFields(const LanceSchema& schema,
                        google::protobuf::RepeatedPtrField<lance_pb::file::Field>* fields);

/// Put metadata into a message's map; entries that are there already are overwritten.
void WriteMetadata(const std::map<std::string, std::string>& metadata, MetadataMap* out);

/// Take metadata out of a message's map.
std::map<std::string, std::string> ParseMetadata(const MetadataMap& metadata);

}  // namespace lance::format
