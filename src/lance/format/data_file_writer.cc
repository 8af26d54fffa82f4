#include "lance/format/data_file_writer.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "arrow/api.h"
#include "arrow/io/interfaces.h"
#include "lance/base/status_detail.h"
#include "lance/format/array_values.h"
#include "lance/format/column_type.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/footer.h"
#include "lance/format/page_encoder.h"

namespace lance::format {
namespace {

constexpr char kPadByte = 'H';  // what the reference pads files with; readers ignore it

// Larger pages would only cost memory; the bound keeps sums of sizes far from wrapping.
constexpr uint64_t kMaxPageBytes = uint64_t{1} << 30;

/// One column being written.
struct ColumnBuffer {
  std::string name;
  ColumnType type;
  bool nullable = true;
  /// Rows that are not in a page yet.
  arrow::ArrayVector pending;
  uint64_t pending_bytes = 0;
  uint64_t pending_rows = 0;
  uint64_t rows_in_pages = 0;
  ColumnMetadata metadata;
};

/// Keeps track of the position in the file. Thread-compatible.
class AlignedOutput {
 public:
  explicit AlignedOutput(std::shared_ptr<arrow::io::OutputStream> out) : out_(std::move(out)) {}

  uint64_t position() const { return position_; }

  arrow::Status Append(std::string_view bytes) {
    if (bytes.empty()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(out_->Write(bytes.data(), static_cast<int64_t>(bytes.size())));
    position_ += bytes.size();
    return arrow::Status::OK();
  }

  /// Write a buffer and pad the file to the next aligned position. \return where the buffer is
  arrow::Result<ByteRange> AppendBuffer(std::string_view bytes) {
    const ByteRange range = {position_, bytes.size()};
    ARROW_RETURN_NOT_OK(Append(bytes));
    const uint64_t used = position_ % kBufferAlignment;
    if (used != 0) ARROW_RETURN_NOT_OK(Append(std::string(kBufferAlignment - used, kPadByte)));
    return range;
  }

  arrow::Status Close() { return out_->Close(); }

 private:
  std::shared_ptr<arrow::io::OutputStream> out_;
  uint64_t position_ = 0;
};

/// Say which value made a page impossible. The longest is it: shorter ones fit when it does.
arrow::Status TooLong(const ColumnBuffer& column, const ValueBuffer& values) {
  uint64_t longest = 0;
  uint64_t row = 0;
  for (uint64_t i = 0; i < values.num_values; ++i) {
    const uint64_t size = values.is_variable() ? values.offsets[i + 1] - values.offsets[i]
                                               : values.bits_per_value / 8;
    if (size > longest) {
      longest = size;
      row = i;
    }
  }
  return UnsupportedError("data file values longer than a mini-block",
                          "column \"" + column.name + "\": the value of row " +
                              std::to_string(column.rows_in_pages + row) + " has " +
                              std::to_string(longest) +
                              " bytes, this version writes values of up to " +
                              std::to_string(kMaxMiniBlockValueBytes) + " bytes");
}

}  // namespace

/// The state of a file being written.
class DataFileWriter::Impl {
 public:
  Impl(std::shared_ptr<arrow::io::OutputStream> out, LanceSchema schema,
       const DataFileWriterOptions& options)
      : out_(std::move(out)),
        schema_(std::move(schema)),
        max_page_bytes_(std::clamp(options.max_page_bytes, uint64_t{1}, kMaxPageBytes)),
        pool_(options.memory_pool != nullptr ? options.memory_pool : arrow::default_memory_pool()) {
  }

