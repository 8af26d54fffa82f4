#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lance/base/row_ranges.h"
#include "lance/scan_plan.h"

namespace lance {

/// Rows of one fragment that a task reads. A plain value.
struct ScanTaskPart {
  uint64_t fragment_id = 0;
  /// Of its first data file; tells fragments of other tables. "": it has none.
  std::string file_path;
  RowRanges rows;  // not empty; deleted ones may be among them
};

/// The inside of a task. Immutable.
struct ScanTask::Impl {
  std::string table_uri;
  std::string branch;  // "": the main one
  uint64_t read_version = 0;
  /// What each task has in common; which rows are read is said by the parts alone.
  ScanOptions options;
  std::vector<ScanTaskPart> parts;     // of different fragments
  std::vector<uint64_t> fragment_ids;  // of the parts
  uint64_t num_rows = 0;
  uint64_t num_bytes = 0;
};

}  // namespace lance
