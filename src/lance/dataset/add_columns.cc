#include <algorithm>
#include <memory>
#include <utility>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/align_batch.h"
#include "lance/dataset/column_files.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/filter/value_expression.h"
#include "lance/dataset/schema_edit.h"
#include "lance/schema_evolution.h"

namespace lance {
namespace {

/// New columns with values, ready to be written. A plain value.
struct NewColumns {
  AddedColumns schema;
  ColumnRewrite rewrite;
  /// Called after the last row of all fragments.
  std::function<arrow::Status()> finish = [] { return arrow::Status::OK(); };
};

/// Columns that are null everywhere change the schema and nothing else.
arrow::Result<format::LanceSchema> PlanNullColumns(const Dataset::Impl& dataset,
                                                   const arrow::Schema& columns) {
  const table::Manifest& manifest = dataset.manifest();
  ARROW_ASSIGN_OR_RAISE(const auto version,
                        format::ParseFileVersion(manifest.data_storage_version));
  for (const auto& column : columns.fields()) {
    const bool is_member =
        manifest.schema.FindTopLevel(column->name()) != nullptr && column->type()->num_fields() > 0;
    if (!is_member || version >= format::FileVersion::k2_2) continue;
    return UnsupportedError("new members of structs",
                            "column " + column->name() +
                                " is there already: members can be added to it in tables of data "
                                "version 2.2 and later, this one has " +
                                manifest.data_storage_version);
  }
  ARROW_ASSIGN_OR_RAISE(auto schema, AddNullFields(manifest, columns));
  ARROW_ASSIGN_OR_RAISE(const auto tree, format::MakeFieldTree(schema));
  for (const format::FieldNode& field : tree) {
    ARROW_RETURN_NOT_OK(format::CheckWritable(field, version));
  }
  return schema;
}

/// Check the new columns against the table, and fill in what is the same for all kinds of values.
arrow::Result<NewColumns> PlanColumns(const Dataset::Impl& dataset, const arrow::Schema& columns) {
  NewColumns plan;
  ARROW_ASSIGN_OR_RAISE(plan.schema, AddFields(dataset.manifest(), columns));
  plan.rewrite.schema = plan.schema.added;
  ARROW_ASSIGN_OR_RAISE(const auto version,
                        format::ParseFileVersion(dataset.manifest().data_storage_version));
  ARROW_ASSIGN_OR_RAISE(const auto tree, format::MakeFieldTree(plan.schema.added));
  for (const format::FieldNode& field : tree) {
    ARROW_RETURN_NOT_OK(format::CheckWritable(field, version));
  }
  return plan;
}

arrow::Result<NewColumns> PlanExpressions(const Dataset::Impl& dataset,
                                          const std::vector<ComputedColumn>& columns) {
  std::vector<filter::ValueExpression> expressions;
  arrow::FieldVector fields;
  std::vector<std::string> read_columns;
  for (const ComputedColumn& column : columns) {
    auto expression = filter::ValueExpression::Make(column.expression, dataset.manifest().schema);
    if (!expression.ok()) return WithContext(expression.status(), "column " + column.name);
    for (const std::string& name : expression->column_names()) {
      if (std::ranges::find(read_columns, name) == read_columns.end()) {
        read_columns.push_back(name);
      }
    }
    fields.push_back(arrow::field(column.name, expression->type()));
    expressions.push_back(*std::move(expression));
  }
  const auto schema = arrow::schema(std::move(fields));
  ARROW_ASSIGN_OR_RAISE(NewColumns plan, PlanColumns(dataset, *schema));
  // A row has to be read to be counted; the first column is as good as any.
  if (read_columns.empty()) read_columns.push_back(dataset.schema->field(0)->name());
  plan.rewrite.read_columns = std::move(read_columns);
  plan.rewrite.make = [expressions, schema](const std::shared_ptr<arrow::RecordBatch>& rows)
      -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    arrow::ArrayVector values;
    for (size_t i = 0; i < expressions.size(); ++i) {
      auto made = expressions[i].Evaluate(*rows);
      if (!made.ok()) {
        return WithContext(made.status(), "column " + schema->field(static_cast<int>(i))->name());
      }
      values.push_back(*std::move(made));
    }
    return arrow::RecordBatch::Make(schema, rows->num_rows(), std::move(values));
  };
  return plan;
}

/// Hands out rows of a stream in pieces of any size.
class RowQueue {
 public:
  explicit RowQueue(std::shared_ptr<arrow::RecordBatchReader> reader)
      : reader_(std::move(reader)) {}

