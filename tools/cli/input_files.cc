#include "input_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "arrow/api.h"
#include "arrow/csv/api.h"
#include "arrow/io/api.h"
#include "arrow/io/stdio.h"
#include "arrow/ipc/api.h"
#include "lance/status_detail.h"
#include "parquet/arrow/reader.h"

namespace lancectl {

namespace {

using ReaderResult = arrow::Result<std::shared_ptr<arrow::RecordBatchReader>>;

ReaderResult OpenParquet(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
  ARROW_ASSIGN_OR_RAISE(auto batches, reader->GetRecordBatchReader());
  // The batches read through the file reader, so it must live as long as they do.
  struct Owner {
    std::unique_ptr<parquet::arrow::FileReader> file;
    std::unique_ptr<arrow::RecordBatchReader> batches;
  };
  auto owner = std::make_shared<Owner>(Owner{std::move(reader), std::move(batches)});
  auto* inner = owner->batches.get();
  return std::shared_ptr<arrow::RecordBatchReader>(std::move(owner), inner);
}

ReaderResult OpenCsv(const std::string& path, const std::shared_ptr<arrow::Schema>& table_schema) {
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  auto convert = arrow::csv::ConvertOptions::Defaults();
  convert.strings_can_be_null = true;
  convert.null_values = {"", "NA"};
  if (table_schema != nullptr) {
    for (const auto& field : table_schema->fields()) {
      convert.column_types[field->name()] = field->type();
    }
  }
  // The whole file at once: types that are inferred from the first block alone would depend on
  // where it ends.
  ARROW_ASSIGN_OR_RAISE(const auto reader, arrow::csv::TableReader::Make(
                                               arrow::io::default_io_context(), file,
                                               arrow::csv::ReadOptions::Defaults(),
                                               arrow::csv::ParseOptions::Defaults(), convert));
  ARROW_ASSIGN_OR_RAISE(auto table, reader->Read());
  return std::make_shared<arrow::TableBatchReader>(std::move(table));
}

ReaderResult OpenIpc(const std::string& path) {
  if (path == "-") {
    return arrow::ipc::RecordBatchStreamReader::Open(std::make_shared<arrow::io::StdinStream>());
  }
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  auto reader = arrow::ipc::RecordBatchFileReader::Open(file);
  if (!reader.ok()) {  // not the file format: perhaps a stream
    ARROW_RETURN_NOT_OK(file->Seek(0));
    return arrow::ipc::RecordBatchStreamReader::Open(file);
  }
  ARROW_ASSIGN_OR_RAISE(auto table, (*reader)->ToTable());
  return std::make_shared<arrow::TableBatchReader>(std::move(table));
}

std::string FormatOf(const std::string& path, const std::string& format) {
  if (!format.empty()) return format;
  if (path == "-") return "ipc";
  for (const auto& [ending, name] : {std::pair{".parquet", "parquet"},
                                     {".csv", "csv"},
                                     {".arrow", "ipc"},
                                     {".arrows", "ipc"},
                                     {".ipc", "ipc"},
                                     {".feather", "ipc"}}) {
    if (path.ends_with(ending)) return name;
  }
  return "";
}

/// Opening says what else may be wrong.
arrow::Status CheckIsFile(const std::string& path) {
  std::error_code error;  // not looked at
  const auto found = std::filesystem::status(path, error);
  if (path == "-") return arrow::Status::OK();
  if (!std::filesystem::exists(found)) {
    return arrow::Status::KeyError("there is no such file")
        .WithDetail(std::make_shared<lance::NotFound>("object", path));
  }
  return std::filesystem::is_directory(found) ? arrow::Status::Invalid("is a folder, not a file")
                                              : arrow::Status::OK();
}

ReaderResult OpenOne(const std::string& path, const std::string& format,
                     const std::shared_ptr<arrow::Schema>& table_schema) {
  const std::string chosen = FormatOf(path, format);
  if (!format.empty() && format != "parquet" && format != "csv" && format != "ipc") {
    return arrow::Status::Invalid("--input-format is \"", format, "\"; allowed: parquet, csv, ipc");
  }
  ARROW_RETURN_NOT_OK(CheckIsFile(path));
  if (path == "-" && chosen != "ipc") {
    return arrow::Status::Invalid("--input-format is ", chosen,
                                  "; standard input (-) is always an Arrow IPC stream");
  }
  if (chosen == "parquet") return OpenParquet(path);
  if (chosen == "csv") return OpenCsv(path, table_schema);
  if (chosen == "ipc") return OpenIpc(path);
  return arrow::Status::Invalid(
      "the format is not known by the name; give --input-format parquet, csv or ipc");
}

/// As OpenOne, with the file named in a failure.
ReaderResult OpenNamed(const std::string& path, const std::string& format,
                       const std::shared_ptr<arrow::Schema>& table_schema) {
  auto reader = OpenOne(path, format, table_schema);
  if (reader.ok()) return reader;
  // The detail of a file that cannot be opened says why; Arrow's message has the path once more.
  const auto& detail = reader.status().detail();
  if (reader.status().IsIOError() && detail != nullptr) {
    return reader.status().WithMessage(path, ": open failed: ", detail->ToString());
  }
  return reader.status().WithMessage(path, ": ", reader.status().message());
}

/// The first column in which two schemas differ, as the first has it and as the other has it.
std::string DescribeDifference(const arrow::Schema& found, const arrow::Schema& expected) {
  for (const auto& field : expected.fields()) {
    const auto other = found.GetFieldByName(field->name());
    if (other == nullptr) return "column " + field->name() + " is missing, which is there";
    if (!other->type()->Equals(field->type())) {
      return "column " + field->name() + " is " + other->type()->ToString() + ", it is " +
             field->type()->ToString();
    }
  }
  return "other columns, another order or nullability than";
}

ReaderResult OpenAll(const std::vector<std::string>& files, const std::string& format,
                     const std::shared_ptr<arrow::Schema>& table_schema) {
  arrow::RecordBatchVector batches;
  if (files.size() == 1) return OpenNamed(files.front(), format, table_schema);
  std::shared_ptr<arrow::Schema> schema;
  for (const std::string& path : files) {
    ARROW_ASSIGN_OR_RAISE(const auto reader, OpenNamed(path, format, table_schema));
    if (schema != nullptr && !schema->Equals(*reader->schema(), false)) {
      return arrow::Status::Invalid(path, ": ", DescribeDifference(*reader->schema(), *schema),
                                    " in ", files.front());
    }
    schema = reader->schema();
    ARROW_ASSIGN_OR_RAISE(auto more, reader->ToRecordBatches());
    batches.insert(batches.end(), more.begin(), more.end());
  }
  return arrow::RecordBatchReader::Make(std::move(batches), std::move(schema));
}

}  // namespace

arrow::Result<lance::BatchSource> OpenInput(const std::vector<std::string>& files,
                                            const std::string& format,
                                            const std::shared_ptr<arrow::Schema>& table_schema) {
  ARROW_ASSIGN_OR_RAISE(auto reader, OpenAll(files, format, table_schema));
  return lance::BatchSource(std::move(reader));
}

}  // namespace lancectl
