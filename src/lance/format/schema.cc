#include "lance/format/schema.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/utf8.h"
#include "lance/base/status_detail.h"
#include "lance/format/field_metadata.h"
#include "lance/format/field_tree.h"

namespace lance::format {
namespace {

// table-format 8.7: names of what readers compute.
constexpr std::string_view kSystemColumns[] = {
    "_rowid", "_rowaddr", "_rowoffset", "_row_created_at_version", "_row_last_updated_at_version"};

// Deeper schemas are forged or mistakes; readers refuse them as well.
constexpr int kMaxDepth = 100;

/// Children may have any text as their name: paths are quoted where it matters.
arrow::Status CheckChildName(const std::string& name) {
  arrow::util::InitializeUTF8();
  return arrow::util::ValidateUTF8(name)
             ? arrow::Status::OK()
             : arrow::Status::Invalid("the name of a child is not UTF-8");
}

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

/// Metadata are stored as text.
arrow::Status CheckText(const FieldMetadata& entries) {
  arrow::util::InitializeUTF8();
  for (const auto& [key, value] : entries) {
    if (!arrow::util::ValidateUTF8(key) || !arrow::util::ValidateUTF8(value)) {
      return arrow::Status::Invalid("a metadata entry is not UTF-8");
    }
  }
  return arrow::Status::OK();
}

/// A field whose type is not an extension: a registered one became its storage type and metadata.
std::shared_ptr<arrow::Field> WithStorageType(const std::shared_ptr<arrow::Field>& field) {
  if (field->type()->id() != arrow::Type::EXTENSION) return field;
  const auto& type = static_cast<const arrow::ExtensionType&>(*field->type());
  FieldMetadata metadata = FromArrowMetadata(field->metadata());
  metadata[kExtensionNameKey] = type.extension_name();
  metadata[kExtensionMetadataKey] = type.Serialize();
  return field->WithType(type.storage_type())->WithMetadata(ToArrowMetadata(metadata));
}

arrow::Result<std::string> LogicalTypeOfField(const arrow::DataType& type,
                                              const FieldMetadata& metadata) {
  const std::string extension = ExtensionNameOf(metadata);
  if (extension == "arrow.json") {
    return UnsupportedError("extension type arrow.json",
                            "extension type arrow.json is not supported by this version: files "
                            "hold a binary form of it (lance.json)");
  }
  if (extension == "lance.json" && type.id() == arrow::Type::LARGE_BINARY) return "json";
  return LogicalTypeOf(type);
}

/// The fields below a type that are fields of the schema, too.
arrow::FieldVector ChildFieldsOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRUCT:
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::MAP:
      return type.fields();
    case arrow::Type::FIXED_SIZE_LIST: {
      auto item = WithStorageType(type.field(0));
      if (item->type()->id() == arrow::Type::STRUCT) return {std::move(item)};
      return {};
    }
    default:
      return {};
  }
}

/// Appends the fields of Arrow fields to a schema, parents first.
class SchemaMaker {
 public:
  SchemaMaker(int64_t first_id, LanceSchema* schema) : next_id_(first_id), schema_(schema) {}

  arrow::Status Append(const std::shared_ptr<arrow::Field>& arrow_field, int32_t parent_id,
                       int depth) {
    if (depth > kMaxDepth) {
      return arrow::Status::Invalid("it is nested deeper than ", kMaxDepth, " levels");
    }
    const auto field = WithStorageType(arrow_field);
    FieldMetadata metadata = FromArrowMetadata(field->metadata());
    ARROW_RETURN_NOT_OK(CheckText(metadata));
    ARROW_RETURN_NOT_OK(CheckTypeDetails(*field->type()));
    ARROW_ASSIGN_OR_RAISE(std::string logical_type, LogicalTypeOfField(*field->type(), metadata));
    const int64_t id = next_id_++;
    // The largest number is left out, so that one more than any id is a number still.
    if (id >= std::numeric_limits<int32_t>::max()) {
      return arrow::Status::Invalid("its field id would be ", id, ", allowed are less than ",
                                    std::numeric_limits<int32_t>::max());
    }
    schema_->fields.push_back({.name = field->name(),
                               .id = static_cast<int32_t>(id),
                               .parent_id = parent_id,
                               .logical_type = std::move(logical_type),
                               .nullable = field->nullable(),
                               .metadata = std::move(metadata),
                               .unknown_fields = {}});
    return AppendChildren(*field->type(), static_cast<int32_t>(id), depth + 1);
  }

 private:
  static arrow::Status CheckTypeDetails(const arrow::DataType& type) {
    if (type.id() == arrow::Type::MAP && static_cast<const arrow::MapType&>(type).keys_sorted()) {
      return UnsupportedError("maps with sorted keys",
                              "Arrow type " + type.ToString() +
                                  " is not supported: files do not keep that keys are sorted");
    }
    return arrow::Status::OK();
  }

  arrow::Status AppendChildren(const arrow::DataType& type, int32_t id, int depth) {
    std::set<std::string_view> names;
    const arrow::FieldVector children = ChildFieldsOf(type);
    for (const auto& child : children) {
      const std::string place = "field \"" + child->name() + "\"";
      ARROW_RETURN_NOT_OK(CheckChildName(child->name()));
      if (!names.insert(child->name()).second) {
        return arrow::Status::Invalid(place, " occurs more than once");
      }
      ARROW_RETURN_NOT_OK(WithContext(Append(child, id, depth), place));
    }
    return arrow::Status::OK();
  }

  int64_t next_id_;
  LanceSchema* schema_;
};

/// A tree whose types are what the table declares, not what data files hold: for blobs v2.
FieldNode AsDeclared(FieldNode node) {
  for (FieldNode& child : node.children) child = AsDeclared(std::move(child));
  if (node.kind == FieldKind::kBlobV2 && !node.children.empty()) node.kind = FieldKind::kStruct;
  return WithTypeOfChildren(std::move(node));
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
  if (first_field_id < 0) {
    return arrow::Status::Invalid("first field id is ", first_field_id, ", allowed are 0 and more");
  }
  LanceSchema made;
  made.metadata = FromArrowMetadata(schema.metadata());
  ARROW_RETURN_NOT_OK(CheckText(made.metadata));
  SchemaMaker maker(first_field_id, &made);
  std::set<std::string_view> names;
  for (const auto& field : schema.fields()) {
    ARROW_RETURN_NOT_OK(CheckName(field->name()));
    if (!names.insert(field->name()).second) {
      return arrow::Status::Invalid("column name \"", field->name(), "\" occurs more than once");
    }
    ARROW_RETURN_NOT_OK(WithContext(maker.Append(field, /*parent_id=*/-1, /*depth=*/0),
                                    "column \"" + field->name() + "\""));
  }
  return made;
}

arrow::Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const LanceSchema& schema) {
  ARROW_ASSIGN_OR_RAISE(auto nodes, MakeFieldTree(schema));
  arrow::FieldVector fields;
  for (FieldNode& node : nodes) fields.push_back(ToArrowField(AsDeclared(std::move(node))));
  return arrow::schema(std::move(fields), ToArrowMetadata(schema.metadata));
}

}  // namespace lance::format
