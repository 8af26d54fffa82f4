#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/memory_budget.h"
#include "lance/base/run_context.h"
#include "lance/index/ordered_value.h"

namespace lance::index {

/// Rows in the order of a BTree are batches of two columns: `value` and `row` (uint64).
std::shared_ptr<arrow::Schema> ValueRowSchema(const std::shared_ptr<arrow::DataType>& type);

/// The place of a value in a BTree: null is lowest, and NaNs of one sign are told apart by their
/// bits, as the total order of floats does (zonemap-and-indices 6.1). Borrows the array.
OrderedValue SortKey(const arrow::Array& values, int64_t row);

/// Gets rows in order, piece by piece.
using SortedRowsSink = std::function<arrow::Status(const arrow::RecordBatch&)>;

/// Merge sources of rows in order into one.
///
/// Holds a batch of every source and some megabytes of output. Rows of equal values come in the
/// order of the sources.
arrow::Status MergeSortedRows(const std::vector<std::shared_ptr<arrow::RecordBatchReader>>& sources,
                              const std::shared_ptr<arrow::DataType>& type, const RunContext& run,
                              const SortedRowsSink& sink);

/// Sorts rows by value, those of equal values as they came, with bounded memory: what is sorted is
/// put on disk when it takes too much. Thread-compatible.
class ValueSorter {
 public:
  /// Rows that are sorted in memory take so many bytes before.
  static constexpr uint64_t kMaxRunBytes = 64ull << 20;

  ValueSorter(std::shared_ptr<arrow::DataType> type, const RunContext& run,
              uint64_t max_run_bytes = kMaxRunBytes);

  /// Add rows as ValueRowSchema has them.
  ///
  /// \return CapacityError when the memory budget does not suffice for even one run
  arrow::Status Add(const arrow::RecordBatch& rows);

  /// Sources for MergeSortedRows; nothing can be added any more.
  arrow::Result<std::vector<std::shared_ptr<arrow::RecordBatchReader>>> Finish();

 private:
  using Reader = std::shared_ptr<arrow::RecordBatchReader>;

  arrow::Status AddPiece(std::shared_ptr<arrow::RecordBatch> piece);
  arrow::Result<bool> ReserveFor(uint64_t size_bytes, int64_t num_rows);
  arrow::Result<Reader> SortPending();
  arrow::Status Spill(const std::vector<Reader>& sources, size_t level);
  arrow::Status SpillPending();

  std::shared_ptr<arrow::DataType> type_;
  RunContext run_;
  uint64_t max_run_bytes_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> pending_;
  uint64_t pending_bytes_ = 0;
  int64_t pending_rows_ = 0;
  std::vector<MemoryReservation> reservations_;  // of what is pending
  // Runs on disk; those of a higher level, each merged from several, have the earlier rows.
  std::vector<std::vector<Reader>> spilled_;
};

}  // namespace lance::index
