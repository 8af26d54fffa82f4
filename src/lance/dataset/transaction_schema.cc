#include "lance/dataset/transaction_schema.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "arrow/type.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/schema_edit.h"
#include "lance/table/field_ids.h"
#include "lance/transaction.h"

namespace lance {
namespace {

arrow::Status CheckGiven(const arrow::Schema* schema) {
  if (schema != nullptr) return arrow::Status::OK();
  return arrow::Status::Invalid("the schema is null; allowed: the columns of the new version");
}

/// Take over what the table knows of fields besides what a caller can say of them.
void KeepUnknownFields(const format::LanceSchema& before, format::LanceSchema* after) {
  for (format::SchemaField& field : after->fields) {
    const format::SchemaField* old = before.FindById(field.id);
    if (old != nullptr && old->logical_type == field.logical_type) {
      field.unknown_fields = old->unknown_fields;
    }
  }
}

arrow::Result<format::LanceSchema> SchemaOver(const format::LanceSchema& before,
                                              const arrow::Schema* schema,
                                              const std::vector<int32_t>& field_ids) {
  ARROW_ASSIGN_OR_RAISE(auto after, SchemaWithIds(schema, field_ids));
  KeepUnknownFields(before, &after);
  return after;
}

/// Check a field of a projection against the one of its name.
arrow::Status CheckKept(const arrow::Field& before, const arrow::Field& after) {
  if (!before.type()->Equals(after.type())) {
    return arrow::Status::Invalid("project: column ", before.name(), " has type ",
                                  before.type()->ToString(), ", not ", after.type()->ToString());
  }
  if (before.nullable() && !after.nullable()) {
    return arrow::Status::Invalid("project: column ", before.name(),
                                  " may hold nulls; see AlterColumns");
  }
  return arrow::Status::OK();
}

void AddIds(const format::FieldNode& node, std::vector<int32_t>* ids) {
  ids->push_back(node.id);
  for (const format::FieldNode& child : node.children) AddIds(child, ids);
}

}  // namespace

std::vector<int32_t> IdsOf(const std::vector<format::FieldNode>& fields) {
  std::vector<int32_t> ids;
  for (const format::FieldNode& node : fields) AddIds(node, &ids);
  return ids;
}

std::vector<int32_t> FieldIds(const Dataset& dataset) { return IdsOf(dataset.impl().fields); }

int32_t MaxFieldId(const Dataset& dataset) {
  return table::NextFieldId(dataset.impl().manifest()) - 1;
}

arrow::Result<format::LanceSchema> SchemaWithIds(const arrow::Schema* schema,
                                                 const std::vector<int32_t>& field_ids) {
  ARROW_RETURN_NOT_OK(CheckGiven(schema));
  ARROW_ASSIGN_OR_RAISE(auto made, format::MakeLanceSchema(*schema));
  if (field_ids.empty()) return made;
  if (field_ids.size() != made.fields.size()) {
    return arrow::Status::Invalid("field_ids has ", field_ids.size(), " ids; the schema has ",
                                  made.fields.size(), " fields, members included");
  }
  const std::set<int32_t> distinct(field_ids.begin(), field_ids.end());
  if (distinct.size() != field_ids.size() || *distinct.begin() < 0) {
    return arrow::Status::Invalid("field_ids has an id twice or a negative one; allowed: 0 and up");
  }
  for (format::SchemaField& field : made.fields) {
    field.id = field_ids[static_cast<size_t>(field.id)];
    if (field.parent_id >= 0) field.parent_id = field_ids[static_cast<size_t>(field.parent_id)];
  }
  return made;
}

arrow::Result<format::LanceSchema> MergedSchema(const table::Manifest& manifest,
                                                const arrow::Schema* schema,
                                                const std::vector<int32_t>& field_ids) {
  ARROW_RETURN_NOT_OK(CheckGiven(schema));
  if (!field_ids.empty()) return SchemaOver(manifest.schema, schema, field_ids);
  ARROW_ASSIGN_OR_RAISE(const auto before, format::ToArrowSchema(manifest.schema));
  const arrow::FieldVector& after = schema->fields();
  const auto num_before = static_cast<size_t>(before->num_fields());
  if (after.size() < num_before) {
    return arrow::Status::Invalid("merge: the schema has ", after.size(), " columns, the table ",
                                  num_before, "; see MakeProjectTransaction");
  }
  for (size_t i = 0; i < num_before; ++i) {
    const arrow::Field& there = *before->field(static_cast<int>(i));
    if (there.Equals(*after[i], /*check_metadata=*/false)) continue;
    return arrow::Status::Invalid("merge: column ", i, " is ", after[i]->ToString(),
                                  ", the table has ", there.ToString(), " there");
  }
  arrow::FieldVector added(after.begin() + static_cast<ptrdiff_t>(num_before), after.end());
  if (added.empty()) return manifest.schema;
  ARROW_ASSIGN_OR_RAISE(auto columns, AddFields(manifest, arrow::Schema(std::move(added))));
  return std::move(columns.whole);
}

arrow::Result<format::LanceSchema> ProjectedSchema(const format::LanceSchema& before,
                                                   const arrow::Schema* schema,
                                                   const std::vector<int32_t>& field_ids) {
  ARROW_RETURN_NOT_OK(CheckGiven(schema));
  if (!field_ids.empty()) return SchemaOver(before, schema, field_ids);
  ARROW_ASSIGN_OR_RAISE(const auto before_columns, format::ToArrowSchema(before));
  format::LanceSchema after;
  after.metadata = before.metadata;
  std::set<int32_t> seen;
  for (const auto& column : schema->fields()) {
    const format::SchemaField* root = before.FindTopLevel(column->name());
    if (root == nullptr || !seen.insert(root->id).second) {
      return NotFoundError("column", column->name(),
                           "project: column " + column->name() +
                               (root == nullptr ? " is not there" : " is named twice"));
    }
    ARROW_RETURN_NOT_OK(CheckKept(*before_columns->GetFieldByName(column->name()), *column));
    const std::set<int32_t> ids = IdsBelow(before, root->id);
    for (const format::SchemaField& field : before.fields) {
      if (!ids.contains(field.id)) continue;
      after.fields.push_back(field);
      if (field.id == root->id) after.fields.back().nullable = column->nullable();
    }
  }
  return after;
}

bool PreservesNullability(const format::LanceSchema& before, const format::LanceSchema& after) {
  return std::ranges::all_of(after.fields, [&](const format::SchemaField& field) {
    const format::SchemaField* old = before.FindById(field.id);
    return field.nullable || (old != nullptr && !old->nullable);
  });
}

}  // namespace lance
