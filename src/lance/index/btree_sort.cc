#include "lance/index/btree_sort.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <limits>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/ipc/api.h"
#include "arrow/util/byte_size.h"
#include "lance/io/spill_file.h"

namespace lance::index {
namespace {

/// A batch of sorted rows: of so many rows and about so many bytes at most.
constexpr uint64_t kMaxBatchRows = 4096;
constexpr uint64_t kMaxBatchBytes = 1ull << 20;

/// The part of a memory budget that the rows of a run may be: sorting takes several times as much.
constexpr uint64_t kBudgetShare = 8;

/// Runs of a level before they are merged into one of the next: a merge holds a batch of each.
constexpr size_t kMaxSpilled = 64;

/// The bits of a float in an order that is the total order of floats.
template <std::unsigned_integral Bits>
OrderedValue FromBits(Bits bits) {
  return {.kind = OrderedValue::Kind::kOrdinary, .high = TotalOrderBits(bits)};
}

/// Whether `OrderedValue::high` alone decides between values of a type.
bool HighDecides(const arrow::DataType& type) {
  return type.id() != arrow::Type::DECIMAL128 && type.id() != arrow::Type::DECIMAL256 &&
         type.id() != arrow::Type::FIXED_SIZE_BINARY && !arrow::is_base_binary_like(type.id());
}

/// One row of a run that is sorted.
struct SortEntry {
  uint64_t high = 0;
  uint32_t row = 0;
};

/// The rows of an array in order.
std::vector<uint32_t> SortedOrder(const arrow::Array& values) {
  std::vector<uint32_t> order;  // nulls first
  std::vector<SortEntry> entries;
  order.reserve(static_cast<size_t>(values.length()));
  entries.reserve(static_cast<size_t>(values.length()));
  for (int64_t row = 0; row < values.length(); ++row) {
    const OrderedValue key = SortKey(values, row);
    if (key.is_known()) {
      entries.push_back({key.high, static_cast<uint32_t>(row)});
    } else {
      order.push_back(static_cast<uint32_t>(row));
    }
  }
  const bool high_decides = HighDecides(*values.type());
  std::sort(entries.begin(), entries.end(), [&](const SortEntry& lhs, const SortEntry& rhs) {
    if (lhs.high != rhs.high) return lhs.high < rhs.high;
    if (!high_decides) {
      const auto by_value = SortKey(values, lhs.row) <=> SortKey(values, rhs.row);
      if (by_value != 0) return by_value < 0;
    }
    return lhs.row < rhs.row;
  });
  for (const SortEntry& entry : entries) order.push_back(entry.row);
  return order;
}

/// Hands out the rows of a batch in another order.
class ReorderedRows : public arrow::RecordBatchReader {
 public:
  ReorderedRows(std::shared_ptr<arrow::RecordBatch> rows, std::vector<uint32_t> order,
                uint64_t batch_rows, std::vector<MemoryReservation> reservations,
                arrow::MemoryPool* pool)
      : rows_(std::move(rows)),
        order_(std::move(order)),
        batch_rows_(batch_rows),
        reservations_(std::move(reservations)),
        pool_(pool) {}

  std::shared_ptr<arrow::Schema> schema() const override { return rows_->schema(); }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    const size_t count = std::min<size_t>(batch_rows_, order_.size() - next_);
    *batch = nullptr;
    if (count == 0) return arrow::Status::OK();
    const auto indices = std::make_shared<arrow::UInt32Array>(
        static_cast<int64_t>(count), arrow::Buffer::Wrap(order_.data() + next_, count));
    next_ += count;
    arrow::compute::ExecContext context(pool_);
    arrow::ArrayVector columns;
    for (const auto& column : rows_->columns()) {
      ARROW_ASSIGN_OR_RAISE(
          const arrow::Datum taken,
          arrow::compute::Take(arrow::Datum(column), arrow::Datum(indices),
                               arrow::compute::TakeOptions::NoBoundsCheck(), &context));
      columns.push_back(taken.make_array());
    }
    *batch = arrow::RecordBatch::Make(schema(), static_cast<int64_t>(count), std::move(columns));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::RecordBatch> rows_;
  std::vector<uint32_t> order_;
  uint64_t batch_rows_;
  std::vector<MemoryReservation> reservations_;
  arrow::MemoryPool* pool_;
  size_t next_ = 0;
};

/// The rows of a batch that are about `max_bytes`, one at least.
int64_t RowsOfBytes(uint64_t size_bytes, int64_t num_rows, uint64_t max_bytes) {
  if (size_bytes <= max_bytes) return std::max<int64_t>(num_rows, 1);
  const double share = static_cast<double>(max_bytes) / static_cast<double>(size_bytes);
  return std::max<int64_t>(static_cast<int64_t>(share * static_cast<double>(num_rows)), 1);
}

arrow::Result<uint64_t> BytesOf(const arrow::RecordBatch& rows) {
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(rows));
  return static_cast<uint64_t>(bytes);
}

}  // namespace

std::shared_ptr<arrow::Schema> ValueRowSchema(const std::shared_ptr<arrow::DataType>& type) {
  return arrow::schema({arrow::field("value", type), arrow::field("row", arrow::uint64())});
}

OrderedValue SortKey(const arrow::Array& values, int64_t row) {
  if (values.IsNull(row)) return {};
  switch (values.type_id()) {
    case arrow::Type::HALF_FLOAT:
      return FromBits(static_cast<const arrow::HalfFloatArray&>(values).Value(row));
    case arrow::Type::FLOAT:
      return FromBits(
          std::bit_cast<uint32_t>(static_cast<const arrow::FloatArray&>(values).Value(row)));
    case arrow::Type::DOUBLE:
      return FromBits(
          std::bit_cast<uint64_t>(static_cast<const arrow::DoubleArray&>(values).Value(row)));
    default:
      return ToOrderedValue(values, row);
  }
}

