#include "lance/dataset/read_fields.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "arrow/util/byte_size.h"
#include "lance/base/executor.h"
#include "lance/dataset/blobs.h"

namespace lance {
namespace {

// A unit takes about so much in memory.
constexpr uint64_t kUnitBytes = 8ull << 20;
// Small units would decode a chunk again and again: rather more bytes, up to a bound, than fewer
// rows.
constexpr uint64_t kMinRows = 1 << 10;
constexpr uint64_t kMaxBytesOfMinRows = 64ull << 20;
constexpr uint64_t kMaxRows = 256 << 10;
// Where the memory budget has no room.
constexpr uint64_t kLeastRows = 256;
// Until it is known what rows take in memory.
constexpr uint64_t kMaxFirstRows = 64 << 10;

}  // namespace

uint64_t UnitSize::Rows(uint64_t stored_bytes_per_row) const {
  const uint64_t row_bytes =
      std::max<uint64_t>(bytes_per_row_ ? *bytes_per_row_ : stored_bytes_per_row, 1);
  const uint64_t least = std::clamp<uint64_t>(kMaxBytesOfMinRows / row_bytes, 1, kMinRows);
  return std::clamp(kUnitBytes / row_bytes, least, bytes_per_row_ ? kMaxRows : kMaxFirstRows);
}

bool UnitSize::Take(uint64_t rows, uint64_t stored_bytes_per_row, MemoryBudget* budget,
                    MemoryReservation* memory) const {
  if (budget == nullptr) return true;
  const uint64_t row_bytes = stored_bytes_per_row + bytes_per_row_.value_or(stored_bytes_per_row);
  auto taken = budget->Reserve(rows * std::max<uint64_t>(row_bytes, 1), "the rows of a scan");
  if (taken.ok()) *memory = *std::move(taken);
  return taken.ok();
}

uint64_t UnitSize::Reserve(uint64_t stored_bytes_per_row, uint64_t most_rows, MemoryBudget* budget,
                           MemoryReservation* memory) const {
  uint64_t rows = std::min(Rows(stored_bytes_per_row), most_rows);
  while (rows > kLeastRows && !Take(rows, stored_bytes_per_row, budget, memory)) rows /= 2;
  return rows;
}

uint64_t UnitSize::ReserveMore(uint64_t stored_bytes_per_row, uint64_t most_rows,
                               MemoryBudget* budget, MemoryReservation* memory) const {
  constexpr uint64_t kShare = 4;
  if (budget != nullptr && budget->in_use_bytes() > budget->max_bytes() / kShare) return 0;
  const uint64_t rows = std::min(Rows(stored_bytes_per_row), most_rows);
  return Take(rows, stored_bytes_per_row, budget, memory) ? rows : 0;
}

void UnitSize::Note(const arrow::RecordBatch& rows) {
  if (rows.num_rows() == 0) return;
  const auto bytes = static_cast<uint64_t>(arrow::util::TotalBufferSize(rows));
  bytes_per_row_ = bytes / static_cast<uint64_t>(rows.num_rows()) + 1;
}

std::vector<size_t> SlowestFirst(const std::vector<const format::FieldNode*>& fields) {
  const auto is_slow = [&](size_t i) { return !arrow::is_fixed_width(*fields[i]->type); };
  std::vector<size_t> order(fields.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_partition(order, is_slow);
  return order;
}

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> ReadFields(
    const format::DataFileReader& file, const format::ColumnMap& columns,
    const std::vector<format::FieldNode>& fields, const RowRanges& rows, const RunContext& run) {
  std::vector<std::shared_ptr<arrow::Array>> arrays(fields.size());
  std::vector<const format::FieldNode*> nodes;
  for (const format::FieldNode& field : fields) nodes.push_back(&field);
  const std::vector<size_t> order = SlowestFirst(nodes);
  ARROW_RETURN_NOT_OK(
      ParallelFor(static_cast<int>(fields.size()), run.num_threads, run.stop_token, [&](int i) {
        const size_t column = order[static_cast<size_t>(i)];
        const format::FieldNode& field = fields[column];
        ARROW_ASSIGN_OR_RAISE(
            const auto array,
            file.ReadField({.node = field, .columns = columns, .rows = rows}, run.stop_token));
        return LoadBlobs(field, array, file, run).Value(&arrays[column]);
      }));
  return arrays;
}

TakePlan PlanTake(const std::vector<uint64_t>& rows) {
  TakePlan plan;
  std::vector<RowRange> ranges;
  const auto append = [&](uint64_t row) {
    if (!ranges.empty() && ranges.back().end == row) {
      ++ranges.back().end;
    } else {
      ranges.push_back({row, row + 1});
    }
  };
  if (std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) == rows.end()) {
    for (const uint64_t row : rows) append(row);
    plan.rows = RowRanges::Make(std::move(ranges));
    return plan;
  }
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rows[a] < rows[b]; });
  std::vector<int64_t> places(rows.size());
  int64_t count = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const uint64_t row = rows[order[i]];
    if (i == 0 || row != rows[order[i - 1]]) {
      append(row);
      ++count;
    }
    places[order[i]] = count - 1;
  }
  plan.rows = RowRanges::Make(std::move(ranges));
  plan.places = std::move(places);
  return plan;
}

namespace {

arrow::Result<arrow::ArrayVector> TakeColumns(arrow::ArrayVector columns,
                                              const std::vector<int64_t>& places,
                                              const RunContext& run) {
  const arrow::Int64Array indices(static_cast<int64_t>(places.size()), arrow::Buffer::Wrap(places));
  arrow::compute::ExecContext context(run.pool());
  for (auto& column : columns) {
    ARROW_ASSIGN_OR_RAISE(
        const auto taken,
        arrow::compute::Take(column, arrow::Datum(indices.data()),
                             arrow::compute::TakeOptions::NoBoundsCheck(), &context));
    column = taken.make_array();
  }
  return columns;
}

}  // namespace

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> ReorderTaken(
    const TakePlan& plan, std::vector<std::shared_ptr<arrow::Array>> columns,
    const RunContext& run) {
  if (!plan.places) return columns;
  return TakeColumns(std::move(columns), *plan.places, run);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const arrow::RecordBatch& rows,
                                                            const std::vector<int64_t>& places,
                                                            const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto columns, TakeColumns(rows.columns(), places, run));
  return arrow::RecordBatch::Make(rows.schema(), static_cast<int64_t>(places.size()),
                                  std::move(columns));
}

}  // namespace lance
