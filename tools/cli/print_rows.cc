#include "print_rows.h"

#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/csv/writer.h"
#include "arrow/io/memory.h"
#include "arrow/io/stdio.h"
#include "arrow/ipc/writer.h"
#include "cells.h"
#include "lance/lance.h"
#include "output.h"

namespace lancectl {

namespace {

using arrow::Status;

arrow::Result<std::vector<Cells>> CellsOf(const arrow::RecordBatch& batch) {
  std::vector<Cells> columns;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(Cells cells, Cells::Make(column));
    columns.push_back(std::move(cells));
  }
  return columns;
}

Status PrintAsTable(arrow::RecordBatchReader& reader) {
  TablePrinter printer(reader.schema()->field_names());
  bool is_empty = true;
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_ASSIGN_OR_RAISE(const auto columns, CellsOf(*batch));
    std::vector<std::vector<std::string>> rows(static_cast<size_t>(batch->num_rows()));
    for (size_t row = 0; row < rows.size(); ++row) {
      for (const Cells& column : columns) {
        ARROW_RETURN_NOT_OK(
            column.AppendText(static_cast<int64_t>(row), &rows[row].emplace_back()));
      }
    }
    is_empty = false;
    printer.Print(std::move(rows));
    std::cout.flush();  // whoever reads the rows may want no more of them
  }
  if (is_empty) printer.Print({});
  return Status::OK();
}

Status PrintAsJsonLines(arrow::RecordBatchReader& reader) {
  std::vector<std::string> names;
  for (const std::string& name : reader.schema()->field_names()) {
    std::string& text = names.emplace_back(names.empty() ? "{" : ",");
    AppendJsonText(name, &text);
    text += ':';
  }
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto columns, CellsOf(*batch));
    std::string line;
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      line = names.empty() ? "{" : "";
      for (size_t column = 0; column < columns.size(); ++column) {
        line += names[column];
        ARROW_RETURN_NOT_OK(columns[column].AppendJson(row, &line));
      }
      line += "}\n";
      std::cout << line;
    }
    std::cout.flush();
  }
}

Status WriteAll(arrow::RecordBatchReader& reader, arrow::ipc::RecordBatchWriter* writer) {
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) return writer->Close();
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  }
}

/// Check that CSV has a form for every column.
Status CheckCsv(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    ARROW_ASSIGN_OR_RAISE(const auto unused, arrow::io::BufferOutputStream::Create());
    if (arrow::csv::MakeCSVWriter(unused, arrow::schema({field})).ok()) continue;
    const std::string type = field->type()->ToString();
    return Status::NotImplemented("column ", field->name(), " of type ", type,
                                  " has no form in CSV; choose other columns with --columns, or "
                                  "print all with --format jsonl")
        .WithDetail(std::make_shared<lance::UnsupportedFeature>("CSV of type " + type));
  }
  return Status::OK();
}

Status PrintAsCsv(arrow::RecordBatchReader& reader) {
  ARROW_RETURN_NOT_OK(CheckCsv(*reader.schema()));
  arrow::io::StdoutStream out;
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::csv::MakeCSVWriter(&out, reader.schema()));
  ARROW_RETURN_NOT_OK(WriteAll(reader, writer.get()));
  return out.Flush();
}

Status PrintAsIpc(arrow::RecordBatchReader& reader) {
  arrow::io::StdoutStream out;
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeStreamWriter(&out, reader.schema()));
  const Status status = WriteAll(reader, writer.get());
  if (status.ok()) return out.Flush();
  // A reader takes the end of its input between two messages for the end of the stream. Begin one
  // more message, so that whoever reads on in a pipe sees that the rows are not all there.
  constexpr char kUnfinished[] = "\xff\xff\xff\xff\x40\x00\x00\x00";
  (void)out.Write(kUnfinished, 8);
  (void)out.Flush();
  return status;
}

}  // namespace

arrow::Result<RowFormat> ParseRowFormat(const std::string& text) {
  const std::string name = Lowered(text);
  if (name == "table") return RowFormat::kTable;
  if (name == "csv") return RowFormat::kCsv;
  if (name == "jsonl") return RowFormat::kJsonLines;
  if (name == "ipc") return RowFormat::kIpc;
  return Status::Invalid("--format is \"", text, "\"; allowed: table, csv, jsonl, ipc");
}

Status PrintRows(arrow::RecordBatchReader& reader, RowFormat format) {
  switch (format) {
    case RowFormat::kTable:
      return PrintAsTable(reader);
    case RowFormat::kJsonLines:
      return PrintAsJsonLines(reader);
    case RowFormat::kCsv:
      return PrintAsCsv(reader);
    case RowFormat::kIpc:
      return PrintAsIpc(reader);
  }
  return Status::UnknownError("internal: row format out of range");
}

}  // namespace lancectl
