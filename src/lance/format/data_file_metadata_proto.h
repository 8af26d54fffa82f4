#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "arrow/result.h"
#include "lance/format/data_file_metadata.h"

namespace google::protobuf {
class MessageLite;
}

namespace lance::format {

/// Parse the file descriptor into the schema and row count of `metadata`.
///
/// \return SerializationError, also for more rows than 32-bit offsets can name
arrow::Status ParseDescriptor(std::span<const std::byte> bytes, DataFileMetadata* metadata);

/// Parse the metadata of one column.
///
/// 2.1 and later: buffers must be aligned, pages must come in the order of their rows, and those
/// without rows are left out. The pages' sum is not compared with the file's rows.
///
/// \param file its version and size are what the pages are checked against
arrow::Result<ColumnMetadata> ParseColumnMetadata(std::span<const std::byte> bytes,
                                                  const DataFileMetadata& file);

/// Serialize a file descriptor. Blobs v2 are written as data files describe them, whatever the
/// table declares (file-format 8.6.1).
std::string SerializeDescriptor(const LanceSchema& schema, uint64_t num_rows);

/// Serialize the metadata of one column; 2.0 does not have the row that a page begins with.
std::string SerializeColumnMetadata(const ColumnMetadata& column,
                                    FileVersion version = kDefaultFileVersion);

/// Where a column's values are.
enum class ColumnEncodingKind : uint8_t {
  kValues,  // in its pages; also legacy blobs in 2.1 and later, whose pages say so themselves
  kBlob,    // its pages say where in the file they are: legacy blobs in 2.0
};

/// Parse how a column is stored.
///
/// \param encoding serialized Encoding message
/// \return NotImplemented + UnsupportedFeature naming a zone index; SerializationError
arrow::Result<ColumnEncodingKind> CheckColumnEncoding(const std::string& encoding);

/// The serialized Encoding message of a column whose values are in its pages.
std::string PlainColumnEncoding();

/// The serialized Encoding message of a column of legacy blobs in 2.0.
std::string BlobColumnEncoding();

/// Take the message of type `type_name` out of a serialized Encoding message.
///
/// \return NotImplemented + UnsupportedFeature naming another message type or location
arrow::Result<std::string> UnpackEncoding(const std::string& encoding, std::string_view type_name);

/// Wrap a serialized message of type `type_name` as a serialized Encoding message.
std::string PackEncoding(std::string message, std::string_view type_name);

/// Parse a message whose nesting is bounded. \return false when it is malformed or too deep
bool ParseBounded(std::span<const std::byte> bytes, google::protobuf::MessageLite* message);

/// Serialize with map entries in a fixed order, so that equal values give equal bytes.
std::string SerializeDeterministic(const google::protobuf::MessageLite& message);

}  // namespace lance::format
