#include "lance/dataset/align_batch.h"

#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/format/conform.h"

namespace lance {

namespace {

class AlignedReader : public arrow::RecordBatchReader {
 public:
  AlignedReader(std::shared_ptr<arrow::RecordBatchReader> input,
                std::shared_ptr<arrow::Schema> schema, BatchAligner aligner)
      : input_(std::move(input)), schema_(std::move(schema)), aligner_(std::move(aligner)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    std::shared_ptr<arrow::RecordBatch> raw;
    ARROW_RETURN_NOT_OK(input_->ReadNext(&raw));
    if (raw == nullptr) {
      *batch = nullptr;
      return arrow::Status::OK();
    }
    return aligner_.Align(*raw).Value(batch);
  }

 private:
  std::shared_ptr<arrow::RecordBatchReader> input_;
  std::shared_ptr<arrow::Schema> schema_;
  BatchAligner aligner_;
};

arrow::Status CheckNoStrangers(const arrow::Schema& input, const arrow::Schema& table) {
  for (int i = 0; i < input.num_fields(); ++i) {
    const std::string& name = input.field(i)->name();
    if (table.GetAllFieldIndices(name).empty()) {
      std::string names;
      for (const auto& field : table.fields()) names += (names.empty() ? "" : ", ") + field->name();
      return arrow::Status::Invalid("column ", name,
                                    " of the input is not in the table; it has: ", names);
    }
    if (input.GetAllFieldIndices(name).size() > 1) {
      return arrow::Status::Invalid("column ", name, " is in the input more than once");
    }
  }
  return arrow::Status::OK();
}

arrow::Status CheckConforms(const arrow::Field& input, const arrow::Field& table) {
  ARROW_ASSIGN_OR_RAISE(const auto none, arrow::MakeEmptyArray(input.type()));
  const auto conformed = format::ConformArray(none, table.type(), nullptr);
  if (conformed.ok()) return arrow::Status::OK();
  // Where in a nested type they differ is worth saying.
  const bool is_nested = table.type()->num_fields() > 0;
  return arrow::Status::Invalid("column ", table.name(), " of the input is ",
                                input.type()->ToString(), ", the table has ",
                                table.type()->ToString(), is_nested ? ": " : "",
                                is_nested ? conformed.status().message() : "");
}

}  // namespace

arrow::Result<BatchAligner> BatchAligner::Make(const arrow::Schema& input,
                                               std::shared_ptr<arrow::Schema> table) {
  ARROW_RETURN_NOT_OK(CheckNoStrangers(input, *table));
  BatchAligner aligner;
  for (const auto& field : table->fields()) {
    const int column = input.GetFieldIndex(field->name());
    if (column < 0 && !field->nullable()) {
      return arrow::Status::Invalid("column ", field->name(),
                                    " is missing in the input and cannot be null");
    }
    if (column >= 0) ARROW_RETURN_NOT_OK(CheckConforms(*input.field(column), *field));
    aligner.input_columns_.push_back(column);
  }
  aligner.table_ = std::move(table);
  return aligner;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BatchAligner::Align(
    const arrow::RecordBatch& batch) const {
  arrow::ArrayVector columns;
  for (int i = 0; i < table_->num_fields(); ++i) {
    const int column = input_columns_[static_cast<size_t>(i)];
    if (column >= 0) {
      ARROW_ASSIGN_OR_RAISE(
          auto conformed,
          format::ConformArray(batch.column(column), table_->field(i)->type(), nullptr));
      columns.push_back(std::move(conformed));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto nulls,
                          arrow::MakeArrayOfNull(table_->field(i)->type(), batch.num_rows()));
    columns.push_back(std::move(nulls));
  }
  return arrow::RecordBatch::Make(table_, batch.num_rows(), std::move(columns));
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> AlignReader(
    std::shared_ptr<arrow::RecordBatchReader> input, std::shared_ptr<arrow::Schema> table) {
  ARROW_ASSIGN_OR_RAISE(auto aligner, BatchAligner::Make(*input->schema(), table));
  return std::make_shared<AlignedReader>(std::move(input), std::move(table), std::move(aligner));
}

}  // namespace lance
