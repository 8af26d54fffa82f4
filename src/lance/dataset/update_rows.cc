#include <set>
#include <utility>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/filter/value_expression.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/row_changes.h"
#include "lance/mutate.h"

namespace lance {

namespace {

/// A column with what it is set to.
struct Assignment {
  int column = -1;  // in the schema's order
  const format::FieldNode* field = nullptr;
  filter::ValueExpression value;
};

void CollectIds(const format::FieldNode& field, std::vector<int32_t>* ids) {
  ids->push_back(field.id);
  for (const format::FieldNode& child : field.children) CollectIds(child, ids);
}

arrow::Result<Assignment> MakeAssignment(const Dataset::Impl& dataset, const std::string& name,
                                         const std::string& sql) {
  const format::LanceSchema& schema = dataset.manifest().schema;
  const auto found = ResolveColumn(schema, name);
  if (!found.ok()) {
    const std::string parent = name.substr(0, name.find('.'));
    if (parent.size() < name.size() && schema.FindTopLevel(parent) != nullptr) {
      return UnsupportedError(
          "updates of nested fields",
          "cannot set " + name + ": only whole columns are set, here " + parent);
    }
    return found.status();
  }
  const format::FieldNode* field = dataset.FindField((*found)->id);
  auto value = filter::ValueExpression::Make(sql, schema, field->type);
  if (!value.ok()) return WithContext(value.status(), "value of column " + field->name);
  return Assignment{dataset.schema->GetFieldIndex(field->name), field, *std::move(value)};
}

arrow::Result<std::vector<Assignment>> MakeAssignments(const Dataset::Impl& dataset,
                                                       const UpdateRequest& request) {
  if (request.updates.empty()) {
    return arrow::Status::Invalid("an update sets no column; give at least one");
  }
  std::vector<Assignment> assignments;
  std::set<int> seen;
  for (const auto& [name, sql] : request.updates) {
    ARROW_ASSIGN_OR_RAISE(Assignment assignment, MakeAssignment(dataset, name, sql));
    if (!seen.insert(assignment.column).second) {
      return arrow::Status::Invalid("column ", assignment.field->name, " is set twice");
    }
    assignments.push_back(std::move(assignment));
  }
  return assignments;
}

/// The row as it is after the update; all values are computed from the row before it.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> Assign(
    const std::vector<Assignment>& assignments, const std::shared_ptr<arrow::Schema>& schema,
    const arrow::RecordBatch& before) {
  arrow::ArrayVector columns(before.columns().begin(),
                             before.columns().begin() + schema->num_fields());
  for (const Assignment& assignment : assignments) {
    ARROW_ASSIGN_OR_RAISE(auto values, assignment.value.Evaluate(before));
    if (!assignment.field->nullable && values->null_count() > 0) {
      return arrow::Status::Invalid("column ", assignment.field->name, " cannot be null, but ",
                                    assignment.value.ToString(), " is for ", values->null_count(),
                                    " rows");
    }
    columns[static_cast<size_t>(assignment.column)] = std::move(values);
  }
  return arrow::RecordBatch::Make(schema, before.num_rows(), std::move(columns));
}

arrow::Result<UpdateResult> UpdateOnce(const Dataset& dataset, const UpdateRequest& request,
                                       const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  ARROW_RETURN_NOT_OK(CheckChangeable(impl));
  ARROW_ASSIGN_OR_RAISE(const auto assignments, MakeAssignments(impl, request));
  ARROW_ASSIGN_OR_RAISE(auto options, ChangedRowsOptions(impl));
  FragmentWriter writer(impl.store, impl.manifest().schema, std::move(options), run);
  RowDeletions deletions;
  ProgressReporter progress(run, "update", "rows");
  progress.Stage("write");
  const auto update = [&](const arrow::RecordBatch& batch) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto after, Assign(assignments, impl.schema, batch));
    ARROW_RETURN_NOT_OK(writer.Write(*after));
    deletions.MoveAll(*batch.column(batch.num_columns() - 1));
    progress.Update(deletions.num_rows());
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(VisitRows(dataset, impl.schema->field_names(), request.where, call, update));
  if (deletions.empty()) return UpdateResult{.dataset = dataset};
  ARROW_ASSIGN_OR_RAISE(auto fragments, writer.Finish());
  progress.Stage("commit");
  std::vector<int32_t> changed_fields;
  for (const Assignment& assignment : assignments) CollectIds(*assignment.field, &changed_fields);
  ARROW_ASSIGN_OR_RAISE(Dataset committed,
                        CommitChangedRows(dataset, deletions, std::move(fragments),
                                          std::move(changed_fields), request.commit, run));
  return UpdateResult{std::move(committed), deletions.num_rows()};
}

}  // namespace

arrow::Result<UpdateResult> Update(const Dataset& dataset, const UpdateRequest& request,
                                   const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  return RetryOnNewest<UpdateResult>(dataset, request.commit, call, [&](const Dataset& version) {
    return UpdateOnce(version, request, call);
  });
}

}  // namespace lance
