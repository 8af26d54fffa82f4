#include <algorithm>
#include <numeric>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api_vector.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/blobs.h"
#include "lance/dataset/file_location.h"
#include "lance/dataset/read_fields.h"
#include "lance/dataset/session_impl.h"
#include "lance/file.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/describe_page.h"
#include "lance/format/projection.h"

namespace lance {

/// A file, opened.
class FileReader::Impl {
 public:
  std::shared_ptr<Session> session;
  std::shared_ptr<const format::DataFileReader> file;
  std::vector<format::FieldNode> fields;
  format::ColumnMap columns;
  std::shared_ptr<arrow::Schema> schema;
  FileMetadata metadata;

  arrow::Result<std::vector<format::FieldNode>> Project(const FileReadOptions& options) const {
    if (options.batch_size == 0) {
      return arrow::Status::Invalid("batch_size is 0; allowed: 1 or more");
    }
    if (options.columns.empty()) return fields;
    return format::ProjectFields(fields, options.columns);
  }
};

namespace {

FileMetadata DescribeFile(const format::DataFileReader& file) {
  const format::DataFileMetadata& from = file.metadata();
  FileMetadata metadata;
  metadata.num_rows = from.num_rows;
  metadata.minor_version = static_cast<uint32_t>(from.version);
  metadata.size_bytes = from.file_size;
  metadata.num_column_metadata_bytes = from.column_metadata_bytes;
  for (const ByteRange& buffer : from.global_buffers) {
    metadata.global_buffer_sizes.push_back(buffer.length);
    metadata.num_global_buffer_bytes += buffer.length;
  }
  // As the reference counts: all before the descriptor that is no application buffer.
  const ByteRange& descriptor = from.global_buffers[0];
  metadata.num_data_bytes = descriptor.offset;
  const uint64_t application_bytes = metadata.num_global_buffer_bytes - descriptor.length;
  metadata.num_data_bytes -= std::min(metadata.num_data_bytes, application_bytes);
  for (const format::ColumnMetadata& column : from.columns) {
    FileColumn& out = metadata.columns.emplace_back();
    for (const format::PageMetadata& page : column.pages) {
      FilePage& out_page = out.pages.emplace_back();
      out_page.num_rows = page.num_rows;
      out_page.encoding = format::DescribePage(page, from.version);
      for (const ByteRange& buffer : page.buffers) {
        out_page.buffer_offsets.push_back(buffer.offset);
        out_page.buffer_sizes.push_back(buffer.length);
        out.size_bytes += buffer.length;
      }
    }
  }
  return metadata;
}

/// The schema of some fields whose blobs are read as payloads.
std::shared_ptr<arrow::Schema> SchemaOfPayloads(std::vector<format::FieldNode> fields,
                                                const arrow::Schema& file) {
  for (format::FieldNode& field : fields) field = WithBlobForm(field, BlobForm::kPayloads);
  return format::SchemaOf(fields, file.metadata());
}

/// Reads rows of a file batch by batch.
class FileBatches : public arrow::RecordBatchReader {
 public:
  FileBatches(std::shared_ptr<const FileReader::Impl> file, std::vector<format::FieldNode> fields,
              RowRange rows, uint64_t batch_size, const RunContext& run)
      : file_(std::move(file)),
        fields_(std::move(fields)),
        schema_(SchemaOfPayloads(fields_, *file_->schema)),
        rows_(rows),
        batch_size_(batch_size),
        run_(run) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = nullptr;
    if (at_ == unit_rows_) ARROW_RETURN_NOT_OK(ReadUnit());
    if (unit_ == nullptr) return arrow::Status::OK();
    const int64_t rows = std::min(static_cast<int64_t>(batch_size_), unit_rows_ - at_);
    *batch = unit_->Slice(at_, rows);
    at_ += rows;
    return arrow::Status::OK();
  }

 private:
  /// Read more rows than a batch at once: chunks are then seldom read twice.
  arrow::Status ReadUnit() {
    unit_ = nullptr;
    at_ = unit_rows_ = 0;
    if (rows_.size() == 0) return arrow::Status::OK();
    uint64_t count =
        std::min(rows_.size(), std::max(batch_size_, unit_size_.Rows(StoredRowBytes())));
    auto columns = ReadRows(count);
    // One array cannot hold all of them: 32-bit offsets, or indices of few bits, do not reach.
    while (columns.status().IsCapacityError() && count > 1) {
      count /= 2;
      columns = ReadRows(count);
    }
    ARROW_RETURN_NOT_OK(columns.status());
    rows_.begin += count;
    unit_rows_ = static_cast<int64_t>(count);
    unit_ = arrow::RecordBatch::Make(schema_, unit_rows_, *std::move(columns));
    unit_size_.Note(*unit_);
    return arrow::Status::OK();
  }

