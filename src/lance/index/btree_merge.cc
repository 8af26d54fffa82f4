#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/index/btree_sort.h"

namespace lance::index {
namespace {

/// Rows and bytes of strings that make a batch of output.
constexpr int64_t kMaxBatchRows = 4096;
constexpr uint64_t kMaxBatchBytes = 8ull << 20;

/// Where the merge is in one source.
class Cursor {
 public:
  explicit Cursor(arrow::RecordBatchReader* source) : source_(source) {}

  /// Go to a row that is `count` after; into the next batch behind the last one.
  arrow::Status Advance(int64_t count) {
    row_ += count;
    while (batch_ == nullptr || row_ >= batch_->num_rows()) {
      ARROW_RETURN_NOT_OK(source_->ReadNext(&batch_));
      row_ = 0;
      if (batch_ == nullptr) return arrow::Status::OK();
    }
    if (row_ == 0) values_ = batch_->column(0);
    key_ = SortKey(*values_, row_);
    return arrow::Status::OK();
  }

  bool is_at_end() const { return batch_ == nullptr; }
  const OrderedValue& key() const { return key_; }
  const arrow::RecordBatch& batch() const { return *batch_; }
  const arrow::Array& values() const { return *values_; }
  int64_t row() const { return row_; }

 private:
  arrow::RecordBatchReader* source_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::shared_ptr<arrow::Array> values_;
  int64_t row_ = 0;
  OrderedValue key_;
};

/// Puts rows of several batches together.
class Output {
 public:
  static arrow::Result<Output> Make(const std::shared_ptr<arrow::DataType>& type,
                                    const RunContext& run, const SortedRowsSink* sink) {
    arrow::MemoryPool* pool = run.pool();
    Output output(type, sink);
    ARROW_RETURN_NOT_OK(arrow::MakeBuilder(pool, type, &output.values_));
    output.rows_ = std::make_unique<arrow::UInt64Builder>(pool);
    return output;
  }

  bool is_full() const { return rows_->length() >= kMaxBatchRows || bytes_ >= kMaxBatchBytes; }

  /// \param bytes of the values, as far as they are strings
  arrow::Status Append(const arrow::RecordBatch& batch, int64_t begin, int64_t count,
                       uint64_t bytes) {
    ARROW_RETURN_NOT_OK(values_->AppendArraySlice(*batch.column_data(0), begin, count));
    ARROW_RETURN_NOT_OK(rows_->AppendArraySlice(*batch.column_data(1), begin, count));
    bytes_ += bytes;
    return is_full() ? Flush() : arrow::Status::OK();
  }

  arrow::Status Flush() {
    if (rows_->length() == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto values, values_->Finish());
    ARROW_ASSIGN_OR_RAISE(auto rows, rows_->Finish());
    bytes_ = 0;
    const int64_t num_rows = rows->length();
    return (*sink_)(*arrow::RecordBatch::Make(ValueRowSchema(type_), num_rows,
                                              {std::move(values), std::move(rows)}));
  }

  /// Hand over the rest of a batch as it is.
  arrow::Status PassOn(const arrow::RecordBatch& batch, int64_t begin) {
    ARROW_RETURN_NOT_OK(Flush());
    return (*sink_)(*batch.Slice(begin));
  }

 private:
  Output(std::shared_ptr<arrow::DataType> type, const SortedRowsSink* sink)
      : type_(std::move(type)), sink_(sink) {}

  std::shared_ptr<arrow::DataType> type_;
  const SortedRowsSink* sink_;
  std::unique_ptr<arrow::ArrayBuilder> values_;
  std::unique_ptr<arrow::UInt64Builder> rows_;
  uint64_t bytes_ = 0;
};

/// Whether a cursor's row comes after another's: what std heaps call less. Equal values come in the
/// order of the sources.
bool ComesLater(const Cursor* lhs, const Cursor* rhs) {
  const auto order = lhs->key() <=> rhs->key();
  return order != 0 ? order > 0 : lhs > rhs;
}

/// Append the rows of a cursor that come before those of all others, and advance it.
arrow::Status TakeRun(const Cursor& next, Cursor* cursor, Output* output) {
  const arrow::RecordBatch& batch = cursor->batch();
  const int64_t begin = cursor->row();
  const int64_t most = std::min(batch.num_rows() - begin, kMaxBatchRows);
  uint64_t bytes = cursor->key().bytes.size();
  int64_t count = 1;
  for (; count < most && bytes < kMaxBatchBytes; ++count) {
    const OrderedValue key = SortKey(cursor->values(), begin + count);
    const auto order = key <=> next.key();
    if (order > 0 || (order == 0 && cursor > &next)) break;
    bytes += key.bytes.size();
  }
  ARROW_RETURN_NOT_OK(output->Append(batch, begin, count, bytes));
  return cursor->Advance(count);
}

}  // namespace

arrow::Status MergeSortedRows(const std::vector<std::shared_ptr<arrow::RecordBatchReader>>& sources,
                              const std::shared_ptr<arrow::DataType>& type, const RunContext& run,
                              const SortedRowsSink& sink) {
  ARROW_ASSIGN_OR_RAISE(Output output, Output::Make(type, run, &sink));
  std::vector<Cursor> cursors;
  for (const auto& source : sources) cursors.emplace_back(source.get());
  std::vector<Cursor*> heap;
  for (Cursor& cursor : cursors) {
    ARROW_RETURN_NOT_OK(cursor.Advance(0));
    if (!cursor.is_at_end()) heap.push_back(&cursor);
  }
  std::make_heap(heap.begin(), heap.end(), ComesLater);
  while (!heap.empty()) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    std::pop_heap(heap.begin(), heap.end(), ComesLater);
    Cursor* cursor = heap.back();
    if (heap.size() == 1) {
      ARROW_RETURN_NOT_OK(output.PassOn(cursor->batch(), cursor->row()));
      ARROW_RETURN_NOT_OK(cursor->Advance(cursor->batch().num_rows() - cursor->row()));
    } else {
      ARROW_RETURN_NOT_OK(TakeRun(*heap.front(), cursor, &output));
    }
    if (cursor->is_at_end()) {
      heap.pop_back();
    } else {
      std::push_heap(heap.begin(), heap.end(), ComesLater);
    }
  }
  return output.Flush();
}

}  // namespace lance::index
