#include "lance/schema_evolution.h"

#include <utility>

#include "arrow/type.h"
#include "lance/base/executor.h"
#include "lance/dataset/column_files.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/schema_edit.h"

namespace lance {
namespace {

/// Members of these are stored together in one column, so that none can go by itself.
arrow::Status CheckNotInside(const std::vector<format::FieldNode>& fields,
                             const std::set<int32_t>& ids) {
  for (const format::FieldNode& field : fields) {
    if (ids.contains(field.id)) continue;  // it goes as a whole
    if (field.is_column()) {
      for (const format::FieldNode& child : field.children) {
        if (!ids.contains(child.id)) continue;
        return arrow::Status::Invalid("column ", field.name, " is stored as one piece; its member ",
                                      child.name, " cannot be dropped by itself");
      }
    } else {
      ARROW_RETURN_NOT_OK(CheckNotInside(field.children, ids));
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<Dataset> DropColumns(const Dataset& dataset, const std::vector<std::string>& columns,
                                   const CommitOptions& commit, const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const Dataset::Impl& impl = dataset.impl();
  ARROW_RETURN_NOT_OK(CheckSchemaChangeable(impl));
  if (columns.empty()) return dataset;
  const format::LanceSchema& schema = impl.manifest().schema;
  std::set<int32_t> ids;
  for (const std::string& path : columns) {
    ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field, ResolveFieldPath(schema, path));
    ids.insert(field->id);
  }
  ARROW_RETURN_NOT_OK(CheckNotInside(impl.fields, ids));
  ARROW_ASSIGN_OR_RAISE(auto left, DropFields(schema, ids));
  table::Project project{.schema = std::move(left), .preserves_nullability = true};
  return CommitSchemaChange(dataset, std::move(project), {}, commit, nullptr, call);
}

}  // namespace lance
