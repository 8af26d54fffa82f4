#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/read_fields.h"
#include "lance/dataset/scanner_impl.h"

namespace lance {

/// Rows of a version, by fragment. A plain value.
struct LocatedRows {
  /// For each row asked for, its place among `fragments`' rows in order.
  TakePlan plan;
  /// By position in the manifest: the offsets wanted of a fragment.
  std::map<size_t, RowRanges> fragments;
  /// As table::FirstRowOffsets of the version's fragments.
  std::vector<uint64_t> first_row_offsets;
};

/// Find rows. \return IndexError naming one that is not there
arrow::Result<LocatedRows> LocateRows(const Dataset::Impl& dataset, const TakeRequest& request,
                                      const RunContext& run);

/// Take rows with the columns of a scan, whatever else it asks for.
arrow::Result<std::shared_ptr<arrow::Table>> TakeForScan(const Scanner::Impl& scan,
                                                         const TakeRequest& request,
                                                         const RunContext& run);

}  // namespace lance
