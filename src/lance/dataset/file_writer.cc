#include <utility>

#include "arrow/api.h"
#include "arrow/io/interfaces.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/file_location.h"
#include "lance/dataset/session_impl.h"
#include "lance/file.h"
#include "lance/format/data_file_writer.h"

namespace lance {

/// A file being written.
class FileWriter::Impl {
 public:
  ~Impl() {
    // Nothing can be done about a failed abort: the store's temporary file stays.
    if (!is_closed && stream != nullptr) (void)stream->Abort();
  }

  std::string name;
  std::shared_ptr<arrow::io::OutputStream> stream;
  std::unique_ptr<format::DataFileWriter> writer;
  bool is_closed = false;
};

FileWriter::FileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FileWriter::~FileWriter() = default;

arrow::Result<std::unique_ptr<FileWriter>> FileWriter::Open(const std::string& uri,
                                                            std::shared_ptr<arrow::Schema> schema,
                                                            const FileWriterOptions& options,
                                                            const OpenOptions& open_options) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  format::DataFileWriterOptions file_options;
  ARROW_ASSIGN_OR_RAISE(file_options.version, format::ParseFileVersion(options.version));
  if (options.max_page_bytes == uint64_t{0} || options.data_cache_bytes == uint64_t{0}) {
    return arrow::Status::Invalid("max_page_bytes or data_cache_bytes is 0; allowed: 1 or more");
  }
  if (options.max_page_bytes) file_options.max_page_bytes = *options.max_page_bytes;
  file_options.data_cache_bytes = options.data_cache_bytes;
  ARROW_ASSIGN_OR_RAISE(format::LanceSchema lance_schema, format::MakeLanceSchema(*schema));
  for (const auto& [key, value] : options.schema_metadata) lance_schema.metadata[key] = value;
  ARROW_ASSIGN_OR_RAISE(const FileLocation file, LocateFile(uri, open_options));
  const RunContext run = MakeRunContext(*file.session, {});
  file_options.memory_pool = run.memory_pool;
  file_options.num_threads = run.num_threads;
  auto impl = std::make_unique<Impl>();
  impl->name = file.name;
  ARROW_ASSIGN_OR_RAISE(impl->stream, file.store->OpenWrite(file.name));
  ARROW_ASSIGN_OR_RAISE(impl->writer,
                        format::DataFileWriter::Make(impl->stream, lance_schema, file_options));
  return std::unique_ptr<FileWriter>(new FileWriter(std::move(impl)));
}

arrow::Status FileWriter::WriteBatch(const arrow::RecordBatch& batch, const CallOptions& call) {
  ARROW_RETURN_NOT_OK(call.stop_token.Poll());
  return InFile(impl_->writer->Write(batch), impl_->name);
}

arrow::Result<int> FileWriter::AddGlobalBuffer(const std::shared_ptr<arrow::Buffer>& bytes) {
  return impl_->writer->AddGlobalBuffer(*bytes);
}

void FileWriter::AddSchemaMetadata(std::string key, std::string value) {
  impl_->writer->AddSchemaMetadata(std::move(key), std::move(value));
}

arrow::Result<uint64_t> FileWriter::Close() {
  auto summary = impl_->writer->Finish();
  if (!summary.ok()) return InFile(summary.status(), impl_->name);
  impl_->is_closed = true;
  return summary->num_rows;
}

}  // namespace lance
