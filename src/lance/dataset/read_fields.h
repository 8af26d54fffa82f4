#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/memory_budget.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/format/data_file_reader.h"

namespace lance {

/// The order in which to read fields at the same time: texts and nested fields first, lest the last
/// thread begins with one when others are done.
std::vector<size_t> SlowestFirst(const std::vector<const format::FieldNode*>& fields);

/// Read rows of several fields of a data file, in parallel. Blobs come as payloads.
arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> ReadFields(
    const format::DataFileReader& file, const format::ColumnMap& columns,
    const std::vector<format::FieldNode>& fields, const RowRanges& rows, const RunContext& run);

/// Says how many rows to read and decode at once, so that they take some MiB in memory, whatever a
/// row takes. Thread-compatible.
class UnitSize {
 public:
  /// \param stored_bytes_per_row bytes of a row on storage, where it seldom takes more; counts
  ///   until Note
  /// \return 1 or more
  uint64_t Rows(uint64_t stored_bytes_per_row) const;

  /// The same within a budget, of which the rows are given their share. Where there is little room
  /// they are few; there are always some, lest a scan cannot go on.
  ///
  /// \param most_rows 1 or more
  /// \param budget null: no bound
  uint64_t Reserve(uint64_t stored_bytes_per_row, uint64_t most_rows, MemoryBudget* budget,
                   MemoryReservation* memory) const;

  /// The same for rows that need not be read yet: three quarters of the budget are left to others,
  /// who may be those that the rows are for. \return 0 where there is no room
  uint64_t ReserveMore(uint64_t stored_bytes_per_row, uint64_t most_rows, MemoryBudget* budget,
                       MemoryReservation* memory) const;

  /// Learn from rows that were read what they take in memory.
  void Note(const arrow::RecordBatch& rows);

 private:
  /// Take what so many rows need, on storage and decoded. \return whether there was room
  bool Take(uint64_t rows, uint64_t stored_bytes_per_row, MemoryBudget* budget,
            MemoryReservation* memory) const;

  std::optional<uint64_t> bytes_per_row_;
};

/// How rows in any order, with repeats, come from rows read once in ascending order.
struct TakePlan {
  RowRanges rows;
  /// For each row asked for, its place among `rows`. No value: they are `rows` already.
  std::optional<std::vector<int64_t>> places;
};

/// Plan a take of rows by position.
TakePlan PlanTake(const std::vector<uint64_t>& rows);

/// Put columns that were read for plan.rows into the order asked for.
arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> ReorderTaken(
    const TakePlan& plan, std::vector<std::shared_ptr<arrow::Array>> columns,
    const RunContext& run);

/// The rows of a batch at these places, in this order; repeats are fine. \pre the places are there
arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const arrow::RecordBatch& rows,
                                                            const std::vector<int64_t>& places,
                                                            const RunContext& run);

}  // namespace lance
