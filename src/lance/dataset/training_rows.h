#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/column_values.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/index/scalar_index.h"

namespace lance {

/// What an index is built from.
struct TrainingRequest {
  ColumnValues column;
  std::vector<uint64_t> fragment_ids;  // ascending
  index::RowDomain domain = index::RowDomain::kAddress;
  /// Called with the number of rows that were given so far; may be empty.
  std::function<void(uint64_t)> on_progress;
};

/// The live rows of some fragments in address order, as `value` and `row` (uint64).
///
/// Rows are named by stable ids where the domain says so and the table has them.
///
/// \param dataset outlives the reader
/// Source: zonemap-and-indices 2.5, 6.1
std::shared_ptr<arrow::RecordBatchReader> MakeTrainingRows(const Dataset::Impl& dataset,
                                                           TrainingRequest request,
                                                           const RunContext& run);

}  // namespace lance