  /// The next rows. \return Invalid when there are fewer
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Take(int64_t count) {
    std::vector<std::shared_ptr<arrow::RecordBatch>> pieces;
    for (int64_t missing = count; missing > 0;) {
      ARROW_ASSIGN_OR_RAISE(const bool has_more, Fill());
      if (!has_more) {
        return arrow::Status::Invalid("the input ends after ", num_taken_,
                                      " rows; allowed: exactly as many as the table has");
      }
      const int64_t rows = std::min(missing, rest_->num_rows());
      pieces.push_back(rest_->Slice(0, rows));
      rest_ = rest_->Slice(rows);
      missing -= rows;
      num_taken_ += rows;
    }
    if (pieces.size() == 1) return pieces[0];
    return arrow::ConcatenateRecordBatches(pieces);
  }

  /// \return Invalid when rows are left
  arrow::Status CheckEnd() {
    ARROW_ASSIGN_OR_RAISE(const bool has_more, Fill());
    if (!has_more) return arrow::Status::OK();
    return arrow::Status::Invalid("the input has more rows than the table, which has ", num_taken_);
  }

 private:
  arrow::Result<bool> Fill() {
    while (rest_ == nullptr || rest_->num_rows() == 0) {
      ARROW_RETURN_NOT_OK(reader_->ReadNext(&rest_));
      if (rest_ == nullptr) return false;
    }
    return true;
  }

  std::shared_ptr<arrow::RecordBatchReader> reader_;
  std::shared_ptr<arrow::RecordBatch> rest_;
  int64_t num_taken_ = 0;
};

arrow::Result<NewColumns> PlanRows(const Dataset::Impl& dataset, const BatchSource& source) {
  ARROW_ASSIGN_OR_RAISE(NewColumns plan, PlanColumns(dataset, *source.schema()));
  ARROW_ASSIGN_OR_RAISE(const auto stored, format::ToArrowSchema(plan.schema.added));
  ARROW_ASSIGN_OR_RAISE(auto reader, source.Open());
  ARROW_ASSIGN_OR_RAISE(reader, AlignReader(std::move(reader), stored));
  const auto queue = std::make_shared<RowQueue>(std::move(reader));
  plan.rewrite.read_columns = {dataset.schema->field(0)->name()};
  plan.rewrite.make = [queue](const std::shared_ptr<arrow::RecordBatch>& rows) {
    return queue->Take(rows->num_rows());
  };
  plan.finish = [queue] { return queue->CheckEnd(); };
  return plan;
}

arrow::Result<NewColumns> PlanFunction(const Dataset::Impl& dataset,
                                       const AddColumnsRequest& request,
                                       const BatchFunction& function) {
  if (request.function_schema == nullptr) {
    return arrow::Status::Invalid("function_schema is missing; it says what the function gives");
  }
  if (function == nullptr) return arrow::Status::Invalid("the function is empty");
  ARROW_ASSIGN_OR_RAISE(NewColumns plan, PlanColumns(dataset, *request.function_schema));
  ARROW_ASSIGN_OR_RAISE(const auto stored, format::ToArrowSchema(plan.schema.added));
  plan.rewrite.read_columns = request.read_columns;
  plan.rewrite.batch_size = request.batch_size;
  plan.rewrite.make = [function, stored](const std::shared_ptr<arrow::RecordBatch>& rows)
      -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    ARROW_ASSIGN_OR_RAISE(const auto values, function(*rows));
    if (values == nullptr) return arrow::Status::Invalid("the function gave no batch");
    ARROW_ASSIGN_OR_RAISE(const auto aligner, BatchAligner::Make(*values->schema(), stored));
    return aligner.Align(*values);
  };
  return plan;
}

