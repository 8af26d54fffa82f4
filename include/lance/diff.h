#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/history.h"

namespace lance {

/// Which versions to compare. A plain value.
struct DiffRequest {
  /// The older version; 0: before the first.
  uint64_t begin_version = 0;
  /// The newer version.
  uint64_t end_version = 0;
  /// Whether to read what was committed between them, one manifest for each version. Without,
  /// `Diff::transactions` is empty and nobody is told of restores.
  bool with_transactions = true;
};

/// What is different between two versions. Each reader can be read once.
///
/// Rows come as they are in the newer version, with all columns and `_rowid`,
/// `_row_created_at_version` and `_row_last_updated_at_version` behind them.
struct Diff {
  /// Rows that were created behind the older version.
  std::shared_ptr<arrow::RecordBatchReader> inserted;
  /// Rows of the older version that were changed since.
  std::shared_ptr<arrow::RecordBatchReader> updated;
  /// `_rowid` of the rows of the older version that are gone, ascending. Its first batch fails when
  /// the older version is not there any more.
  std::shared_ptr<arrow::RecordBatchReader> deleted_row_ids;
  /// What was committed between them and is still there, oldest first.
  std::vector<HistoryEntry> transactions;
};

/// Compare two versions of a table with stable row ids.
///
/// A row tells itself when it was created and last changed. What a Restore between the two versions
/// brought back has its old versions, and is neither inserted nor updated; the call's observer is
/// told so.
///
/// \return NotImplemented + UnsupportedFeature without stable row ids; Invalid when the older
///   version is the newer one; KeyError + NotFound{version} when the newer one is not there
arrow::Result<Diff> DiffVersions(const Dataset& dataset, const DiffRequest& request,
                                 const CallOptions& call = {});

}  // namespace lance
