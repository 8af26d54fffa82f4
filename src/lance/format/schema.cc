#include "lance/format/schema.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/utf8.h"
#include "lance/base/status_detail.h"
#include "lance/format/column_type.h"

namespace lance::format {
namespace {

// table-format 8.7: names of what readers compute.
constexpr std::string_view kSystemColumns[] = {
    "_rowid", "_rowaddr", "_rowoffset", "_row_created_at_version", "_row_last_updated_at_version"};

// Extensions whose columns are laid out differently from their storage type.
constexpr std::string_view kSpecialExtensions[] = {"lance.json", "arrow.json", "lance.blob.v2"};

arrow::Status CheckName(const std::string& name) {
  if (name.empty()) return arrow::Status::Invalid("a column name is empty");
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(name)) {
    return arrow::Status::Invalid("a column name is not UTF-8");
  }
  if (name.find('.') != std::string::npos) {
    return arrow::Status::Invalid("column name \"", name, "\" has a '.', which separates paths");
  }
  if (std::ranges::find(kSystemColumns, name) != std::end(kSystemColumns)) {
    return arrow::Status::Invalid("column name \"", name, "\" is reserved for a system column");
  }
  return arrow::Status::OK();
}

std::map<std::string, std::string> MetadataOf(
    const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  std::map<std::string, std::string> entries;
  if (metadata == nullptr) return entries;
  for (int64_t i = 0; i < metadata->size(); ++i) entries[metadata->key(i)] = metadata->value(i);
  return entries;
}

std::shared_ptr<const arrow::KeyValueMetadata> ToArrowMetadata(
    const std::map<std::string, std::string>& entries) {
  if (entries.empty()) return nullptr;
  auto metadata = std::make_shared<arrow::KeyValueMetadata>();
  for (const auto& [key, value] : entries) metadata->Append(key, value);
  return metadata;
}

/// Metadata are stored as text.
arrow::Status CheckText(const std::map<std::string, std::string>& entries) {
  arrow::util::InitializeUTF8();
  for (const auto& [key, value] : entries) {
    if (!arrow::util::ValidateUTF8(key) || !arrow::util::ValidateUTF8(value)) {
      return arrow::Status::Invalid("a metadata entry is not UTF-8");
    }
  }
  return arrow::Status::OK();
}

/// Refuse columns whose metadata asks for a layout that this version does not write.
arrow::Status CheckMetadata(const SchemaField& field) {
  const auto blob = field.metadata.find("lance-encoding:blob");
  if (blob != field.metadata.end() && blob->second == "true") {
    return UnsupportedError("blob columns", "blob columns are not supported by this version");
  }
  const auto extension = field.metadata.find("ARROW:extension:name");
  if (extension != field.metadata.end() &&
      std::ranges::find(kSpecialExtensions, extension->second) != std::end(kSpecialExtensions)) {
    return UnsupportedError(
        "extension type " + extension->second,
        "extension type " + extension->second + " is not supported by this version");
  }
  return arrow::Status::OK();
}

arrow::Result<SchemaField> MakeField(const arrow::Field& field, int32_t id) {
  ARROW_RETURN_NOT_OK(CheckName(field.name()));
  const std::string place = "column \"" + field.name() + "\"";
  const auto column_type = MakeColumnType(field.type());
  if (!column_type.ok()) return WithContext(column_type.status(), place);
  auto logical_type = LogicalTypeOf(*field.type());
  if (!logical_type.ok()) return WithContext(logical_type.status(), place);
  SchemaField made{.name = field.name(),
                   .id = id,
                   .logical_type = *std::move(logical_type),
                   .nullable = field.nullable(),
                   .metadata = MetadataOf(field.metadata()),
                   .unknown_fields = {}};
  ARROW_RETURN_NOT_OK(WithContext(CheckText(made.metadata), place));
  ARROW_RETURN_NOT_OK(WithContext(CheckMetadata(made), place));
  return made;
}

}  // namespace

const SchemaField* LanceSchema::FindTopLevel(std::string_view name) const {
  const auto found = std::ranges::find_if(fields, [&](const SchemaField& field) {
    return field.parent_id == -1 && field.name == name;
  });
  return found == fields.end() ? nullptr : &*found;
}

const SchemaField* LanceSchema::FindById(int32_t id) const {
  const auto found = std::ranges::find(fields, id, &SchemaField::id);
  return found == fields.end() ? nullptr : &*found;
}

int32_t LanceSchema::max_field_id() const {
  int32_t max_id = -1;
  for (const SchemaField& field : fields) max_id = std::max(max_id, field.id);
  return max_id;
}

arrow::Result<LanceSchema> MakeLanceSchema(const arrow::Schema& schema, int32_t first_field_id) {
  if (first_field_id < 0 ||
      first_field_id > std::numeric_limits<int32_t>::max() - schema.num_fields()) {
    return arrow::Status::Invalid("first field id is ", first_field_id,
                                  ", allowed are 0 and more, with room for ", schema.num_fields(),
                                  " fields");
  }
  LanceSchema made;
  made.metadata = MetadataOf(schema.metadata());
  ARROW_RETURN_NOT_OK(CheckText(made.metadata));
  std::set<std::string_view> names;
  for (int i = 0; i < schema.num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(SchemaField field, MakeField(*schema.field(i), first_field_id + i));
    if (!names.insert(schema.field(i)->name()).second) {
      return arrow::Status::Invalid("column name \"", field.name, "\" occurs more than once");
    }
    made.fields.push_back(std::move(field));
  }
  return made;
}

arrow::Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const LanceSchema& schema) {
  arrow::FieldVector fields;
  std::unordered_map<int32_t, const SchemaField*> by_id;
  for (const SchemaField& field : schema.fields) {
    const std::string place = "column \"" + field.name + "\"";
    const auto parent = by_id.find(field.parent_id);
    if (field.parent_id != -1) {
      // A parent of a type that may have children was refused when it was met.
      return arrow::Status::SerializationError(
          place, ": its parent id is ", field.parent_id, ", which is ",
          parent == by_id.end() ? "no earlier field" : "a field without children");
    }
    auto type = ParseLogicalType(field.logical_type);
    if (!type.ok()) return WithContext(type.status(), place);
    ARROW_RETURN_NOT_OK(WithContext(CheckMetadata(field), place));
    fields.push_back(
        arrow::field(field.name, *type, field.nullable, ToArrowMetadata(field.metadata)));
    by_id.emplace(field.id, &field);
  }
  return arrow::schema(std::move(fields), ToArrowMetadata(schema.metadata));
}

}  // namespace lance::format