/// \pre the request is not one for columns that are null everywhere
arrow::Result<NewColumns> PlanValues(const Dataset::Impl& dataset,
                                     const AddColumnsRequest& request) {
  if (request.batch_size == 0) return arrow::Status::Invalid("batch_size is 0; allowed: 1 or more");
  if (const auto* columns = std::get_if<std::vector<ComputedColumn>>(&request.values)) {
    return PlanExpressions(dataset, *columns);
  }
  if (const auto* source = std::get_if<BatchSource>(&request.values)) {
    return PlanRows(dataset, *source);
  }
  return PlanFunction(dataset, request, std::get<BatchFunction>(request.values));
}

/// Whether a request names no column at all.
bool IsEmpty(const AddColumnsRequest& request) {
  if (const auto* columns = std::get_if<std::vector<ComputedColumn>>(&request.values)) {
    return columns->empty();
  }
  if (const auto* schema = std::get_if<std::shared_ptr<arrow::Schema>>(&request.values)) {
    return *schema == nullptr || (*schema)->num_fields() == 0;
  }
  if (const auto* source = std::get_if<BatchSource>(&request.values)) {
    return source->schema()->num_fields() == 0;
  }
  return false;
}

bool AreNullable(const format::LanceSchema& schema) {
  return std::ranges::all_of(schema.fields, &format::SchemaField::nullable);
}

}  // namespace

arrow::Result<Dataset> AddColumns(const Dataset& dataset, const AddColumnsRequest& request,
                                  const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const Dataset::Impl& impl = dataset.impl();
  ARROW_RETURN_NOT_OK(CheckSchemaChangeable(impl));
  if (IsEmpty(request)) return dataset;
  if (const auto* nulls = std::get_if<std::shared_ptr<arrow::Schema>>(&request.values)) {
    ARROW_ASSIGN_OR_RAISE(auto schema, PlanNullColumns(impl, **nulls));
    table::Merge merge{.fragments = impl.manifest().fragments,
                       .schema = std::move(schema),
                       .preserves_nullability = true};
    return CommitSchemaChange(dataset, std::move(merge), {}, request.commit, nullptr, call);
  }
  ARROW_ASSIGN_OR_RAISE(const NewColumns columns, PlanValues(impl, request));
  ARROW_ASSIGN_OR_RAISE(NewColumnFiles files,
                        NewColumnFiles::Write(dataset, columns.rewrite, call));
  ARROW_RETURN_NOT_OK(columns.finish());
  table::Merge merge{.fragments = files.fragments(),
                     .schema = columns.schema.whole,
                     .preserves_nullability = AreNullable(columns.schema.added)};
  return CommitSchemaChange(dataset, std::move(merge), {}, request.commit, &files, call);
}

arrow::Result<std::shared_ptr<arrow::Schema>> ComputedColumnsSchema(
    const Dataset& dataset, const std::vector<ComputedColumn>& columns) {
  ARROW_ASSIGN_OR_RAISE(const NewColumns plan, PlanExpressions(dataset.impl(), columns));
  return format::ToArrowSchema(plan.schema.added);
}

arrow::Result<FragmentMetadata> AddColumnsToFragment(const Dataset& dataset, uint64_t id,
                                                     const AddColumnsRequest& request,
                                                     const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const Dataset::Impl& impl = dataset.impl();
  ARROW_RETURN_NOT_OK(CheckSchemaChangeable(impl));
  ARROW_ASSIGN_OR_RAISE(const Dataset only, impl.OnlyFragment(id));
  table::Fragment fragment = only.impl().manifest().fragments.front();
  if (IsEmpty(request)) return MakeFragmentMetadata(fragment);
  if (const auto* nulls = std::get_if<std::shared_ptr<arrow::Schema>>(&request.values)) {
    ARROW_RETURN_NOT_OK(PlanNullColumns(impl, **nulls).status());
    return MakeFragmentMetadata(fragment);
  }
  ARROW_ASSIGN_OR_RAISE(const NewColumns columns, PlanValues(impl, request));
  ARROW_ASSIGN_OR_RAISE(auto file, WriteColumnFile(dataset, fragment, columns.rewrite, call));
  const arrow::Status finished = columns.finish();
  if (file) {
    if (!finished.ok()) {
      table::Fragment abandoned;
      abandoned.files.push_back(*file);
      DeleteDataFiles(*impl.store, {abandoned});
    }
    fragment.files.push_back(*std::move(file));
  }
  ARROW_RETURN_NOT_OK(finished);
  return MakeFragmentMetadata(fragment);
}

}  // namespace lance
