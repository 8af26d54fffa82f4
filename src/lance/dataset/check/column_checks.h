#pragma once

#include <optional>
#include <vector>

#include "arrow/status.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_reader.h"

namespace lance::check {

/// What the check of a fragment's values needs to know. Borrows what it points to.
struct ColumnsCheck {
  const Dataset::Impl& dataset;
  FragmentReader* reader;
  /// Whether the rows of each file can be read; columns of others are left out.
  const std::vector<bool>& good_files;
  /// Rows that are not deleted; no value: not known.
  const std::optional<RowRanges>& live;
  RunContext run;
};

/// Read every value of a fragment, some MiB at a time: pages decode, arrays are valid (offsets,
/// UTF-8, dictionary indices), required columns have no nulls, blobs are there, and the zones in
/// the data files bound the values.
///
/// \return what stops the check
arrow::Status CheckColumns(const ColumnsCheck& check, Findings* findings);

}  // namespace lance::check
