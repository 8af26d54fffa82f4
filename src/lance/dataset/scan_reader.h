#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/record_batch.h"
#include "arrow/result.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/prune_plan.h"
#include "lance/dataset/read_fields.h"
#include "lance/dataset/scanner_impl.h"
#include "lance/dataset/system_column_reader.h"
#include "lance/io/stores.h"

namespace lance {

/// Reads a scan batch by batch, fragments in manifest order, rows by offset. Thread-compatible.
///
/// Filter columns are read first, the others only for the rows that pass.
class ScanReader : public arrow::RecordBatchReader {
 public:
  /// What the reader is for.
  enum class Purpose { kRows, kCount, kExplain };

  /// Start a scan. Batches of a count have no columns; an explanation counts zones by leaf.
  static arrow::Result<std::shared_ptr<ScanReader>> Make(std::shared_ptr<const Scanner::Impl> scan,
                                                         const RunContext& run,
                                                         Purpose purpose = Purpose::kRows);

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override;
  arrow::Status Close() override;

  const ScanStatistics& statistics() const { return statistics_; }
  const FragmentPruner* pruner() const { return pruner_ ? &*pruner_ : nullptr; }

  /// Prune the next fragments without reading rows, to the end; for Explain.
  arrow::Status PruneAll(uint64_t* rows_kept);

 private:
  ScanReader() = default;

  arrow::Status NextFragment();
  arrow::Status ReadUnit();
  /// Rows of the fragment at hand with the columns that were read for them so far.
  struct Selected {
    RowRanges rows;
    std::shared_ptr<arrow::RecordBatch> filter_columns;  // null: no filter
  };
  arrow::Result<Selected> ApplyFilter(RowRanges rows);
  /// Leave out rows before the offset and beyond the limit.
  arrow::Result<Selected> ApplyOffsetAndLimit(Selected selected);
  static Selected Slice(const Selected& selected, uint64_t begin, uint64_t end);
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadOutput(const Selected& selected);
  /// Read what the output is made of, by the names of the table.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadSources(const Selected& selected);
  /// The values of a system column, for deleted rows as the scan gives them.
  arrow::Result<std::shared_ptr<arrow::Array>> ReadSystemColumn(SystemColumn column,
                                                                const RowRanges& rows);
  /// Read the output of selected rows, in as many arrays as it takes.
  ///
  /// \param is_whole_unit no row of the unit was left out
  arrow::Status AddOutput(const Selected& selected, bool is_whole_unit);
  uint64_t RowsPerUnit() const;
  void UpdateStatistics();
  /// Add what indices that name rows cost.
  void AddSearches(const SearchCounters& search);

  std::shared_ptr<const Scanner::Impl> scan_;
  RunContext run_;
  std::shared_ptr<IoCounters> counters_ = std::make_shared<IoCounters>();
  std::shared_ptr<ObjectStore> store_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<OutputColumn> columns_;
  std::optional<FragmentPruner> pruner_;

  std::vector<const format::FieldNode*> needed_fields_;  // of the scan's sources
  std::vector<uint64_t> first_row_offsets_;  // by position in the manifest; empty: not needed
  size_t next_fragment_ = 0;                 // of the scan's
  std::unique_ptr<FragmentReader> fragment_;
  std::optional<SystemColumnReader> system_columns_;  // of the fragment
  std::deque<RowRange> rows_left_;                    // of the fragment at hand
  UnitSize unit_size_;
  uint64_t rows_to_skip_ = 0;
  std::optional<uint64_t> rows_to_return_;
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
  bool is_closed_ = false;

  ScanStatistics statistics_;
  std::chrono::nanoseconds started_{};
};

}  // namespace lance
