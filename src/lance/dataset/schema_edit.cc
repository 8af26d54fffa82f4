#include "lance/dataset/schema_edit.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/field_tree.h"

namespace lance {
namespace {

using Fields = std::vector<format::SchemaField>;

arrow::Status IsThere(const std::string& name) {
  return arrow::Status::Invalid("column ", name, " is there already; allowed: a new name");
}

Fields::iterator FindById(Fields& fields, int32_t id) {
  return std::ranges::find(fields, id, &format::SchemaField::id);
}

Fields::iterator FindChild(Fields& fields, int32_t parent_id, const std::string& name) {
  return std::ranges::find_if(fields, [&](const format::SchemaField& field) {
    return field.parent_id == parent_id && field.name == name;
  });
}

/// Behind the last field below `at`; fields lie depth-first.
Fields::iterator EndOfSubtree(Fields& fields, Fields::iterator at) {
  std::set<int32_t> ids = {at->id};
  auto end = at + 1;
  for (; end != fields.end() && ids.contains(end->parent_id); ++end) ids.insert(end->id);
  return end;
}

/// The fields of one column under ids from *next_id on.
arrow::Result<Fields> MakeFields(const std::shared_ptr<arrow::Field>& column, int32_t* next_id) {
  ARROW_ASSIGN_OR_RAISE(auto made, format::MakeLanceSchema(arrow::Schema({column}), *next_id));
  *next_id = made.max_field_id() + 1;
  return std::move(made.fields);
}

/// Adds what is new of a nullable field below a parent.
class MemberAdder {
 public:
  MemberAdder(int32_t next_id, format::LanceSchema* schema) : next_id_(next_id), schema_(schema) {}

  arrow::Status Add(const std::shared_ptr<arrow::Field>& field, int32_t parent_id,
                    const std::string& path) {
    Fields& fields = schema_->fields;
    const auto found = FindChild(fields, parent_id, field->name());
    if (found != fields.end()) return AddBelow(*field, *found, path);
    if (!field->nullable()) {
      return arrow::Status::Invalid("column ", path,
                                    " is not nullable; a column that is null everywhere must be");
    }
    ARROW_ASSIGN_OR_RAISE(Fields made, MakeFields(field, &next_id_));
    made.front().parent_id = parent_id;
    auto end = fields.end();
    if (parent_id != -1) end = EndOfSubtree(fields, FindById(fields, parent_id));
    fields.insert(end, made.begin(), made.end());
    return arrow::Status::OK();
  }

 private:
  arrow::Status AddBelow(const arrow::Field& field, const format::SchemaField& present,
                         const std::string& path) {
    const int32_t id = present.id;
    const bool is_struct =
        field.type()->id() == arrow::Type::STRUCT && present.logical_type == "struct";
    const bool is_list = (field.type()->id() == arrow::Type::LIST ||
                          field.type()->id() == arrow::Type::LARGE_LIST) &&
                         present.logical_type.find("list.struct") != std::string::npos;
    if (!is_struct && !is_list) return IsThere(path);
    for (const auto& child : field.type()->fields()) {
      std::string name = child->name();
      if (is_list) {
        // The one item of a list is what it is called in the table.
        const auto item = std::ranges::find(schema_->fields, id, &format::SchemaField::parent_id);
        if (item != schema_->fields.end()) name = item->name;
      }
      ARROW_RETURN_NOT_OK(Add(child->WithName(name), id, path + "." + name));
    }
    return arrow::Status::OK();
  }

