#include "lance/table/wire_proto.h"

#include <limits>

#include "arrow/util/utf8.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/unknown_field_set.h"

namespace lance::table {
namespace {

constexpr size_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();

arrow::Result<std::map<std::string, std::string>> ParseMap(const TextEntries& entries,
                                                           std::string_view what,
                                                           bool values_are_text) {
  std::map<std::string, std::string> map;
  for (const auto& entry : entries) {
    ARROW_RETURN_NOT_OK(CheckText(entry.key(), what));
    if (values_are_text) ARROW_RETURN_NOT_OK(CheckText(entry.value(), what));
    map.insert_or_assign(entry.key(), entry.value());
  }
  return map;
}

}  // namespace

arrow::Status ParseMessage(std::string_view bytes, std::string_view what,
                           google::protobuf::Message* message) {
  if (bytes.size() > kMaxMessageBytes) {
    return arrow::Status::SerializationError(what, " has ", bytes.size(),
                                             " bytes; allowed: ", kMaxMessageBytes);
  }
  // The runtime prints when a map key is not UTF-8; the library never prints.
  const google::protobuf::LogSilencer silencer;
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return arrow::Status::SerializationError(what, " is not a well-formed message");
  }
  return arrow::Status::OK();
}

arrow::Result<std::string> SerializeMessage(const google::protobuf::Message& message,
                                            std::string_view what) {
  const size_t size = message.ByteSizeLong();
  if (size > kMaxMessageBytes) {
    return arrow::Status::CapacityError(what, " needs ", size,
                                        " bytes; allowed: ", kMaxMessageBytes);
  }
  std::string bytes;
  bytes.reserve(size);
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&out);
  out.Trim();
  return bytes;
}

std::string TakeUnknownFields(const google::protobuf::Message& message) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  std::string bytes;
  if (!unknown.empty()) (void)unknown.SerializeToString(&bytes);  // into memory: cannot fail
  return bytes;
}

void PutUnknownFields(std::string_view unknown_fields, google::protobuf::Message* message) {
  if (unknown_fields.empty()) return;
  auto* unknown = message->GetReflection()->MutableUnknownFields(message);
  // Our own serialization of an earlier parse, so it parses.
  (void)unknown->ParseFromArray(unknown_fields.data(), static_cast<int>(unknown_fields.size()));
}

arrow::Status CheckText(std::string_view text, std::string_view what) {
  arrow::util::InitializeUTF8();
  if (arrow::util::ValidateUTF8(text)) return arrow::Status::OK();
  return arrow::Status::SerializationError(what, " holds text that is not UTF-8");
}

arrow::Result<std::map<std::string, std::string>> ParseTextMap(const TextEntries& entries,
                                                               std::string_view what) {
  return ParseMap(entries, what, /*values_are_text=*/true);
}

arrow::Result<std::map<std::string, std::string>> ParseBytesMap(const TextEntries& entries,
                                                                std::string_view what) {
  return ParseMap(entries, what, /*values_are_text=*/false);
}

void WriteTextMap(const std::map<std::string, std::string>& map, TextEntries* entries) {
  for (const auto& [key, value] : map) {
    auto* entry = entries->Add();
    entry->set_key(key);
    entry->set_value(value);
  }
}

}  // namespace lance::table
