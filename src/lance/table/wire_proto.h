#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "google/protobuf/message.h"
#include "google/protobuf/repeated_field.h"
#include "lance_table.pb.h"

namespace lance::table {

/// The entries of a map<string, string>, as our messages declare it.
using TextEntries = google::protobuf::RepeatedPtrField<lance_pb::table::TextEntry>;

/// Parse untrusted bytes into a message.
///
/// Bounded: 2 GiB, and a nesting of 100 levels, unknown groups included.
///
/// \return SerializationError naming `what`
arrow::Status ParseMessage(std::string_view bytes, std::string_view what,
                           google::protobuf::Message* message);

/// Serialize with a fixed order of map entries, so that equal messages give equal bytes.
///
/// \return CapacityError naming `what` above 2 GiB
arrow::Result<std::string> SerializeMessage(const google::protobuf::Message& message,
                                            std::string_view what);

/// The fields of a message that its schema does not name, serialized.
std::string TakeUnknownFields(const google::protobuf::Message& message);

/// Put back what TakeUnknownFields took. \pre the bytes came from there
void PutUnknownFields(std::string_view unknown_fields, google::protobuf::Message* message);

/// Check that a text field is UTF-8. \return SerializationError naming `what`
arrow::Status CheckText(std::string_view text, std::string_view what);

/// Take a map<string, string> out of a message; of a repeated key the last entry counts.
///
/// \return SerializationError naming `what` for a key or value that is not UTF-8
arrow::Result<std::map<std::string, std::string>> ParseTextMap(const TextEntries& entries,
                                                               std::string_view what);

/// The same for a map<string, bytes>, whose values may be anything.
arrow::Result<std::map<std::string, std::string>> ParseBytesMap(const TextEntries& entries,
                                                                std::string_view what);

/// Write a map in the order of its keys.
void WriteTextMap(const std::map<std::string, std::string>& map, TextEntries* entries);

}  // namespace lance::table