  arrow::Status Prepare() {
    ARROW_ASSIGN_OR_RAISE(const auto arrow_schema, ToArrowSchema(schema_));
    for (const auto& field : arrow_schema->fields()) {
      auto type = MakeColumnType(field->type());
      if (!type.ok()) return WithContext(type.status(), "column \"" + field->name() + "\"");
      ColumnBuffer column;
      column.name = field->name();
      column.type = *std::move(type);
      column.nullable = field->nullable();
      column.metadata.encoding = PlainColumnEncoding();
      columns_.push_back(std::move(column));
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckOpen() const {
    if (!failure_.ok()) return arrow::Status::Invalid("the data file failed before: ", failure_);
    if (is_finished_) return arrow::Status::Invalid("the data file is finished");
    return arrow::Status::OK();
  }

  /// Note a failure that leaves the file incomplete, and pass it on.
  arrow::Status Note(arrow::Status status) {
    if (!status.ok() && failure_.ok()) failure_ = status;
    return status;
  }

  arrow::Status CheckBatch(const arrow::RecordBatch& batch) const {
    if (batch.num_columns() != static_cast<int>(columns_.size())) {
      return arrow::Status::Invalid("a batch has ", batch.num_columns(),
                                    " columns, the schema has ", columns_.size());
    }
    if (static_cast<uint64_t>(batch.num_rows()) >
        std::numeric_limits<uint32_t>::max() - num_rows_) {
      return arrow::Status::CapacityError("a data file holds up to 2^32 - 1 rows, ", num_rows_,
                                          " + ", batch.num_rows(), " were to be written");
    }
    for (int i = 0; i < batch.num_columns(); ++i) {
      ARROW_RETURN_NOT_OK(CheckColumn(columns_[i], batch.column_name(i), *batch.column(i)));
    }
    return arrow::Status::OK();
  }

  arrow::Status Append(const arrow::RecordBatch& batch) {
    for (int i = 0; i < batch.num_columns(); ++i) {
      ARROW_RETURN_NOT_OK(AppendToColumn(batch.column(i), &columns_[i]));
    }
    num_rows_ += static_cast<uint64_t>(batch.num_rows());
    return arrow::Status::OK();
  }

  arrow::Result<int> AddGlobalBuffer(const arrow::Buffer& bytes) {
    ARROW_ASSIGN_OR_RAISE(const ByteRange range,
                          out_.AppendBuffer({reinterpret_cast<const char*>(bytes.data()),
                                             static_cast<size_t>(bytes.size())}));
    global_buffers_.push_back(range);
    return static_cast<int>(global_buffers_.size());
  }

  arrow::Result<DataFileSummary> Finish() {
    for (ColumnBuffer& column : columns_) ARROW_RETURN_NOT_OK(WritePage(&column));
    ARROW_RETURN_NOT_OK(WriteTail());
    ARROW_RETURN_NOT_OK(out_.Close());
    is_finished_ = true;
    DataFileSummary summary;
    summary.size_bytes = out_.position();
    summary.num_rows = num_rows_;
    for (size_t i = 0; i < columns_.size(); ++i) {
      summary.field_ids.push_back(schema_.fields[i].id);
      summary.column_indices.push_back(static_cast<int32_t>(i));
    }
    return summary;
  }

  void AddSchemaMetadata(std::string key, std::string value) {
    schema_.metadata[std::move(key)] = std::move(value);
  }

  uint64_t num_rows() const { return num_rows_; }

  uint64_t estimated_size_bytes() const {
    uint64_t size = out_.position();
    for (const ColumnBuffer& column : columns_) size += column.pending_bytes;
    return size;
  }

 private:
  static arrow::Status CheckColumn(const ColumnBuffer& column, const std::string& name,
                                   const arrow::Array& array) {
    if (name != column.name) {
      return arrow::Status::Invalid("a batch has column \"", name, "\" in the place of \"",
                                    column.name, "\"");
    }
    if (!array.type()->Equals(*column.type.type)) {
      return arrow::Status::Invalid("column \"", name, "\" has type ", array.type()->ToString(),
                                    " in a batch, the schema says ", column.type.type->ToString());
    }
    if (!column.nullable && array.null_count() > 0) {
      return arrow::Status::Invalid("column \"", name, "\" is not nullable and has ",
                                    array.null_count(), " nulls in a batch");
    }
    if (column.type.is_text && !IsTextUtf8(array, column.type)) {
      return arrow::Status::Invalid("column \"", name, "\" has text that is not UTF-8 in a batch");
    }
    return arrow::Status::OK();
  }

  arrow::Status AppendToColumn(const std::shared_ptr<arrow::Array>& array, ColumnBuffer* column) {
    std::shared_ptr<arrow::Array> rest = array;
    while (rest->length() > 0) {
      const uint64_t room = max_page_bytes_ - std::min(max_page_bytes_, column->pending_bytes);
      const int64_t num_rows = RowsWithin(*rest, column->type, room);
      std::shared_ptr<arrow::Array> part = rest->Slice(0, num_rows);
      rest = rest->Slice(num_rows);
      column->pending_bytes += EstimateBytes(*part, column->type);
      column->pending_rows += static_cast<uint64_t>(num_rows);
      const bool is_full = rest->length() > 0 || column->pending_bytes >= max_page_bytes_;
      if (!is_full && KeepsMuchMore(*part, column->type)) {
        // A small slice of a large array would keep all of it in memory until the page is full.
        ARROW_ASSIGN_OR_RAISE(part, arrow::Concatenate({part}, pool_));
      }
      column->pending.push_back(std::move(part));
      if (is_full) ARROW_RETURN_NOT_OK(WritePage(column));
    }
    return arrow::Status::OK();
  }

  arrow::Status WritePage(ColumnBuffer* column) {
    if (column->pending_rows == 0) return arrow::Status::OK();
    const PageValues values = CollectPageValues(column->pending, column->type);
    auto encoded = EncodePage(values, column->type);
    if (encoded.status().IsCapacityError()) return TooLong(*column, values.values);
    if (!encoded.ok()) return WithContext(encoded.status(), "column \"" + column->name + "\"");
    PageMetadata page;
    for (const std::string& buffer : encoded->buffers) {
      ARROW_ASSIGN_OR_RAISE(const ByteRange range, out_.AppendBuffer(buffer));
      page.buffers.push_back(range);
    }
    page.num_rows = column->pending_rows;
    page.first_row = column->rows_in_pages;
    page.encoding = std::move(encoded->encoding);
    column->metadata.pages.push_back(std::move(page));
    column->rows_in_pages += column->pending_rows;
    column->pending.clear();
    column->pending_rows = 0;
    column->pending_bytes = 0;
    return arrow::Status::OK();
  }

  /// Write the descriptor, the column metadata, both tables and the footer.
  arrow::Status WriteTail() {
    const std::string descriptor = SerializeDescriptor(schema_, num_rows_);
    std::string buffer_table;
    AppendTableEntry({out_.position(), descriptor.size()}, &buffer_table);
    for (const ByteRange& buffer : global_buffers_) AppendTableEntry(buffer, &buffer_table);
    ARROW_RETURN_NOT_OK(out_.Append(descriptor));
    Footer footer;
    footer.column_metadata_start = out_.position();
    std::string column_table;
    for (const ColumnBuffer& column : columns_) {
      const std::string bytes = SerializeColumnMetadata(column.metadata);
      AppendTableEntry({out_.position(), bytes.size()}, &column_table);
      ARROW_RETURN_NOT_OK(out_.Append(bytes));
    }
    footer.column_table_start = out_.position();
    footer.buffer_table_start = footer.column_table_start + column_table.size();
    footer.num_global_buffers = static_cast<uint32_t>(global_buffers_.size() + 1);
    footer.num_columns = static_cast<uint32_t>(columns_.size());
    std::string tail = column_table + buffer_table;
    AppendFooter(footer, &tail);
    return out_.Append(tail);
  }

  AlignedOutput out_;
  LanceSchema schema_;
  uint64_t max_page_bytes_;
  arrow::MemoryPool* pool_;
  std::vector<ColumnBuffer> columns_;
  std::vector<ByteRange> global_buffers_;  // without the descriptor
  uint64_t num_rows_ = 0;
  bool is_finished_ = false;
  arrow::Status failure_;
};

DataFileWriter::DataFileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

DataFileWriter::~DataFileWriter() = default;

arrow::Result<std::unique_ptr<DataFileWriter>> DataFileWriter::Make(
    std::shared_ptr<arrow::io::OutputStream> out, const LanceSchema& schema,
    const DataFileWriterOptions& options) {
  auto impl = std::make_unique<Impl>(std::move(out), schema, options);
  ARROW_RETURN_NOT_OK(impl->Prepare());
  return std::unique_ptr<DataFileWriter>(new DataFileWriter(std::move(impl)));
}

arrow::Status DataFileWriter::Write(const arrow::RecordBatch& batch) {
  ARROW_RETURN_NOT_OK(impl_->CheckOpen());
  ARROW_RETURN_NOT_OK(impl_->CheckBatch(batch));
  try {
    return impl_->Note(impl_->Append(batch));
  } catch (const std::bad_alloc&) {
    return impl_->Note(arrow::Status::OutOfMemory("not enough memory to encode a page"));
  }
}

arrow::Result<int> DataFileWriter::AddGlobalBuffer(const arrow::Buffer& bytes) {
  ARROW_RETURN_NOT_OK(impl_->CheckOpen());
  auto number = impl_->AddGlobalBuffer(bytes);
  if (!number.ok()) return impl_->Note(number.status());
  return number;
}

void DataFileWriter::AddSchemaMetadata(std::string key, std::string value) {
  impl_->AddSchemaMetadata(std::move(key), std::move(value));
}

uint64_t DataFileWriter::num_rows() const { return impl_->num_rows(); }

uint64_t DataFileWriter::estimated_size_bytes() const { return impl_->estimated_size_bytes(); }

arrow::Result<DataFileSummary> DataFileWriter::Finish() {
  ARROW_RETURN_NOT_OK(impl_->CheckOpen());
  try {
    auto summary = impl_->Finish();
    if (!summary.ok()) return impl_->Note(summary.status());
    return summary;
  } catch (const std::bad_alloc&) {
    return impl_->Note(arrow::Status::OutOfMemory("not enough memory to encode a page"));
  }
}

}  // namespace lance::format
