// Reads and writes single data files, for tests that exchange them with other implementations:
//
//   file_tool write OUT.lance [MAX_PAGE_BYTES] < Arrow IPC stream
//   file_tool read IN.lance [ROWS ...]         > Arrow IPC stream, one batch for each ROWS
//
// ROWS is "all" or ranges such as "0:10,25:26"; "all" when there is none.

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/api.h"
#include "arrow/io/stdio.h"
#include "arrow/ipc/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/data_file_writer.h"
#include "lance/io/stores.h"

namespace {

using lance::format::DataFileReader;
using lance::format::DataFileWriter;

struct FileInStore {
  std::shared_ptr<lance::ObjectStore> store;
  std::string name;
};

arrow::Result<FileInStore> Locate(const std::string& path) {
  const auto absolute = std::filesystem::absolute(path);
  ARROW_ASSIGN_OR_RAISE(auto store, lance::MakeLocalStore(absolute.parent_path().string()));
  return FileInStore{std::move(store), absolute.filename().string()};
}

arrow::Status WriteFile(const std::string& path,
                        const lance::format::DataFileWriterOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const FileInStore file, Locate(path));
  auto in = std::make_shared<arrow::io::StdinStream>();
  ARROW_ASSIGN_OR_RAISE(const auto batches, arrow::ipc::RecordBatchStreamReader::Open(in));
  ARROW_ASSIGN_OR_RAISE(const auto schema, lance::format::MakeLanceSchema(*batches->schema()));
  ARROW_ASSIGN_OR_RAISE(auto out, file.store->OpenWrite(file.name));
  ARROW_ASSIGN_OR_RAISE(const auto writer, DataFileWriter::Make(out, schema, options));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(batches->ReadNext(&batch));
    if (batch == nullptr) break;
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
  }
  return writer->Finish().status();
}

lance::RowRanges ParseRows(const std::string& text, uint64_t num_rows) {
  if (text == "all") return lance::RowRanges::All(num_rows);
  std::vector<lance::RowRange> ranges;
  for (size_t at = 0; at < text.size();) {
    size_t used = 0;
    const uint64_t begin = std::stoull(text.substr(at), &used);
    at += used + 1;
    const uint64_t end = std::stoull(text.substr(at), &used);
    at += used + 1;
    ranges.push_back({begin, end});
  }
  return lance::RowRanges::Make(std::move(ranges));
}

arrow::Status ReadFile(const std::string& path, const std::vector<std::string>& row_texts) {
  ARROW_ASSIGN_OR_RAISE(const FileInStore file, Locate(path));
  const auto never = arrow::StopToken::Unstoppable();
  ARROW_ASSIGN_OR_RAISE(const auto reader,
                        DataFileReader::Open(file.store, file.name, std::nullopt, never));
  const auto converted = lance::format::ToArrowSchema(reader->schema());
  if (!converted.ok()) return lance::InFile(converted.status(), file.name);
  const auto& schema = *converted;
  auto out = std::make_shared<arrow::io::StdoutStream>();
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeStreamWriter(out, schema));
  for (const std::string& text : row_texts) {
    const auto rows = ParseRows(text, reader->num_rows());
    arrow::ArrayVector columns;
    for (int i = 0; i < schema->num_fields(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto column,
                            reader->ReadColumn(i, schema->field(i)->type(), rows, never));
      ARROW_RETURN_NOT_OK(column->ValidateFull());
      columns.push_back(std::move(column));
    }
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*arrow::RecordBatch::Make(
        schema, static_cast<int64_t>(rows.num_rows()), std::move(columns))));
  }
  return writer->Close();
}

arrow::Status Run(const std::vector<std::string>& arguments) {
  ARROW_RETURN_NOT_OK(lance::InitializeLibrary());
  if (arguments.size() < 2) return arrow::Status::Invalid("usage: file_tool write|read FILE ...");
  if (arguments[0] == "write") {
    lance::format::DataFileWriterOptions options;
    if (arguments.size() > 2) options.max_page_bytes = std::stoull(arguments[2]);
    return WriteFile(arguments[1], options);
  }
  std::vector<std::string> rows(arguments.begin() + 2, arguments.end());
  if (rows.empty()) rows.push_back("all");
  return ReadFile(arguments[1], rows);
}

}  // namespace

int main(int argc, char** argv) {
  const arrow::Status status = Run({argv + 1, argv + argc});
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
