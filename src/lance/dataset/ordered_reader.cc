#include "lance/dataset/ordered_reader.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/filter/float_order.h"
#include "lance/dataset/filter/literal.h"
#include "lance/dataset/take_rows.h"

namespace lance {
namespace {

using TablePtr = std::shared_ptr<arrow::Table>;

// Rows that are gathered before a top-k is cut, so that sorting costs little per row.
constexpr uint64_t kRowsBetweenCuts = 65536;

/// Values in a form that Arrow sorts as this library orders them.
arrow::Result<std::shared_ptr<arrow::Array>> SortableValues(
    const std::shared_ptr<arrow::Array>& values) {
  if (arrow::is_floating(values->type_id())) return filter::TotalOrderKeys(*values);
  if (values->type_id() == arrow::Type::DICTIONARY) {
    const auto& type = static_cast<const arrow::DictionaryType&>(*values->type());
    ARROW_ASSIGN_OR_RAISE(const auto plain, arrow::compute::Cast(values, type.value_type()));
    return plain.make_array();
  }
  return values;
}

/// Columns that decide the order of rows: for each ordering whether a value is null, then the
/// value. Sorting takes one place of nulls for all columns, so they are told apart here.
///
/// \param table ends with the columns to sort by
arrow::Result<arrow::compute::SortOptions> AddKeys(const arrow::Table& table,
                                                   const std::vector<ColumnOrdering>& order_by,
                                                   arrow::FieldVector* fields,
                                                   arrow::ArrayVector* keys) {
  std::vector<arrow::compute::SortOrder> directions;
  int place = table.num_columns() - static_cast<int>(order_by.size());
  for (const ColumnOrdering& ordering : order_by) {
    const auto& column = table.column(place++);
    arrow::ArrayVector chunks = column->chunks();
    if (chunks.empty()) {
      ARROW_ASSIGN_OR_RAISE(chunks.emplace_back(), arrow::MakeEmptyArray(column->type()));
    }
    ARROW_ASSIGN_OR_RAISE(const auto values, arrow::Concatenate(chunks));
    ARROW_ASSIGN_OR_RAISE(const auto sortable, SortableValues(values));
    ARROW_ASSIGN_OR_RAISE(const auto is_null, arrow::compute::IsNull(values));
    const auto add = [&](std::shared_ptr<arrow::Array> key, bool ascending) {
      const std::string name = std::to_string(fields->size());
      fields->push_back(arrow::field(name, key->type()));
      keys->push_back(std::move(key));
      directions.push_back(ascending ? arrow::compute::SortOrder::Ascending
                                     : arrow::compute::SortOrder::Descending);
    };
    add(is_null.make_array(), /*ascending=*/!ordering.nulls_first);
    add(sortable, ordering.ascending);
  }
  std::vector<arrow::compute::SortKey> sort_keys;
  sort_keys.reserve(directions.size());
  for (size_t i = 0; i < directions.size(); ++i) {
    sort_keys.emplace_back(std::to_string(i), directions[i]);  // as `add` named it
  }
  return arrow::compute::SortOptions(std::move(sort_keys));
}

arrow::Result<TablePtr> Sort(const TablePtr& table, const std::vector<ColumnOrdering>& order_by) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  arrow::FieldVector fields;
  arrow::ArrayVector keys;
  ARROW_ASSIGN_OR_RAISE(const auto options, AddKeys(*table, order_by, &fields, &keys));
  const auto key_table = arrow::Table::Make(arrow::schema(fields), keys, table->num_rows());
  ARROW_ASSIGN_OR_RAISE(const auto order, arrow::compute::SortIndices(key_table, options));
  ARROW_ASSIGN_OR_RAISE(const auto sorted, arrow::compute::Take(table, order));
  return sorted.table();
}

/// The whole of a scan, unsorted: its columns, or the addresses of its rows, then the columns to
/// sort by. Columns go by place, as two of them may have the same name.
arrow::Result<std::shared_ptr<const Scanner::Impl>> WithKeys(const Scanner::Impl& scan,
                                                             bool takes_late) {
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
  std::shared_ptr<OrderedReader> reader(new OrderedReader());
  reader->takes_late_ = scan->options.limit.has_value() && !scan->options.include_deleted_rows;
  ARROW_ASSIGN_OR_RAISE(const auto whole, WithKeys(*scan, reader->takes_late_));
  ARROW_ASSIGN_OR_RAISE(reader->rows_, ScanReader::Make(whole, run));
  reader->scan_ = std::move(scan);
  reader->run_ = run;
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
  const auto& options = scan_->options;
  std::optional<uint64_t> most_rows;  // that can be among the result
  if (options.limit && *options.limit <= UINT64_MAX - options.offset) {
    most_rows = *options.limit + options.offset;
  }
  arrow::RecordBatchVector held;
  uint64_t num_held = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(rows_->ReadNext(&batch));
    if (batch == nullptr) break;
    num_held += static_cast<uint64_t>(batch->num_rows());
    held.push_back(std::move(batch));
    if (!most_rows || num_held < kRowsBetweenCuts || num_held / 2 < *most_rows) continue;
    ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(rows_->schema(), held));
    ARROW_ASSIGN_OR_RAISE(table, Sort(table, scan_->options.order_by));
    table = table->Slice(0, static_cast<int64_t>(*most_rows));
    ARROW_ASSIGN_OR_RAISE(auto joined, table->CombineChunksToBatch());
    held = {std::move(joined)};
    num_held = *most_rows;
  }
  ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(rows_->schema(), held));
  ARROW_ASSIGN_OR_RAISE(table, Sort(table, scan_->options.order_by));
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
  return rows_->Close();
}

}  // namespace lance
