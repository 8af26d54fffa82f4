#include "lance/format/schema_proto.h"

#include <charconv>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow/util/utf8.h"
#include "lance/format/field_metadata.h"

namespace lance::format {
namespace {

// Deeper schemas are forged: the reference's own limit on nesting is far below.
constexpr int kMaxDepth = 100;

/// The values of Field.encoding that writers still put there; nobody reads them.
enum EncodingHint { kNone = 0, kPlain = 1, kVarBinary = 2, kDictionary = 3 };

bool IsUtf8(std::string_view text) {
  arrow::util::InitializeUTF8();
  return arrow::util::ValidateUTF8(reinterpret_cast<const uint8_t*>(text.data()),
                                   static_cast<int64_t>(text.size()));
}

EncodingHint EncodingHintOf(std::string_view logical_type) {
  if (logical_type == "struct" || logical_type == "null") return kNone;
  if (logical_type.starts_with("dict:")) return kDictionary;
  for (const std::string_view variable :
       {"string", "binary", "large_string", "large_binary", "json", "blob"}) {
    if (logical_type == variable) return kVarBinary;
  }
  return kPlain;
}

/// Which keys of the table a field belongs to: metadata say it, and the message once more.
struct KeyMarks {
  bool is_primary = false;
  uint32_t primary_position = 0;
  uint32_t clustering_position = 0;
};

uint32_t PositionIn(const FieldMetadata& metadata, const char* key) {
  const auto entry = metadata.find(key);
  if (entry == metadata.end()) return 0;
  uint32_t position = 0;
  const char* const end = entry->second.data() + entry->second.size();
  const auto [stop, error] = std::from_chars(entry->second.data(), end, position);
  return error == std::errc() && stop == end ? position : 0;
}

KeyMarks KeyMarksOf(const FieldMetadata& metadata) {
  KeyMarks marks;
  marks.primary_position = PositionIn(metadata, "lance-schema:unenforced-primary-key:position");
  marks.is_primary =
      HasTrue(metadata, "lance-schema:unenforced-primary-key") || marks.primary_position > 0;
  marks.clustering_position =
      PositionIn(metadata, "lance-schema:unenforced-clustering-key:position");
  return marks;
}

/// What SchemaField has no member for: the message without the parts that it has, serialized.
std::string RemainderOf(const lance_pb::file::Field& message) {
  lance_pb::file::Field rest = message;
  rest.clear_name();
  rest.clear_id();
  rest.clear_parent_id();
  rest.clear_logical_type();
  rest.clear_nullable();
  rest.clear_encoding();
  rest.clear_metadata();
  const auto extension = message.metadata().find(kExtensionNameKey);
  if (extension != message.metadata().end() && extension->second == rest.extension_name()) {
    rest.clear_extension_name();
  }
  const KeyMarks marks = KeyMarksOf(ParseMetadata(message.metadata()));
  if (marks.is_primary && rest.unenforced_primary_key() &&
      rest.unenforced_primary_key_position() == marks.primary_position) {
    rest.clear_unenforced_primary_key();
    rest.clear_unenforced_primary_key_position();
  }
  if (rest.unenforced_clustering_key_position() == marks.clustering_position) {
    rest.clear_unenforced_clustering_key_position();
  }
  return rest.SerializeAsString();
}

SchemaField ParseField(const lance_pb::file::Field& message) {
  return {.name = message.name(),
          .id = message.id(),
          .parent_id = message.parent_id(),
          .logical_type = message.logical_type(),
          .nullable = message.nullable(),
          .metadata = ParseMetadata(message.metadata()),
          .unknown_fields = RemainderOf(message)};
}

/// Whether a field is a blob v2 as data files describe it: its members are no fields of the tree.
bool IsBlobV2WithoutFields(const SchemaField& field) {
  return field.logical_type == "struct" && IsBlobV2(field.metadata) &&
         !IsDeclaredBlobV2(field.metadata);
}

/// Append the members of a blob v2, which have no ids of their own.
void AppendBlobV2Members(google::protobuf::RepeatedPtrField<lance_pb::file::Field>* fields) {
  constexpr std::pair<const char*, const char*> kMembers[] = {{"kind", "uint8"},
                                                              {"position", "uint64"},
                                                              {"size", "uint64"},
                                                              {"blob_id", "uint32"},
                                                              {"blob_uri", "string"}};
  for (const auto& [name, logical_type] : kMembers) {
    lance_pb::file::Field* message = fields->Add();
    message->set_name(name);
    message->set_id(-1);
    message->set_parent_id(-1);
    message->set_logical_type(logical_type);
    message->set_encoding(EncodingHintOf(logical_type));
  }
}

/// Check one field against those before it, and note its depth.
arrow::Status CheckField(const SchemaField& field, int index,
                         std::unordered_map<int32_t, int>* depth_by_id) {
  const auto corrupt = [&](auto&&... problem) {
    return arrow::Status::SerializationError("schema field ", index, " \"",
                                             IsUtf8(field.name) ? field.name : "?",
                                             "\": ", std::forward<decltype(problem)>(problem)...);
  };
  if (!IsUtf8(field.name)) return corrupt("its name is not UTF-8");
  if (!IsUtf8(field.logical_type)) return corrupt("its logical type is not UTF-8");
  if (field.id == -1) return corrupt("its id is -1, which means \"no parent\"");
  int depth = 0;
  if (field.parent_id != -1) {
    const auto parent = depth_by_id->find(field.parent_id);
    if (parent == depth_by_id->end()) {
      return corrupt("its parent id ", field.parent_id, " is not the id of an earlier field");
    }
    depth = parent->second + 1;
  }
  if (depth > kMaxDepth) return corrupt("it is nested deeper than ", kMaxDepth, " levels");
  if (!depth_by_id->emplace(field.id, depth).second) {
    return corrupt("its id ", field.id, " is another field's too");
  }
  return arrow::Status::OK();
}

}  // namespace

std::map<std::string, std::string> ParseMetadata(const MetadataMap& metadata) {
  return {metadata.begin(), metadata.end()};
}

void WriteMetadata(const std::map<std::string, std::string>& metadata, MetadataMap* out) {
  for (const auto& [key, value] : metadata) (*out)[key] = value;
}

arrow::Result<LanceSchema> ParseSchemaFields(
    const google::protobuf::RepeatedPtrField<lance_pb::file::Field>& fields,
    const MetadataMap& metadata) {
  LanceSchema schema;
  schema.metadata = ParseMetadata(metadata);
  schema.fields.reserve(fields.size());
  std::unordered_map<int32_t, int> depth_by_id;
  for (const auto& message : fields) {
    SchemaField field = ParseField(message);
    if (field.id == -1 && !schema.fields.empty() && IsBlobV2WithoutFields(schema.fields.back())) {
      continue;
    }
    ARROW_RETURN_NOT_OK(CheckField(field, static_cast<int>(schema.fields.size()), &depth_by_id));
    schema.fields.push_back(std::move(field));
  }
  return schema;
}

arrow::Result<LanceSchema> ParseSchemaFields(
    const google::protobuf::RepeatedPtrField<lance_pb::file::Field>& fields) {
  return ParseSchemaFields(fields, MetadataMap());
}

void AppendSchemaFields(const LanceSchema& schema,
                        google::protobuf::RepeatedPtrField<lance_pb::file::Field>* fields) {
  for (const SchemaField& field : schema.fields) {
    lance_pb::file::Field* message = fields->Add();
    // Our own serialization of an earlier parse: it cannot fail. Named members overwrite it below.
    (void)message->ParseFromString(field.unknown_fields);
    message->set_name(field.name);
    message->set_id(field.id);
    message->set_parent_id(field.parent_id);
    message->set_logical_type(field.logical_type);
    message->set_nullable(field.nullable);
    message->set_encoding(EncodingHintOf(field.logical_type));
    const auto extension = field.metadata.find(kExtensionNameKey);
    if (extension != field.metadata.end() && message->extension_name().empty()) {
      message->set_extension_name(extension->second);
    }
    const KeyMarks marks = KeyMarksOf(field.metadata);
    if (marks.is_primary) {
      message->set_unenforced_primary_key(true);
      message->set_unenforced_primary_key_position(marks.primary_position);
    }
    if (marks.clustering_position > 0) {
      message->set_unenforced_clustering_key_position(marks.clustering_position);
    }
    WriteMetadata(field.metadata, message->mutable_metadata());
    if (IsBlobV2WithoutFields(field)) AppendBlobV2Members(fields);
  }
}

}  // namespace lance::format
