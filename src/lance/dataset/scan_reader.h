#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "arrow/record_batch.h"
#include "arrow/result.h"
#include "lance/base/executor.h"
#include "lance/base/memory_budget.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/fragment_screen.h"
#include "lance/dataset/prune_plan.h"
#include "lance/dataset/read_fields.h"
#include "lance/dataset/scanner_impl.h"
#include "lance/dataset/system_column_reader.h"
#include "lance/io/stores.h"

namespace lance {

/// One fragment of a scan, opened. Thread-safe.
class ScanFragment {
 public:
  ScanFragment(std::shared_ptr<ObjectStore> store, const table::Fragment& fragment,
               bool has_stable_row_ids, const RunContext& run)
      : reader_(std::move(store), fragment, run),
        system_columns_(&reader_, has_stable_row_ids, run) {}

  FragmentReader& reader() { return reader_; }
  const table::Fragment& fragment() const { return reader_.fragment(); }
  /// See SystemColumnReader.
  void set_first_row_offset(uint64_t offset) { system_columns_.set_first_row_offset(offset); }
  arrow::Result<std::shared_ptr<arrow::Array>> ReadSystemColumn(SystemColumn column,
                                                                const RowRanges& rows) {
    const std::lock_guard lock(mutex_);
    return system_columns_.Read(column, rows);
  }

 private:
  FragmentReader reader_;
  std::mutex mutex_;
  SystemColumnReader system_columns_;
};

/// Reads a scan batch by batch, fragments in manifest order, rows by offset. Thread-compatible.
///
/// Rows are read in units of some MiB: the filter's columns first, the others only for the rows
/// that pass. A few units are read ahead by other threads, as many as the memory budget has room
/// for.
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
  ~ScanReader() override;

  const ScanStatistics& statistics() const { return statistics_; }
  const FragmentPruner* pruner() const { return pruner_ ? &*pruner_ : nullptr; }

  /// Prune the next fragments without reading rows, to the end; for Explain.
  arrow::Status PruneAll(uint64_t* rows_kept);

 private:
  ScanReader() = default;

  arrow::Status NextFragment();
  /// Rows of a fragment with the columns that were read for them so far.
  struct Selected {
    RowRanges rows;
    std::shared_ptr<arrow::RecordBatch> filter_columns;  // those of the output; null: no filter
    /// Where the rows lie among others of which all values are read first; no value: nowhere.
    struct Among {
      RowRanges rows;
      std::shared_ptr<arrow::BooleanArray> mask;
    };
    std::optional<Among> among;
  };
  /// Rows that are read at once, and what has become of them.
  struct Unit {
    std::shared_ptr<ScanFragment> fragment;
    RowRanges rows;
    MemoryReservation memory;
    std::shared_ptr<AheadTask> task;  // null: read when it is wanted
    Selected selected;
    arrow::RecordBatchVector output;
  };
  /// Plan the next unit. \return null: there is none
  arrow::Result<std::unique_ptr<Unit>> NextUnit();
  /// Plan units ahead of the one that is wanted, and have them read, as far as nothing failed.
  void PlanAhead();
  /// How many rows the next unit may have.
  uint64_t MostRowsOfUnit(uint64_t bytes_per_row) const;
  /// How many units may be planned, the one that is wanted included.
  size_t MostUnits() const;
  /// What is left of the fragment, shared among the units that may still be planned.
  uint64_t ShareOfRowsLeft() const;
  /// Read a unit as far as that does not depend on those before it.
  arrow::Status Read(Unit* unit) const;
  /// Wait for the first unit that was planned and make its rows ready.
  arrow::Status TakeUnit();
  /// Make a unit's output ready, in batches.
  void AddBatches(const Unit& unit);
  /// Let nothing be read ahead any more.
  void StopAhead();

  arrow::Result<Selected> ApplyFilter(ScanFragment* fragment, RowRanges rows) const;
  /// Leave out rows before the offset and beyond the limit.
  arrow::Result<Selected> ApplyOffsetAndLimit(Selected selected);
  static Selected Slice(const Selected& selected, uint64_t begin, uint64_t end);
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadOutput(ScanFragment* fragment,
                                                                const Selected& selected) const;
  /// Read columns of the output that the filter did not need.
  arrow::Result<arrow::ArrayVector> ReadMissing(FragmentReader* reader,
                                                const std::vector<const format::FieldNode*>& fields,
                                                const Selected& selected) const;
  /// Read what the output is made of, by the names of the table.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadSources(ScanFragment* fragment,
                                                                 const Selected& selected) const;
  /// The values of a system column, for deleted rows as the scan gives them.
  arrow::Result<std::shared_ptr<arrow::Array>> ReadSystemColumn(ScanFragment* fragment,
                                                                SystemColumn column,
                                                                const RowRanges& rows) const;
  /// Read the output of selected rows, in as many arrays as it takes.
  arrow::Status ReadOutputs(ScanFragment* fragment, const Selected& selected,
                            arrow::RecordBatchVector* output) const;
  uint64_t BytesPerStoredRow() const;
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
  std::optional<FragmentScreen> screen_;

  std::vector<const format::FieldNode*> needed_fields_;  // of the scan's sources
  std::vector<uint64_t> first_row_offsets_;  // by position in the manifest; empty: not needed
  size_t next_fragment_ = 0;                 // of the scan's
  std::shared_ptr<ScanFragment> fragment_;   // at hand: of the next unit
  std::deque<RowRange> rows_left_;           // of the fragment at hand
  UnitSize unit_size_;
  std::deque<std::unique_ptr<Unit>> units_;  // planned, in the order of their rows
  uint64_t units_taken_ = 0;
  arrow::Status failed_;  // of the first unit that is not in units_; nothing comes after it
  uint64_t rows_to_skip_ = 0;
  std::optional<uint64_t> rows_to_return_;
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
  bool is_closed_ = false;

  ScanStatistics statistics_;
  std::chrono::nanoseconds started_{};
};

}  // namespace lance
