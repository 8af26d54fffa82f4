#include "lance/dataset/curve_order.h"

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "lance/clustering/sort_rows.h"

namespace lance {

arrow::Result<std::shared_ptr<arrow::Table>> SortInCurveOrder(
    const std::shared_ptr<arrow::Table>& rows, const ClusteringSpec& spec,
    const std::shared_ptr<arrow::ChunkedArray>& positions, const RunContext& run) {
  std::shared_ptr<arrow::ChunkedArray> ordinals = positions;
  if (ordinals == nullptr) {
    ARROW_ASSIGN_OR_RAISE(ordinals, clustering::ConsecutivePositions(0, rows->num_rows()));
  }
  ARROW_ASSIGN_OR_RAISE(auto sorted,
                        clustering::ClusterSort(*rows, spec.columns, spec, *ordinals, run));
  return std::move(sorted.table);
}

arrow::Result<std::shared_ptr<arrow::Table>> CollectInMemory(
    arrow::RecordBatchReader& reader, const RunContext& run,
    std::vector<MemoryReservation>* reservations) {
  arrow::RecordBatchVector batches;
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) break;
    if (run.memory_budget != nullptr) {
      // Twice: the rows as they arrived and as they are sorted.
      const auto bytes = 2 * static_cast<uint64_t>(arrow::util::TotalBufferSize(*batch));
      ARROW_ASSIGN_OR_RAISE(auto part, run.memory_budget->Reserve(bytes, "a sorted write"));
      reservations->push_back(std::move(part));
    }
    batches.push_back(std::move(batch));
  }
  return arrow::Table::FromRecordBatches(reader.schema(), batches);
}

}  // namespace lance
