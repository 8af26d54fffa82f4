// Reads and writes single data files, for tests that exchange them with other implementations:
//
//   file_tool write OUT.lance [VERSION [MAX_PAGE_BYTES]] < Arrow IPC stream
//   file_tool read IN.lance [ROWS ...]         > Arrow IPC stream, one batch for each ROWS
//   file_tool serve                            < commands, one a line, words separated by tabs:
//     write IN.arrow OUT.lance VERSION MAX_PAGE_BYTES ROWS_PER_BATCH
//     read IN.lance OUT.arrow [ROWS ...]
//
// ROWS is "all" or ranges such as "0:10,25:26"; "all" when there is none. serve answers every
// command with one line, "ok" or what went wrong; batches are written as slices of ROWS_PER_BATCH
// rows.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/api.h"
#include "arrow/io/file.h"
#include "arrow/io/stdio.h"
#include "arrow/ipc/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/blobs.h"
#include "lance/dataset/read_fields.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/data_file_writer.h"
#include "lance/format/projection.h"
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

constexpr int64_t kWholeBatches = std::numeric_limits<int64_t>::max();

arrow::Status WriteFile(const std::shared_ptr<arrow::io::InputStream>& in, const std::string& path,
                        const lance::format::DataFileWriterOptions& options,
                        int64_t rows_per_batch = kWholeBatches) {
  ARROW_ASSIGN_OR_RAISE(const FileInStore file, Locate(path));
  ARROW_ASSIGN_OR_RAISE(const auto batches, arrow::ipc::RecordBatchStreamReader::Open(in));
  ARROW_ASSIGN_OR_RAISE(const auto schema, lance::format::MakeLanceSchema(*batches->schema()));
  ARROW_ASSIGN_OR_RAISE(auto out, file.store->OpenWrite(file.name));
  ARROW_ASSIGN_OR_RAISE(const auto writer, DataFileWriter::Make(out, schema, options));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(batches->ReadNext(&batch));
    if (batch == nullptr) break;
    int64_t at = 0;
    do {
      const int64_t size = std::min(rows_per_batch, batch->num_rows() - at);
      ARROW_RETURN_NOT_OK(writer->Write(*batch->Slice(at, size)));
      at += size;
    } while (at < batch->num_rows());
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

arrow::Status ReadFile(const std::string& path, std::vector<std::string> row_texts,
                       const std::shared_ptr<arrow::io::OutputStream>& out) {
  if (row_texts.empty()) row_texts.push_back("all");
  ARROW_ASSIGN_OR_RAISE(const FileInStore file, Locate(path));
  const auto never = arrow::StopToken::Unstoppable();
  ARROW_ASSIGN_OR_RAISE(const auto reader,
                        DataFileReader::Open(file.store, file.name, std::nullopt, never));
  auto fields = lance::format::MakeFieldTree(reader->schema());
  if (!fields.ok()) return lance::InFile(fields.status(), file.name);
  const auto columns_of = lance::format::NumberColumns(*fields, reader->version());
  std::vector<lance::format::FieldNode> read_as;
  for (const auto& field : *fields) {
    read_as.push_back(lance::WithBlobForm(field, lance::BlobForm::kPayloads));
  }
  ARROW_ASSIGN_OR_RAISE(const auto stored, lance::format::ToArrowSchema(reader->schema()));
  const auto schema = lance::format::SchemaOf(read_as, stored->metadata());
  // Pages have dictionaries of their own, and so have batches.
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeStreamWriter(out, schema, options));
  lance::RunContext run;
  run.num_threads = 1;
  for (const std::string& text : row_texts) {
    const auto rows = ParseRows(text, reader->num_rows());
    ARROW_ASSIGN_OR_RAISE(auto columns, lance::ReadFields(*reader, columns_of, *fields, rows, run));
    for (const auto& column : columns) ARROW_RETURN_NOT_OK(column->ValidateFull());
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*arrow::RecordBatch::Make(
        schema, static_cast<int64_t>(rows.num_rows()), std::move(columns))));
  }
  return writer->Close();
}

std::vector<std::string> SplitAtTabs(const std::string& line) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= line.size();) {
    const size_t tab = std::min(line.find('\t', at), line.size());
    words.push_back(line.substr(at, tab - at));
    at = tab + 1;
  }
  return words;
}

arrow::Status ServeOne(const std::vector<std::string>& words) {
  if (words.size() == 6 && words[0] == "write") {
    ARROW_ASSIGN_OR_RAISE(const auto in, arrow::io::ReadableFile::Open(words[1]));
    lance::format::DataFileWriterOptions options;
    ARROW_ASSIGN_OR_RAISE(options.version, lance::format::ParseFileVersion(words[3]));
    options.max_page_bytes = std::stoull(words[4]);
    return WriteFile(in, words[2], options, std::stoll(words[5]));
  }
  if (words.size() >= 3 && words[0] == "read") {
    ARROW_ASSIGN_OR_RAISE(const auto out, arrow::io::FileOutputStream::Open(words[2]));
    ARROW_RETURN_NOT_OK(ReadFile(words[1], {words.begin() + 3, words.end()}, out));
    return out->Close();
  }
  return arrow::Status::Invalid("no such command");
}

/// Do what the lines of the standard input say: starting a program for each takes longer.
arrow::Status Serve() {
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer = "ok";
    if (const auto status = ServeOne(SplitAtTabs(line)); !status.ok()) answer = status.ToString();
    std::replace(answer.begin(), answer.end(), '\n', ' ');
    std::cout << answer << std::endl;  // the other side waits for it
  }
  return arrow::Status::OK();
}

arrow::Status Run(const std::vector<std::string>& arguments) {
  ARROW_RETURN_NOT_OK(lance::InitializeLibrary());
  if (arguments.size() == 1 && arguments[0] == "serve") return Serve();
  if (arguments.size() < 2) {
    return arrow::Status::Invalid("usage: file_tool write|read FILE ... | serve");
  }
  if (arguments[0] == "write") {
    lance::format::DataFileWriterOptions options;
    if (arguments.size() > 2) {
      ARROW_ASSIGN_OR_RAISE(options.version, lance::format::ParseFileVersion(arguments[2]));
    }
    if (arguments.size() > 3) options.max_page_bytes = std::stoull(arguments[3]);
    return WriteFile(std::make_shared<arrow::io::StdinStream>(), arguments[1], options);
  }
  return ReadFile(arguments[1], {arguments.begin() + 2, arguments.end()},
                  std::make_shared<arrow::io::StdoutStream>());
}

}  // namespace

int main(int argc, char** argv) {
  const arrow::Status status = Run({argv + 1, argv + argc});
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
