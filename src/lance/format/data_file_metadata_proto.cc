#include "lance/format/data_file_metadata_proto.h"

#include <limits>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "lance/base/byte_reader.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/format/field_metadata.h"
#include "lance/format/footer.h"
#include "lance/format/schema_proto.h"
#include "lance_file.pb.h"

namespace lance::format {
namespace {

// file-format 12: deeper trees are forged.
constexpr int kMaxMessageDepth = 32;

constexpr std::string_view kColumnEncodingType = "lance.encodings.ColumnEncoding";

arrow::Status Corrupt(std::string_view structure) {
  return arrow::Status::SerializationError(structure, " is not a message of its type");
}

arrow::Result<PageMetadata> ParsePage(const lance_pb::file::ColumnMetadata::Page& message,
                                      uint64_t first_row, const DataFileMetadata& file) {
  if (message.buffer_offsets_size() != message.buffer_sizes_size()) {
    return arrow::Status::SerializationError("Page has ", message.buffer_offsets_size(),
                                             " buffer offsets and ", message.buffer_sizes_size(),
                                             " sizes");
  }
  PageMetadata page;
  page.buffers.reserve(message.buffer_offsets_size());
  for (int i = 0; i < message.buffer_offsets_size(); ++i) {
    const ByteRange buffer = {message.buffer_offsets(i), message.buffer_sizes(i)};
    if (buffer.offset > file.file_size || buffer.length > file.file_size - buffer.offset) {
      return arrow::Status::SerializationError("Page.buffer ", i, " is [", buffer.offset, ", +",
                                               buffer.length, "), the file has ", file.file_size,
                                               " bytes");
    }
    // Older 2.0 writers align to 8 bytes, or not at all.
    if (file.version != FileVersion::k2_0 && buffer.offset % kBufferAlignment != 0) {
      return arrow::Status::SerializationError("Page.buffer ", i, " begins at ", buffer.offset,
                                               ", not a multiple of ", kBufferAlignment);
    }
    page.buffers.push_back(buffer);
  }
  page.num_rows = message.length();
  page.first_row = first_row;
  page.encoding = message.encoding().SerializeAsString();
  return page;
}

/// Check that the pages come in the order of their rows, as far as they say it themselves.
arrow::Status CheckPriorities(const lance_pb::file::ColumnMetadata& message) {
  uint64_t last = 0;
  for (int i = 0; i < message.pages_size(); ++i) {
    const uint64_t priority = message.pages(i).priority();
    if (priority < last || (i == 0 && priority != 0)) {
      return arrow::Status::SerializationError("page ", i, ": Page.priority is ", priority,
                                               ", wanted is ",
                                               i == 0 ? "0" : std::to_string(last) + " or more");
    }
    last = priority;
  }
  return arrow::Status::OK();
}

/// The schema as a data file describes it: blobs v2 without the fields that tables declare.
LanceSchema FileSchemaOf(const LanceSchema& schema) {
  LanceSchema file_schema;
  file_schema.metadata = schema.metadata;
  std::unordered_set<int32_t> left_out;  // blobs v2 and all that is below them
  for (const SchemaField& field : schema.fields) {
    if (left_out.contains(field.parent_id)) {
      left_out.insert(field.id);
      continue;
    }
    SchemaField& copy = file_schema.fields.emplace_back(field);
    if (field.logical_type != "struct" || !IsBlobV2(field.metadata)) continue;
    left_out.insert(field.id);
    copy.metadata = BlobV2FileMetadata();
    copy.unknown_fields.clear();  // the extension's name, for one
  }
  return file_schema;
}

std::string_view LastSegment(std::string_view type_url) {
  const size_t slash = type_url.rfind('/');
  return slash == std::string_view::npos ? type_url : type_url.substr(slash + 1);
}

}  // namespace

bool ParseBounded(std::span<const std::byte> bytes, google::protobuf::MessageLite* message) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) return false;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  in.SetRecursionLimit(kMaxMessageDepth);
  // The runtime prints when a map's key is not UTF-8; we return a status instead.
  const google::protobuf::LogSilencer silencer;
  return message->ParseFromCodedStream(&in) && in.ConsumedEntireMessage();
}

std::string SerializeDeterministic(const google::protobuf::MessageLite& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    // Fails only when the stream does, and this one is memory.
    (void)message.SerializeToCodedStream(&out);
  }  // the coded stream trims the string when it goes
  return bytes;
}

arrow::Status ParseDescriptor(std::span<const std::byte> bytes, DataFileMetadata* metadata) {
  lance_pb::file::FileDescriptor descriptor;
  if (!ParseBounded(bytes, &descriptor)) return Corrupt("FileDescriptor");
  ARROW_ASSIGN_OR_RAISE(metadata->schema, ParseSchemaFields(descriptor.schema().fields(),
                                                            descriptor.schema().metadata()));
  metadata->num_rows = descriptor.length();
  // Rows are addressed by 32-bit offsets everywhere; more would only serve an allocation attack.
  if (metadata->num_rows > uint64_t{1} << 32) {
    return arrow::Status::SerializationError("FileDescriptor.length is ", metadata->num_rows,
                                             ", allowed are up to 2^32 rows");
  }
  return arrow::Status::OK();
}