  int32_t next_id_;
  format::LanceSchema* schema_;
};

}  // namespace

arrow::Result<int32_t> NextFieldId(const table::Manifest& manifest) {
  int32_t highest =
      std::max(manifest.schema.max_field_id(), manifest.max_allocated_field_id.value_or(-1));
  for (const table::Fragment& fragment : manifest.fragments) {
    for (const table::DataFile& file : fragment.files) {
      for (const int32_t id : file.field_ids) highest = std::max(highest, id);
    }
  }
  if (highest >= std::numeric_limits<int32_t>::max() - 1) {
    return arrow::Status::CapacityError("field ids are exhausted: ", highest, " is in use");
  }
  return highest + 1;
}

arrow::Result<AddedColumns> AddFields(const table::Manifest& manifest,
                                      const arrow::Schema& columns) {
  for (const auto& column : columns.fields()) {
    if (manifest.schema.FindTopLevel(column->name()) != nullptr) return IsThere(column->name());
  }
  ARROW_ASSIGN_OR_RAISE(const int32_t next_id, NextFieldId(manifest));
  AddedColumns result{.whole = manifest.schema, .added = {}};
  ARROW_ASSIGN_OR_RAISE(result.added, format::MakeLanceSchema(columns, next_id));
  result.added.metadata.clear();
  auto& fields = result.whole.fields;
  fields.insert(fields.end(), result.added.fields.begin(), result.added.fields.end());
  return result;
}

arrow::Result<format::LanceSchema> AddNullFields(const table::Manifest& manifest,
                                                 const arrow::Schema& columns) {
  ARROW_ASSIGN_OR_RAISE(const int32_t next_id, NextFieldId(manifest));
  format::LanceSchema schema = manifest.schema;
  MemberAdder adder(next_id, &schema);
  std::set<std::string_view> names;
  for (const auto& column : columns.fields()) {
    if (!names.insert(column->name()).second) {
      return arrow::Status::Invalid("column ", column->name(), " is given twice; allowed: once");
    }
    ARROW_RETURN_NOT_OK(adder.Add(column, /*parent_id=*/-1, column->name()));
  }
  return schema;
}

std::set<int32_t> IdsBelow(const format::LanceSchema& schema, int32_t id) {
  std::set<int32_t> ids = {id};
  for (const format::SchemaField& field : schema.fields) {
    if (ids.contains(field.parent_id)) ids.insert(field.id);
  }
  return ids;
}

arrow::Result<format::LanceSchema> DropFields(const format::LanceSchema& schema,
                                              const std::set<int32_t>& ids) {
  std::set<int32_t> dropped;
  for (const int32_t id : ids) dropped.merge(IdsBelow(schema, id));
  // Children come after their parents, so one pass from the end finds what became empty.
  std::set<int32_t> parents;
  std::set<int32_t> parents_with_rest;
  for (size_t i = schema.fields.size(); i-- > 0;) {
    const format::SchemaField& field = schema.fields[i];
    if (parents.contains(field.id) && !parents_with_rest.contains(field.id)) {
      dropped.insert(field.id);
    }
    parents.insert(field.parent_id);
    if (!dropped.contains(field.id)) parents_with_rest.insert(field.parent_id);
  }
  format::LanceSchema left = schema;
  std::erase_if(left.fields, [&](const auto& field) { return dropped.contains(field.id); });
  if (left.fields.empty()) {
    return arrow::Status::Invalid("all columns would be dropped; allowed: to leave at least one");
  }
  const auto tree = format::MakeFieldTree(left);
  if (!tree.ok()) return arrow::Status::Invalid("cannot drop: ", tree.status().message());
  return left;
}

arrow::Result<int32_t> ReplaceType(int32_t id, const std::shared_ptr<arrow::DataType>& type,
                                   int32_t* next_id, format::LanceSchema* schema) {
  Fields& fields = schema->fields;
  const auto at = FindById(fields, id);
  const format::SchemaField old = *at;
  // Under a name that suits a top-level column; the field's own comes back below.
  ARROW_ASSIGN_OR_RAISE(Fields made,
                        MakeFields(arrow::field("value", type, old.nullable), next_id));
  made.front().name = old.name;
  made.front().parent_id = old.parent_id;
  made.front().metadata = old.metadata;
  const int32_t new_id = made.front().id;
  const auto next = fields.erase(at, EndOfSubtree(fields, at));
  fields.insert(next, made.begin(), made.end());
  return new_id;
}

arrow::Status RenameField(int32_t id, const std::string& name, format::LanceSchema* schema) {
  Fields& fields = schema->fields;
  const auto field = FindById(fields, id);
  if (field->name == name) return arrow::Status::OK();
  if (name.empty()) {
    return arrow::Status::Invalid("column ", field->name, ": the new name is empty");
  }
  if (field->parent_id == -1) {
    const arrow::Schema only({arrow::field(name, arrow::int8())});
    ARROW_RETURN_NOT_OK(format::MakeLanceSchema(only).status());
  }
  field->name = name;
  return arrow::Status::OK();
}

format::LanceSchema SelectFields(const format::LanceSchema& schema, const std::set<int32_t>& ids) {
  std::set<int32_t> kept;
  for (const int32_t id : ids) kept.merge(IdsBelow(schema, id));
  for (size_t i = schema.fields.size(); i-- > 0;) {
    if (kept.contains(schema.fields[i].id)) kept.insert(schema.fields[i].parent_id);
  }
  format::LanceSchema selected;
  for (const format::SchemaField& field : schema.fields) {
    if (kept.contains(field.id)) selected.fields.push_back(field);
  }
  return selected;
}

void DropFilesWithoutFields(const format::LanceSchema& schema, table::Fragment* fragment) {
  constexpr int32_t kLowestHidden = -5;
  constexpr int32_t kHighestHidden = -3;  // table-format 8.5
  std::erase_if(fragment->files, [&](const table::DataFile& file) {
    return std::ranges::none_of(file.field_ids, [&](int32_t id) {
      return (kLowestHidden <= id && id <= kHighestHidden) || schema.FindById(id) != nullptr;
    });
  });
}

}  // namespace lance
