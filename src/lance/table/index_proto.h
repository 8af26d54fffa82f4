#pragma once

#include "arrow/result.h"
#include "google/protobuf/repeated_field.h"
#include "lance/base/uuid.h"
#include "lance/table/manifest.h"
#include "lance_table.pb.h"

namespace lance::table {

/// Take over a UUID. \return SerializationError when it has not 16 bytes
arrow::Result<Uuid> ParseUuidMessage(const lance_pb::table::Uuid& message, std::string_view what);

/// The inverse of ParseUuidMessage.
void WriteUuidMessage(const Uuid& uuid, lance_pb::table::Uuid* message);

/// Take over the files of an index segment.
arrow::Result<std::vector<IndexFile>> ParseIndexFiles(
    const google::protobuf::RepeatedPtrField<lance_pb::table::IndexFile>& messages);

/// The inverse of ParseIndexFiles.
void WriteIndexFiles(const std::vector<IndexFile>& files,
                     google::protobuf::RepeatedPtrField<lance_pb::table::IndexFile>* messages);

/// Check and take over index segments (table-format 2.5, 11). The bitmap stays as it is stored.
///
/// \return SerializationError naming the index and what is wrong with it
arrow::Result<std::vector<IndexMetadata>> ParseIndices(
    const google::protobuf::RepeatedPtrField<lance_pb::table::IndexMetadata>& messages);

/// Append the messages of index segments.
void WriteIndices(const std::vector<IndexMetadata>& indices,
                  google::protobuf::RepeatedPtrField<lance_pb::table::IndexMetadata>* messages);

}  // namespace lance::table
