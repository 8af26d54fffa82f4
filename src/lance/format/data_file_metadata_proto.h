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
/// \param file its size and row count are what the pages are checked against
arrow::Result<ColumnMetadata> ParseColumnMetadata(std::span<const std::byte> bytes,
                                                  const DataFileMetadata& file);

/// Serialize a file descriptor.
std::string SerializeDescriptor(const LanceSchema& schema, uint64_t num_rows);

/// Serialize the metadata of one column.
std::string SerializeColumnMetadata(const ColumnMetadata& column);

/// Check that a column's values are in its pages.
///
/// \param encoding serialized Encoding message
/// \return NotImplemented + UnsupportedFeature naming a blob column or zone index
arrow::Status CheckColumnEncoding(const std::string& encoding);

/// The serialized Encoding message of a column whose values are in its pages.
std::string PlainColumnEncoding();

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
