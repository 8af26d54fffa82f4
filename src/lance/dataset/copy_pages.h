#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset/compaction_impl.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/progress_reporter.h"

namespace lance {

/// What copying the pages of a task's sources gave. A plain value.
struct CopiedPages {
  /// Why nothing was copied; "": something was.
  std::string obstacle;
  std::vector<table::Fragment> outputs;  // ids 0
  uint64_t num_rows = 0;
  uint64_t bytes_read = 0;
};

/// Copy whole data files of a task's sources behind each other into new ones (table-format 10.1
/// "binary copy").
///
/// Not possible when rows are deleted, a fragment has several files or other columns than the
/// table, there are blobs, or new files get seeds, which only values give.
///
/// \param writing how new files are written
/// \return the files are deleted again on failure, and when there is an obstacle
arrow::Result<CopiedPages> CopyPages(const CompactionTask::Impl& task, const Dataset::Impl& table,
                                     const FragmentWriterOptions& writing, const RunContext& run,
                                     ProgressReporter* progress);

}  // namespace lance