arrow::Result<ColumnMetadata> ParseColumnMetadata(std::span<const std::byte> bytes,
                                                  const DataFileMetadata& file) {
  lance_pb::file::ColumnMetadata message;
  if (!ParseBounded(bytes, &message)) return Corrupt("ColumnMetadata");
  ColumnMetadata column;
  column.encoding = message.encoding().SerializeAsString();
  const bool is_20 = file.version == FileVersion::k2_0;
  column.pages.reserve(message.pages_size());
  uint64_t num_rows = 0;
  for (int i = 0; i < message.pages_size(); ++i) {
    auto page = ParsePage(message.pages(i), num_rows, file);
    if (!page.ok()) return WithContext(page.status(), "page " + std::to_string(i));
    ARROW_ASSIGN_OR_RAISE(num_rows, CheckedAdd(num_rows, page->num_rows, "Page.length"));
    // 2.0 has pages without values that other columns' pages are counted against.
    if (page->num_rows > 0 || is_20) column.pages.push_back(*std::move(page));
  }
  if (!is_20) ARROW_RETURN_NOT_OK(CheckPriorities(message));
  return column;
}

std::string SerializeDescriptor(const LanceSchema& schema, uint64_t num_rows) {
  lance_pb::file::FileDescriptor descriptor;
  AppendSchemaFields(FileSchemaOf(schema), descriptor.mutable_schema()->mutable_fields());
  WriteMetadata(schema.metadata, descriptor.mutable_schema()->mutable_metadata());
  descriptor.set_length(num_rows);
  return SerializeDeterministic(descriptor);
}

std::string SerializeColumnMetadata(const ColumnMetadata& column, FileVersion version) {
  lance_pb::file::ColumnMetadata message;
  // Our own serialized messages: parsing them cannot fail.
  (void)message.mutable_encoding()->ParseFromString(column.encoding);
  for (const PageMetadata& page : column.pages) {
    auto* out = message.add_pages();
    for (const ByteRange& buffer : page.buffers) {
      out->add_buffer_offsets(buffer.offset);
      out->add_buffer_sizes(buffer.length);
    }
    out->set_length(page.num_rows);
    (void)out->mutable_encoding()->ParseFromString(page.encoding);
    if (version != FileVersion::k2_0) {
      out->set_priority(page.first_row / column.entries_per_row);
    }
  }
  return message.SerializeAsString();
}

arrow::Result<std::string> UnpackEncoding(const std::string& encoding, std::string_view type_name) {
  lance_pb::file::Encoding message;
  if (!message.ParseFromString(encoding)) return Corrupt("Encoding");
  switch (message.location_case()) {
    case lance_pb::file::Encoding::kDirect:
      break;
    case lance_pb::file::Encoding::kIndirect:
      return UnsupportedError("indirect encodings",
                              "an encoding stored elsewhere in the file is "
                              "not supported by this version");
    case lance_pb::file::Encoding::kNone:
      return UnsupportedError("encoding location none",
                              "a column or page without an encoding is not supported");
    case lance_pb::file::Encoding::LOCATION_NOT_SET:
      return arrow::Status::SerializationError("Encoding.location is missing");
  }
  lance_pb::file::AnyEncoding any;
  if (!any.ParseFromString(message.direct().encoding())) return Corrupt("DirectEncoding.encoding");
  const std::string found(LastSegment(any.type_url()).substr(0, 64));
  if (found != type_name) {
    return UnsupportedError("encoding message " + found, "encoding message is \"" + found +
                                                             "\", a file of this version has " +
                                                             std::string(type_name));
  }
  return std::move(*any.mutable_value());
}

std::string PackEncoding(std::string message, std::string_view type_name) {
  lance_pb::file::AnyEncoding any;
  std::string url = "/";
  url += type_name;
  any.set_type_url(std::move(url));
  any.set_value(std::move(message));
  lance_pb::file::Encoding encoding;
  encoding.mutable_direct()->set_encoding(any.SerializeAsString());
  return encoding.SerializeAsString();
}

arrow::Result<ColumnEncodingKind> CheckColumnEncoding(const std::string& encoding) {
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, UnpackEncoding(encoding, kColumnEncodingType));
  lance_pb::file::ColumnEncoding message;
  if (!ParseBounded(AsBytes(bytes), &message)) return Corrupt("ColumnEncoding");
  switch (message.column_encoding_case()) {
    case lance_pb::file::ColumnEncoding::kValues:
      return ColumnEncodingKind::kValues;
    case lance_pb::file::ColumnEncoding::kZoneIndex:
      return UnsupportedError("column encoding zone_index",
                              "column encoding zone_index is not supported by this version");
    case lance_pb::file::ColumnEncoding::kBlob:
      if (message.blob().inner().has_values()) return ColumnEncodingKind::kBlob;
      return arrow::Status::SerializationError("ColumnEncoding.blob.inner is not \"values\"");
    case lance_pb::file::ColumnEncoding::COLUMN_ENCODING_NOT_SET:
      break;
  }
  return arrow::Status::SerializationError("ColumnEncoding.column_encoding is missing");
}

std::string PlainColumnEncoding() {
  lance_pb::file::ColumnEncoding message;
  message.mutable_values();
  return PackEncoding(message.SerializeAsString(), kColumnEncodingType);
}

std::string BlobColumnEncoding() {
  lance_pb::file::ColumnEncoding message;
  message.mutable_blob()->mutable_inner()->mutable_values();
  return PackEncoding(message.SerializeAsString(), kColumnEncodingType);
}

}  // namespace lance::format
