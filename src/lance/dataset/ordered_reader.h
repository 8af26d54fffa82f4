#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arrow/record_batch.h"
#include "arrow/result.h"
#include "lance/base/growing_memory.h"
#include "lance/dataset/scan_reader.h"

namespace lance {

/// Check that a version can be sorted so. \return KeyError or NotImplemented naming a column
arrow::Status CheckOrdering(const Dataset::Impl& dataset,
                            const std::vector<ColumnOrdering>& order_by);

/// Reads a scan whole, sorts it, and gives it batch by batch. Thread-compatible.
///
/// With a limit only the columns to sort by are read of all rows, and no more rows are held than
/// are needed; the others are taken for the rows that are returned. Without a filter, statistics
/// tell which zones can hold them, and only those are read.
class OrderedReader : public arrow::RecordBatchReader {
 public:
  /// Start a scan that has an order. Nothing but statistics is read before the first batch.
  static arrow::Result<std::shared_ptr<OrderedReader>> Make(
      std::shared_ptr<const Scanner::Impl> scan, const RunContext& run);

  std::shared_ptr<arrow::Schema> schema() const override { return scan_->schema; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override;
  arrow::Status Close() override;

  const ScanStatistics& statistics() const { return statistics_; }

 private:
  explicit OrderedReader(const RunContext& run)
      : run_(run), memory_(run.memory_budget, "a scan with an order") {}

  /// Read the rows that are returned, in order, with the columns of rows_.
  arrow::Result<std::shared_ptr<arrow::Table>> ReadSorted();
  /// Read and sort everything, as a table of the output's columns.
  arrow::Result<std::shared_ptr<arrow::Table>> ReadAll();
  /// What is left of a sorted table by offset and limit.
  std::shared_ptr<arrow::Table> Cut(const std::shared_ptr<arrow::Table>& table) const;

  std::shared_ptr<const Scanner::Impl> scan_;
  RunContext run_;
  std::shared_ptr<ScanReader> rows_;
  std::optional<uint64_t> most_rows_;  // that can be among the result; no value: all
  bool takes_late_ = false;            // rows_ has `_rowaddr` and the columns to sort by
  std::shared_ptr<arrow::RecordBatchReader> batches_;
  std::shared_ptr<arrow::Table> sorted_;  // what batches_ borrows
  GrowingMemory memory_;                  // of the rows that are held
  ScanStatistics statistics_;
  bool is_closed_ = false;
};

}  // namespace lance
