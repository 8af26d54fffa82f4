#pragma once

#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/memory_budget.h"
#include "lance/base/run_context.h"
#include "lance/clustering.h"

namespace lance {

/// Put rows into curve order, in memory (contract section 4).
///
/// \param positions one UInt64 per row: row addresses of a rewrite; null: ordinals of a write
/// \return the same rows; those with equal keys keep their order
arrow::Result<std::shared_ptr<arrow::Table>> SortInCurveOrder(
    const std::shared_ptr<arrow::Table>& rows, const ClusteringSpec& spec,
    const std::shared_ptr<arrow::ChunkedArray>& positions, const RunContext& run);

/// Collect a stream in memory, holding its bytes against the call's budget.
///
/// \return CapacityError + OverBudget naming the budget when the rows do not fit
arrow::Result<std::shared_ptr<arrow::Table>> CollectInMemory(
    arrow::RecordBatchReader& reader, const RunContext& run,
    std::vector<MemoryReservation>* reservations);

}  // namespace lance
