#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/scan.h"

namespace lance {

/// A part of a scan that runs anywhere: the table's place, its version, what to read, and which
/// rows. Immutable.
class ScanTask {
 public:
  /// The place of the table, to open a handle of it.
  const std::string& table_uri() const;
  /// The version that was planned.
  uint64_t read_version() const;
  /// At most so many rows are read, and come out; exactly so many without a filter and deletions.
  uint64_t num_rows() const;
  /// Bytes of the data files by the share of these rows: an estimate that ignores columns.
  uint64_t num_bytes() const;
  /// The fragments that it reads rows of, in the order of the scan.
  const std::vector<uint64_t>& fragment_ids() const;

  /// Read its rows, in the order of the scan.
  ///
  /// \param dataset any handle of the table: the planned version is checked out
  /// \return Invalid when that version is not the one that was planned
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Execute(
      const Dataset& dataset, const CallOptions& call = {}) const;

  /// Tagged, versioned and checksummed bytes, which only this library reads.
  arrow::Result<std::string> Serialize() const;
  /// Read what Serialize gave. \return SerializationError; NotImplemented for a later format
  static arrow::Result<ScanTask> Parse(std::string_view bytes);

  /// The inside; for the library only.
  struct Impl;
  /// Wrap an inside; for the library only.
  explicit ScanTask(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// How to cut a scan. A plain value.
struct ScanPlanOptions {
  /// About so many rows per task; 1 or more.
  uint64_t target_rows_per_task = 1 << 20;
};

/// A scan in parts. A plain value.
struct ScanPlan {
  /// The version that the tasks read.
  uint64_t read_version = 0;
  /// Disjoint parts. One after the other they give what the scan gives, in its order.
  std::vector<ScanTask> tasks;
};

/// Cut a scan into tasks. Reads indices and seeds, no data: what they rule out is in no task.
///
/// \return Invalid for options with order_by, limit or offset, which are the engine's to apply
arrow::Result<ScanPlan> PlanScan(const Dataset& dataset, const ScanOptions& options,
                                 const ScanPlanOptions& plan_options = {},
                                 const CallOptions& call = {});

}  // namespace lance
