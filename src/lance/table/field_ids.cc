#include "lance/table/field_ids.h"

#include <algorithm>

namespace lance::table {

int32_t NextFieldId(const Manifest& manifest) {
  int32_t highest =
      std::max(manifest.schema.max_field_id(), manifest.max_allocated_field_id.value_or(-1));
  for (const Fragment& fragment : manifest.fragments) {
    for (const DataFile& file : fragment.files) {
      for (const int32_t id : file.field_ids) highest = std::max(highest, id);
    }
  }
  return highest + 1;
}

arrow::Status TakeFieldIds(const Manifest& previous, bool is_overwrite, Manifest* next) {
  if (!previous.max_allocated_field_id) return arrow::Status::OK();
  const int32_t highest = *previous.max_allocated_field_id;
  int32_t raised = highest;
  for (const format::SchemaField& field : next->schema.fields) {
    raised = std::max(raised, field.id);
    if (field.id > highest) continue;
    const format::SchemaField* before = is_overwrite ? nullptr : previous.schema.FindById(field.id);
    if (before == nullptr) {
      return arrow::Status::Invalid("field ", field.name, " has id ", field.id,
                                    ", which was handed out before; allowed: above ", highest);
    }
    if (before->parent_id != field.parent_id || before->logical_type != field.logical_type) {
      return arrow::Status::Invalid("field ", field.name, " keeps id ", field.id,
                                    " with another type or parent; allowed: a new id above ",
                                    highest);
    }
  }
  next->max_allocated_field_id = raised;
  return arrow::Status::OK();
}

}  // namespace lance::table
