#include "lance/format/data_file_writer.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>
#include <numeric>
#include <ranges>
#include <utility>

#include "arrow/api.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/byte_size.h"
#include "arrow/util/thread_pool.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/format/conform.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/encode/array_size.h"
#include "lance/format/encode/recycling_pool.h"
#include "lance/format/field_tree.h"
#include "lance/format/field_writer.h"
#include "lance/format/file_output.h"

namespace lance::format {
namespace {

// Blocks of memory that are kept for the next pages, in pages.
constexpr uint64_t kUnusedPages = 3;

// Larger pages would only cost memory; the bound keeps sums of sizes far from wrapping.
constexpr uint64_t kMaxPageBytes = uint64_t{1} << 30;

/// Keeps the pages of a field until all fields have got the rows, so that a file does not depend on
/// who is first. Thread-compatible.
class PageQueue : public PageSink {
 public:
  arrow::Result<ByteRange> AppendBuffer(std::string_view) override {
    return arrow::Status::UnknownError("internal: bytes without a page in a queue of pages");
  }

  arrow::Status AppendPage(std::unique_ptr<PendingPage> page) override {
    pages_.push_back(std::move(page));
    return arrow::Status::OK();
  }

  std::vector<std::unique_ptr<PendingPage>> Take() { return std::exchange(pages_, {}); }

 private:
  std::vector<std::unique_ptr<PendingPage>> pages_;
};

/// One top-level field being written.
struct OpenField {
  FieldNode node;
  /// Blobs are written through: their descriptors hold positions.
  bool writes_through = false;
  PageQueue queue;
  std::unique_ptr<FieldWriter> writer;
};

/// A page that waits, and the field that it belongs to.
struct QueuedPage {
  size_t field = 0;
  std::unique_ptr<PendingPage> page;
};

/// Writes pages in their order while they are encoded in another one. Thread-safe.
class PagesInOrder {
 public:
  /// Both outlive it.
  PagesInOrder(std::vector<QueuedPage>* pages, AlignedOutput* out)
      : pages_(*pages), out_(out), is_encoded_(pages->size(), false) {}

  /// Note that a page is encoded, and write what can be written, unless another thread does.
  arrow::Status Write(size_t page) {
    std::unique_lock lock(mutex_);
    is_encoded_[page] = true;
    if (is_writing_) return arrow::Status::OK();
    is_writing_ = true;  // stays so after a failure: nothing more is written
    for (; next_ < pages_.size() && is_encoded_[next_]; ++next_) {
      lock.unlock();
      ARROW_RETURN_NOT_OK(pages_[next_].page->Write(out_));
      pages_[next_].page.reset();
      lock.lock();
    }
    is_writing_ = false;
    return arrow::Status::OK();
  }

 private:
  std::vector<QueuedPage>& pages_;
  AlignedOutput* out_;
  std::mutex mutex_;
  std::vector<bool> is_encoded_;
  size_t next_ = 0;
  bool is_writing_ = false;
};

bool HasBlob(const FieldNode& node) {
  return node.kind == FieldKind::kBlob || std::ranges::any_of(node.children, HasBlob);
}

/// How many pages may wait: one for each thread. More would only take memory.
size_t MaxWaitingPages(int num_threads) {
  const int used = num_threads == 0 ? arrow::GetCpuThreadPoolCapacity() : num_threads;
  return static_cast<size_t>(used);
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
        max_waiting_pages_(MaxWaitingPages(options.num_threads)),
        stop_token_(options.stop_token),
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
          fields_[i].writes_through ? static_cast<PageSink*>(&out_) : &fields_[i].queue;
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
    ARROW_RETURN_NOT_OK(
        ForEachField([&](size_t i) -> uint64_t { return EstimateArrayBytes(*columns[i]->data()); },
                     [&](size_t i) -> arrow::Status {
                       // Not before there is another batch: a table written at once is not copied.
                       ARROW_RETURN_NOT_OK(fields_[i].writer->LetGoOfInput(last_batch_bytes_));
                       return fields_[i].writer->Write(columns[i]);
                     }));
    last_batch_bytes_ = static_cast<uint64_t>(arrow::util::TotalBufferSize(batch));
    num_rows_ += static_cast<uint64_t>(batch.num_rows());
    return pages_.size() < max_waiting_pages_ ? arrow::Status::OK() : WritePages();
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
        ForEachField([&](size_t i) -> uint64_t { return fields_[i].writer->pending_bytes(); },
                     [&](size_t i) -> arrow::Status { return fields_[i].writer->Finish(); }));
    ARROW_RETURN_NOT_OK(WritePages());
    std::vector<ColumnMetadata> columns;
    for (OpenField& field : fields_) {
      std::ranges::move(field.writer->TakeColumns(), std::back_inserter(columns));
    }
    ARROW_ASSIGN_OR_RAISE(DataFileSummary summary, FinishFile({.version = version_,
                                                               .schema = schema_,
                                                               .num_rows = num_rows_,
                                                               .columns = std::move(columns),
                                                               .global_buffers = global_buffers_},
                                                              column_numbers_, &out_));
    is_finished_ = true;
    return summary;
  }