  arrow::Result<arrow::ArrayVector> ReadRows(uint64_t count) const {
    const RowRanges rows = RowRanges::Make({{rows_.begin, rows_.begin + count}});
    return ReadFields(*file_->file, file_->columns, fields_, rows, run_);
  }

  /// Bytes of a row of the whole file on storage.
  uint64_t StoredRowBytes() const {
    uint64_t bytes = 0;
    for (const FileColumn& column : file_->metadata.columns) bytes += column.size_bytes;
    return bytes / std::max<uint64_t>(file_->metadata.num_rows, 1);
  }

  std::shared_ptr<const FileReader::Impl> file_;
  std::vector<format::FieldNode> fields_;
  std::shared_ptr<arrow::Schema> schema_;
  UnitSize unit_size_;
  RowRange rows_;
  uint64_t batch_size_;
  RunContext run_;
  std::shared_ptr<arrow::RecordBatch> unit_;
  int64_t unit_rows_ = 0;
  int64_t at_ = 0;
};

}  // namespace

FileReader::FileReader(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

arrow::Result<FileReader> FileReader::Open(const std::string& uri, const OpenOptions& open_options,
                                           const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  ARROW_ASSIGN_OR_RAISE(const FileLocation location, LocateFile(uri, open_options));
  const RunContext run = MakeRunContext(*location.session, call);
  auto impl = std::make_shared<Impl>();
  impl->session = location.session;
  ARROW_ASSIGN_OR_RAISE(impl->file,
                        format::DataFileReader::Open(location.store, location.name, std::nullopt,
                                                     run.stop_token, run.memory_pool));
  auto fields = format::MakeFieldTree(impl->file->schema());
  if (!fields.ok()) return InFile(fields.status(), location.name);
  impl->fields = *std::move(fields);
  impl->columns = format::NumberColumns(impl->fields, impl->file->version());
  ARROW_ASSIGN_OR_RAISE(const auto stored, format::ToArrowSchema(impl->file->schema()));
  impl->schema = SchemaOfPayloads(impl->fields, *stored);
  impl->metadata = DescribeFile(*impl->file);
  return FileReader(std::move(impl));
}

uint64_t FileReader::num_rows() const { return impl_->metadata.num_rows; }
const std::shared_ptr<arrow::Schema>& FileReader::schema() const { return impl_->schema; }
const FileMetadata& FileReader::metadata() const { return impl_->metadata; }

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> FileReader::ReadRange(
    uint64_t start, uint64_t num_rows, const FileReadOptions& options,
    const CallOptions& call) const {
  const uint64_t total = impl_->metadata.num_rows;
  if (start > total || num_rows > total - start) {
    return arrow::Status::IndexError("rows ", start, " to ", start, " + ", num_rows,
                                     " are asked for, file ", impl_->file->path(), " has ", total);
  }
  ARROW_ASSIGN_OR_RAISE(auto fields, impl_->Project(options));
  return std::make_shared<FileBatches>(impl_, std::move(fields), RowRange{start, start + num_rows},
                                       options.batch_size, MakeRunContext(*impl_->session, call));
}

arrow::Result<std::shared_ptr<arrow::Table>> FileReader::TakeRows(const std::vector<uint64_t>& rows,
                                                                  const FileReadOptions& options,
                                                                  const CallOptions& call) const {
  ARROW_ASSIGN_OR_RAISE(const auto fields, impl_->Project(options));
  for (const uint64_t row : rows) {
    if (row >= impl_->metadata.num_rows) {
      return arrow::Status::IndexError("row ", row, " is asked for, file ", impl_->file->path(),
                                       " has ", impl_->metadata.num_rows);
    }
  }
  const RunContext run = MakeRunContext(*impl_->session, call);
  const TakePlan plan = PlanTake(rows);
  ARROW_ASSIGN_OR_RAISE(auto columns,
                        ReadFields(*impl_->file, impl_->columns, fields, plan.rows, run));
  ARROW_ASSIGN_OR_RAISE(columns, ReorderTaken(plan, std::move(columns), run));
  return arrow::Table::Make(SchemaOfPayloads(fields, *impl_->schema), columns,
                            static_cast<int64_t>(rows.size()));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> FileReader::ReadGlobalBuffer(int index) const {
  return impl_->file->ReadGlobalBuffer(index, arrow::StopToken::Unstoppable());
}

}  // namespace lance
