#include "lance/dataset/ordered_reader.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/filter/literal.h"
#include "lance/dataset/first_rows.h"
#include "lance/dataset/row_order.h"
#include "lance/dataset/take_rows.h"

namespace lance {
namespace {

using TablePtr = std::shared_ptr<arrow::Table>;

// Rows that are gathered before a top-k is cut, so that sorting costs little per row.
constexpr uint64_t kRowsBetweenCuts = 16384;

/// The whole of a scan, unsorted: its columns, or the addresses of its rows, then the columns to
/// sort by. Columns go by place, as two of them may have the same name.
arrow::Result<std::shared_ptr<Scanner::Impl>> WithKeys(const Scanner::Impl& scan, bool takes_late) {
  auto whole = std::make_shared<Scanner::Impl>(scan);
  whole->options.order_by.clear();
  whole->options.limit.reset();
  whole->options.offset = 0;
  arrow::FieldVector fields = scan.schema->fields();
  if (takes_late) {
    whole->columns = {OutputColumn()};
    whole->columns.back().system = SystemColumn::kRowAddress;
    fields = {arrow::field("", arrow::uint64())};
  }
  for (const ColumnOrdering& ordering : scan.options.order_by) {
    ARROW_ASSIGN_OR_RAISE(OutputColumn key, FindOutputColumn(*scan.dataset, ordering.column_name));
    fields.push_back(key.part == nullptr ? arrow::field("", arrow::uint64())
                                         : arrow::field("", key.part->type));
    whole->columns.push_back(std::move(key));
  }
  whole->sources = SourcesOf(*scan.dataset, whole->columns);
  whole->schema = arrow::schema(std::move(fields));
  return whole;
}

/// How many rows can be among the result; no value: all.
std::optional<uint64_t> MostRowsOf(const ScanOptions& options) {
  if (!options.limit || *options.limit > UINT64_MAX - options.offset) return std::nullopt;
  return *options.limit + options.offset;
}

}  // namespace

arrow::Status CheckOrdering(const Dataset::Impl& dataset,
                            const std::vector<ColumnOrdering>& order_by) {
  for (const ColumnOrdering& ordering : order_by) {
    ARROW_ASSIGN_OR_RAISE(const OutputColumn key, FindOutputColumn(dataset, ordering.column_name));
    if (key.part == nullptr) continue;  // a system column
    const auto& type = *key.part->type;
    if (filter::IsComparableType(type) || type.id() == arrow::Type::DICTIONARY) continue;
    return UnsupportedError("order_by " + type.ToString(),
                            "order_by: column " + ordering.column_name + " has type " +
                                type.ToString() + ", which has no order");
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<OrderedReader>> OrderedReader::Make(
    std::shared_ptr<const Scanner::Impl> scan, const RunContext& run) {
  std::shared_ptr<OrderedReader> reader(new OrderedReader(run));
  reader->takes_late_ = scan->options.limit.has_value() && !scan->options.include_deleted_rows;
  reader->most_rows_ = MostRowsOf(scan->options);
  ARROW_ASSIGN_OR_RAISE(const auto whole, WithKeys(*scan, reader->takes_late_));
  const bool asks_statistics = scan->filter == nullptr && scan->options.use_stats;
  if (asks_statistics && reader->most_rows_.value_or(0) > 0) {
    const size_t first_key = whole->columns.size() - scan->options.order_by.size();
    ARROW_ASSIGN_OR_RAISE(
        auto bound, BoundOfFirstRows(*scan, whole->columns[first_key], *reader->most_rows_, run));
    if (bound) whole->bound = std::make_shared<const index::Predicate>(*std::move(bound));
  }
  ARROW_ASSIGN_OR_RAISE(reader->rows_, ScanReader::Make(whole, run));
  reader->scan_ = std::move(scan);
  return reader;
}

TablePtr OrderedReader::Cut(const TablePtr& table) const {
  const auto offset = static_cast<int64_t>(
      std::min(scan_->options.offset, static_cast<uint64_t>(table->num_rows())));
  const int64_t rest = table->num_rows() - offset;
  if (!scan_->options.limit) return table->Slice(offset);
  return table->Slice(offset, static_cast<int64_t>(std::min<uint64_t>(
                                  *scan_->options.limit, static_cast<uint64_t>(rest))));
}

arrow::Result<TablePtr> OrderedReader::ReadSorted() {
  arrow::RecordBatchVector held;
  uint64_t num_held = 0;
  uint64_t bytes_held = 0;
  std::optional<KeyBound> bound;
  for (std::shared_ptr<arrow::RecordBatch> batch; most_rows_ != 0u;) {
    ARROW_RETURN_NOT_OK(rows_->ReadNext(&batch));
    if (batch == nullptr) break;
    if (bound) {
      ARROW_ASSIGN_OR_RAISE(batch, bound->Keep(batch));
    }
    if (batch->num_rows() == 0) continue;  // it might hold on to all that was read
    num_held += static_cast<uint64_t>(batch->num_rows());
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*batch));
    bytes_held += static_cast<uint64_t>(bytes);
    ARROW_RETURN_NOT_OK(memory_.GrowTo(2 * bytes_held));  // sorting makes a copy
    held.push_back(std::move(batch));
    if (!most_rows_ || num_held < kRowsBetweenCuts || num_held / 2 < *most_rows_) continue;
    ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(rows_->schema(), held));
    ARROW_ASSIGN_OR_RAISE(table, SortRows(table, scan_->options.order_by));
    table = table->Slice(0, static_cast<int64_t>(*most_rows_));
    ARROW_ASSIGN_OR_RAISE(bound, KeyBound::Make(*table, scan_->options.order_by));
    ARROW_ASSIGN_OR_RAISE(auto joined, table->CombineChunksToBatch());
    bytes_held = static_cast<uint64_t>(arrow::util::TotalBufferSize(*joined));
    held = {std::move(joined)};
    num_held = *most_rows_;
  }
  ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(rows_->schema(), held));
  ARROW_ASSIGN_OR_RAISE(table, SortRows(table, scan_->options.order_by));
  return Cut(table);
}