  void AddSchemaMetadata(std::string key, std::string value) {
    schema_.metadata[std::move(key)] = std::move(value);
  }

  uint64_t num_rows() const { return num_rows_; }

  uint64_t estimated_size_bytes() const {
    uint64_t size = out_.position();
    for (const QueuedPage& waiting : pages_) size += waiting.page->size_bytes();
    for (const OpenField& field : fields_) size += field.writer->pending_bytes();
    return size;
  }

 private:
  /// Run a step of every field, several at once, and queue the pages that it made in the order of
  /// the fields. The largest by `bytes` start first, lest the last thread begins with one when
  /// others are done.
  template <typename Bytes, typename Step>
  arrow::Status ForEachField(const Bytes& bytes, const Step& step) {
    std::vector<std::pair<uint64_t, size_t>> by_bytes;
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (!fields_[i].writes_through) by_bytes.emplace_back(bytes(i), i);
    }
    std::ranges::stable_sort(by_bytes, std::ranges::greater{}, &std::pair<uint64_t, size_t>::first);
    ARROW_RETURN_NOT_OK(
        ParallelFor(static_cast<int>(by_bytes.size()), num_threads_, stop_token_, [&](int task) {
          const size_t i = by_bytes[static_cast<size_t>(task)].second;
          return InColumn(step(i), fields_[i].node);
        }));
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].writes_through) ARROW_RETURN_NOT_OK(InColumn(step(i), fields_[i].node));
      for (auto& page : fields_[i].queue.Take()) pages_.push_back({i, std::move(page)});
    }
    return arrow::Status::OK();
  }

  /// Encode the pages that wait, the largest first, several at once, and write them in their order.
  arrow::Status WritePages() {
    std::vector<QueuedPage> pages = std::exchange(pages_, {});
    std::vector<size_t> by_size(pages.size());
    std::iota(by_size.begin(), by_size.end(), size_t{0});
    std::ranges::stable_sort(by_size, std::ranges::greater{},
                             [&](size_t i) { return pages[i].page->size_bytes(); });
    PagesInOrder in_order(&pages, &out_);
    return ParallelFor(static_cast<int>(pages.size()), num_threads_, stop_token_, [&](int task) {
      const size_t i = by_size[static_cast<size_t>(task)];
      const FieldNode& node = fields_[pages[i].field].node;
      ARROW_RETURN_NOT_OK(InColumn(pages[i].page->Encode(), node));
      return InColumn(in_order.Write(i), node);
    });
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

  AlignedOutput out_;
  LanceSchema schema_;
  FileVersion version_;
  int num_threads_;
  size_t max_waiting_pages_;
  arrow::StopToken stop_token_;
  mutable RecyclingPool pool_;  // thread-safe
  ColumnMap column_numbers_;
  std::vector<OpenField> fields_;
  std::vector<QueuedPage> pages_;
  std::vector<ByteRange> global_buffers_;  // without the descriptor
  uint64_t num_rows_ = 0;
  uint64_t last_batch_bytes_ = 0;
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
