#include "lance/format/data_file_writer.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "arrow/api.h"
#include "arrow/io/interfaces.h"
#include "lance/base/byte_reader.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/format/conform.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/encode/recycling_pool.h"
#include "lance/format/field_tree.h"
#include "lance/format/field_writer.h"
#include "lance/format/footer.h"

namespace lance::format {
namespace {

constexpr char kPadByte = 'H';  // what the reference pads files with; readers ignore it

// Blocks of memory that are kept for the next pages, in pages.
constexpr uint64_t kUnusedPages = 6;

// Larger pages would only cost memory; the bound keeps sums of sizes far from wrapping.
constexpr uint64_t kMaxPageBytes = uint64_t{1} << 30;

/// Keeps track of the position in the file. Thread-compatible.
class AlignedOutput : public PageSink {
 public:
  explicit AlignedOutput(std::shared_ptr<arrow::io::OutputStream> out) : out_(std::move(out)) {}

  uint64_t position() const { return position_; }

  arrow::Status Append(std::string_view bytes) {
    if (bytes.empty()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(out_->Write(bytes.data(), static_cast<int64_t>(bytes.size())));
    position_ += bytes.size();
    return arrow::Status::OK();
  }

  /// Write a buffer and pad the file to the next aligned position.
  arrow::Result<ByteRange> AppendBuffer(std::string_view bytes) override {
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

/// Keeps a field's buffers until they are written in the order of the fields, so that fields can be
/// encoded at the same time and the file does not depend on who is first.
///
/// The ranges that it gives name buffers by their number, not by their position.
class ParkedBuffers : public PageSink {
 public:
  arrow::Result<ByteRange> AppendBuffer(std::string_view bytes) override {
    ByteBuffer copy;
    copy.Append(AsBytes(bytes));
    return AppendOwned(std::move(copy));
  }

  arrow::Result<ByteRange> AppendOwned(ByteBuffer bytes) override {
    parked_.push_back(std::move(bytes));
    return ByteRange{positions_.size() + parked_.size() - 1, parked_.back().size()};
  }

  /// Write what is parked.
  arrow::Status Drain(AlignedOutput* out) {
    for (const ByteBuffer& bytes : parked_) {
      ARROW_ASSIGN_OR_RAISE(
          const ByteRange range,
          out->AppendBuffer({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
      positions_.push_back(range.offset);
    }
    parked_.clear();
    return arrow::Status::OK();
  }

  /// Put positions in the place of numbers. \pre all is drained
  void Resolve(ColumnMetadata* column) const {
    for (PageMetadata& page : column->pages) {
      for (ByteRange& buffer : page.buffers) buffer.offset = positions_[buffer.offset];
    }
  }

 private:
  std::vector<ByteBuffer> parked_;
  std::vector<uint64_t> positions_;
};

/// One top-level field being written.
struct OpenField {
  FieldNode node;
  /// Blobs are written through: their descriptors hold positions.
  bool writes_through = false;
  ParkedBuffers parked;
  std::unique_ptr<FieldWriter> writer;
};

bool HasBlob(const FieldNode& node) {
  return node.kind == FieldKind::kBlob || std::ranges::any_of(node.children, HasBlob);
}

/// Each top-level field's share of the bytes that may be buffered.
uint64_t PageBytes(const DataFileWriterOptions& options, size_t num_fields) {
  uint64_t bytes = options.max_page_bytes;
  if (options.data_cache_bytes && num_fields > 0) {
    bytes = std::min(bytes, *options.data_cache_bytes / num_fields);
  }
  return std::clamp(bytes, uint64_t{1}, kMaxPageBytes);
}

}  // namespace

/// The state of a file being written.
class DataFileWriter::Impl {
 public:
  Impl(std::shared_ptr<arrow::io::OutputStream> out, LanceSchema schema,
       const DataFileWriterOptions& options)
      : out_(std::move(out)),
        schema_(std::move(schema)),
        version_(options.version),
        num_threads_(options.num_threads),
        pool_(options.memory_pool, kUnusedPages * PageBytes(options, schema_.fields.size())) {}

  arrow::Status Prepare(const DataFileWriterOptions& options) {
    ARROW_ASSIGN_OR_RAISE(auto nodes, MakeFieldTree(schema_));
    column_numbers_ = NumberColumns(nodes, version_);
    const FieldWriterOptions field_options = {.max_page_bytes = PageBytes(options, nodes.size()),
                                              .pool = &pool_};
    fields_.resize(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      fields_[i].node = std::move(nodes[i]);
      const FieldNode& node = fields_[i].node;
      ARROW_RETURN_NOT_OK(CheckWritable(node, version_));
      fields_[i].writes_through = HasBlob(node);
      PageSink* const sink =
          fields_[i].writes_through ? static_cast<PageSink*>(&out_) : &fields_[i].parked;
      auto writer = version_ == FileVersion::k2_0
                        ? v20::MakeFieldWriter(node, field_options, sink)
                        : MakeFieldWriter(node, version_, field_options, sink);
      if (!writer.ok()) return InColumn(writer.status(), node);
      fields_[i].writer = *std::move(writer);
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

  /// Check a batch and give its columns the schema's types.
  arrow::Result<arrow::ArrayVector> CheckBatch(const arrow::RecordBatch& batch) const {
    if (batch.num_columns() != static_cast<int>(fields_.size())) {
      return arrow::Status::Invalid("a batch has ", batch.num_columns(),
                                    " columns, the schema has ", fields_.size());
    }
    if (static_cast<uint64_t>(batch.num_rows()) >
        std::numeric_limits<uint32_t>::max() - num_rows_) {
      return arrow::Status::CapacityError("a data file holds up to 2^32 - 1 rows, ", num_rows_,
                                          " + ", batch.num_rows(), " were to be written");
    }
    arrow::ArrayVector columns;
    for (int i = 0; i < batch.num_columns(); ++i) {
      const FieldNode& node = fields_[i].node;
      ARROW_RETURN_NOT_OK(CheckColumn(node, batch.column_name(i), *batch.column(i)));
      auto column = ConformArray(batch.column(i), node.type, &pool_);
      if (!column.ok()) return InColumn(column.status(), node);
      columns.push_back(*std::move(column));
    }
    return columns;
  }

  arrow::Status Append(const arrow::RecordBatch& batch, const arrow::ArrayVector& columns) {
    ARROW_RETURN_NOT_OK(ForEachField(
        [&](size_t i) -> arrow::Status { return fields_[i].writer->Write(columns[i]); }));
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
    ARROW_RETURN_NOT_OK(
        ForEachField([&](size_t i) -> arrow::Status { return fields_[i].writer->Finish(); }));
    std::vector<ColumnMetadata> columns;
    for (OpenField& field : fields_) {
      for (ColumnMetadata& column : field.writer->TakeColumns()) {
        if (!field.writes_through) field.parked.Resolve(&column);
        columns.push_back(std::move(column));
      }
    }
    ARROW_RETURN_NOT_OK(WriteTail(columns));
    ARROW_RETURN_NOT_OK(out_.Close());
    is_finished_ = true;
    DataFileSummary summary;
    summary.size_bytes = out_.position();
    summary.num_rows = num_rows_;
    summary.minor_version = version_ == FileVersion::k2_0   ? 0
                            : version_ == FileVersion::k2_1 ? 1
                                                            : 2;
    for (const SchemaField& field : schema_.fields) {
      const auto column = column_numbers_.find(field.id);
      if (column == column_numbers_.end()) continue;
      summary.field_ids.push_back(field.id);
      summary.column_indices.push_back(column->second);
    }
    return summary;
  }

  void AddSchemaMetadata(std::string key, std::string value) {
    schema_.metadata[std::move(key)] = std::move(value);
  }

  uint64_t num_rows() const { return num_rows_; }

  uint64_t estimated_size_bytes() const {
    uint64_t size = out_.position();
    for (const OpenField& field : fields_) size += field.writer->pending_bytes();
    return size;
  }

 private:
  /// Run a step of every field, several at once, and write what it made in the order of the fields.
  template <typename Step>
  arrow::Status ForEachField(const Step& step) {
    std::vector<size_t> parallel;
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (!fields_[i].writes_through) parallel.push_back(i);
    }
    ARROW_RETURN_NOT_OK(ParallelFor(static_cast<int>(parallel.size()), num_threads_,
                                    arrow::StopToken::Unstoppable(), [&](int task) {
                                      const size_t i = parallel[static_cast<size_t>(task)];
                                      return InColumn(step(i), fields_[i].node);
                                    }));
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].writes_through) ARROW_RETURN_NOT_OK(InColumn(step(i), fields_[i].node));
      ARROW_RETURN_NOT_OK(fields_[i].parked.Drain(&out_));
    }
    return arrow::Status::OK();
  }

  static arrow::Status InColumn(const arrow::Status& status, const FieldNode& node) {
    return WithContext(status, "column \"" + node.name + "\"");
  }

  static arrow::Status CheckColumn(const FieldNode& node, const std::string& name,
                                   const arrow::Array& array) {
    if (name != node.name) {
      return arrow::Status::Invalid("a batch has column \"", name, "\" in the place of \"",
                                    node.name, "\"");
    }
    if (!node.nullable && array.null_count() > 0) {
      return arrow::Status::Invalid("column \"", name, "\" is not nullable and has ",
                                    array.null_count(), " nulls in a batch");
    }
    return arrow::Status::OK();
  }

  /// Write the descriptor, the column metadata, both tables and the footer.
  arrow::Status WriteTail(const std::vector<ColumnMetadata>& columns) {
    const std::string descriptor = SerializeDescriptor(schema_, num_rows_);
    std::string buffer_table;
    AppendTableEntry({out_.position(), descriptor.size()}, &buffer_table);
    for (const ByteRange& buffer : global_buffers_) AppendTableEntry(buffer, &buffer_table);
    ARROW_RETURN_NOT_OK(out_.Append(descriptor));
    Footer footer;
    footer.set_version(version_);
    footer.column_metadata_start = out_.position();
    std::string column_table;
    for (const ColumnMetadata& column : columns) {
      const std::string bytes = SerializeColumnMetadata(column, version_);
      AppendTableEntry({out_.position(), bytes.size()}, &column_table);
      ARROW_RETURN_NOT_OK(out_.Append(bytes));
    }
    footer.column_table_start = out_.position();
    footer.buffer_table_start = footer.column_table_start + column_table.size();
    footer.num_global_buffers = static_cast<uint32_t>(global_buffers_.size() + 1);
    footer.num_columns = static_cast<uint32_t>(columns.size());
    std::string tail = column_table + buffer_table;
    AppendFooter(footer, &tail);
    return out_.Append(tail);
  }

  AlignedOutput out_;
  LanceSchema schema_;
  FileVersion version_;
  int num_threads_;
  mutable RecyclingPool pool_;  // thread-safe
  ColumnMap column_numbers_;
  std::vector<OpenField> fields_;
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
  ARROW_RETURN_NOT_OK(impl->Prepare(options));
  return std::unique_ptr<DataFileWriter>(new DataFileWriter(std::move(impl)));
}

arrow::Status DataFileWriter::Write(const arrow::RecordBatch& batch) {
  ARROW_RETURN_NOT_OK(impl_->CheckOpen());
  try {
    ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector columns, impl_->CheckBatch(batch));
    return impl_->Note(impl_->Append(batch, columns));
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