arrow::Result<TablePtr> OrderedReader::ReadAll() {
  ARROW_ASSIGN_OR_RAISE(const auto sorted, ReadSorted());
  if (!takes_late_) {
    std::vector<int> places(scan_->columns.size());
    std::iota(places.begin(), places.end(), 0);
    ARROW_ASSIGN_OR_RAISE(const auto output, sorted->SelectColumns(places));
    return arrow::Table::Make(scan_->schema, output->columns(), output->num_rows());
  }
  TakeRequest request{.by = RowSelector::kRowAddresses};
  for (const auto& chunk : sorted->column(0)->chunks()) {
    const auto& numbers = static_cast<const arrow::UInt64Array&>(*chunk);
    request.rows.insert(request.rows.end(), numbers.raw_values(),
                        numbers.raw_values() + numbers.length());
  }
  return TakeForScan(*scan_, request, run_);
}

arrow::Status OrderedReader::ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) {
  *batch = nullptr;
  if (is_closed_) return arrow::Status::OK();
  if (batches_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(sorted_, ReadAll());
    const auto batches = std::make_shared<arrow::TableBatchReader>(*sorted_);
    batches->set_chunksize(
        static_cast<int64_t>(std::min<uint64_t>(scan_->options.batch_size, INT64_MAX)));
    batches_ = batches;
    statistics_ = rows_->statistics();
    statistics_.rows_returned = 0;
  }
  ARROW_RETURN_NOT_OK(batches_->ReadNext(batch));
  if (*batch != nullptr) {
    statistics_.rows_returned += static_cast<uint64_t>((*batch)->num_rows());
  }
  return arrow::Status::OK();
}

arrow::Status OrderedReader::Close() {
  is_closed_ = true;
  batches_.reset();
  sorted_.reset();
  memory_.Clear();
  return rows_->Close();
}

}  // namespace lance