ValueSorter::ValueSorter(std::shared_ptr<arrow::DataType> type, const RunContext& run,
                         uint64_t max_run_bytes)
    : type_(std::move(type)), run_(run), max_run_bytes_(max_run_bytes) {
  if (run.memory_budget == nullptr) return;
  max_run_bytes_ = std::min(max_run_bytes_, run.memory_budget->max_bytes() / kBudgetShare + 1);
}

arrow::Status ValueSorter::Add(const arrow::RecordBatch& rows) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t bytes, BytesOf(rows));
  const int64_t piece_rows = RowsOfBytes(bytes, rows.num_rows(), max_run_bytes_);
  for (int64_t at = 0; at < rows.num_rows(); at += piece_rows) {
    ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
    ARROW_RETURN_NOT_OK(AddPiece(rows.Slice(at, piece_rows)));
  }
  return arrow::Status::OK();
}

arrow::Status ValueSorter::AddPiece(std::shared_ptr<arrow::RecordBatch> piece) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t bytes, BytesOf(*piece));
  const int64_t num_rows = piece->num_rows();
  if (pending_bytes_ + bytes > max_run_bytes_) ARROW_RETURN_NOT_OK(SpillPending());
  ARROW_ASSIGN_OR_RAISE(const bool reserved, ReserveFor(bytes, num_rows));
  if (!reserved) {
    ARROW_RETURN_NOT_OK(SpillPending());
    ARROW_RETURN_NOT_OK(ReserveFor(bytes, num_rows));
  }
  pending_.push_back(std::move(piece));
  pending_bytes_ += bytes;
  pending_rows_ += num_rows;
  return arrow::Status::OK();
}

/// \return false when the budget is full, and putting what is pending on disk would help
arrow::Result<bool> ValueSorter::ReserveFor(uint64_t size_bytes, int64_t num_rows) {
  if (run_.memory_budget == nullptr) return true;
  // The rows as they came and as one array, and what sorts them.
  const uint64_t needed =
      2 * size_bytes + static_cast<uint64_t>(num_rows) * (sizeof(SortEntry) + sizeof(uint32_t));
  auto reserved = run_.memory_budget->Reserve(needed, "max_memory_bytes");
  if (reserved.ok()) {
    reservations_.push_back(std::move(*reserved));
    return true;
  }
  if (!reserved.status().IsCapacityError() || pending_.empty()) return reserved.status();
  return false;
}

arrow::Result<ValueSorter::Reader> ValueSorter::SortPending() {
  ARROW_ASSIGN_OR_RAISE(const auto table,
                        arrow::Table::FromRecordBatches(ValueRowSchema(type_), pending_));
  pending_.clear();
  ARROW_ASSIGN_OR_RAISE(auto rows, table->CombineChunksToBatch(run_.pool()));
  const uint64_t batch_rows = std::min<uint64_t>(
      kMaxBatchRows,
      static_cast<uint64_t>(RowsOfBytes(pending_bytes_, pending_rows_, kMaxBatchBytes)));
  auto order = SortedOrder(*rows->column(0));
  pending_bytes_ = 0;
  pending_rows_ = 0;
  return std::make_shared<ReorderedRows>(std::move(rows), std::move(order), batch_rows,
                                         std::exchange(reservations_, {}), run_.pool());
}

/// Write rows in order to disk, as a run of a level; one level higher when that is full.
arrow::Status ValueSorter::Spill(const std::vector<Reader>& sources, size_t level) {
  if (level == spilled_.size()) spilled_.emplace_back();
  if (spilled_[level].size() == kMaxSpilled) {
    ARROW_RETURN_NOT_OK(Spill(std::exchange(spilled_[level], {}), level + 1));
  }
  ARROW_ASSIGN_OR_RAISE(SpillFile file, SpillFile::Create());
  ARROW_ASSIGN_OR_RAISE(const auto out, file.OpenWrite());
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.memory_pool = run_.pool();
  options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(const auto writer,
                        arrow::ipc::MakeStreamWriter(out, ValueRowSchema(type_), options));
  ARROW_RETURN_NOT_OK(MergeSortedRows(sources, type_, run_, [&](const arrow::RecordBatch& batch) {
    return writer->WriteRecordBatch(batch);
  }));
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_RETURN_NOT_OK(out->Close());
  ARROW_ASSIGN_OR_RAISE(auto in, file.OpenRead(run_.pool()));
  auto read_options = arrow::ipc::IpcReadOptions::Defaults();
  read_options.memory_pool = run_.pool();
  read_options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(auto reader,
                        arrow::ipc::RecordBatchStreamReader::Open(std::move(in), read_options));
  spilled_[level].push_back(std::move(reader));
  return arrow::Status::OK();
}

arrow::Status ValueSorter::SpillPending() {
  if (pending_.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(Reader sorted, SortPending());
  return Spill({std::move(sorted)}, 0);
}

arrow::Result<std::vector<ValueSorter::Reader>> ValueSorter::Finish() {
  std::vector<Reader> sources;
  for (auto level = spilled_.rbegin(); level != spilled_.rend(); ++level) {
    for (Reader& run : *level) sources.push_back(std::move(run));
  }
  spilled_.clear();
  if (!pending_.empty()) {
    ARROW_ASSIGN_OR_RAISE(Reader sorted, SortPending());
    sources.push_back(std::move(sorted));
  }
  return sources;
}

}  // namespace lance::index
