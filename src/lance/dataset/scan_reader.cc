#include "lance/dataset/scan_reader.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api_vector.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/filter/columns.h"

namespace lance {

namespace {

/// The rows of `rows` whose mask is true.
RowRanges KeepTrue(const RowRanges& rows, const arrow::BooleanArray& mask) {
  std::vector<RowRange> kept;
  int64_t position = 0;
  for (const RowRange& range : rows.ranges()) {
    for (uint64_t offset = range.begin; offset < range.end; ++offset, ++position) {
      if (mask.IsNull(position) || !mask.Value(position)) continue;
      if (!kept.empty() && kept.back().end == offset) {
        ++kept.back().end;
      } else {
        kept.push_back({offset, offset + 1});
      }
    }
  }
  return RowRanges::Make(std::move(kept));
}

/// Rows number `begin` to `end` of a set, counted within it.
RowRanges SliceRows(const RowRanges& rows, uint64_t begin, uint64_t end) {
  std::vector<RowRange> kept;
  uint64_t position = 0;
  for (const RowRange& range : rows.ranges()) {
    const uint64_t from = std::max(begin, position);
    const uint64_t to = std::min(end, position + range.size());
    if (from < to) kept.push_back({range.begin + from - position, range.begin + to - position});
    position += range.size();
  }
  return RowRanges::Make(std::move(kept));
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> FilterBatch(
    const std::shared_ptr<arrow::RecordBatch>& batch,
    const std::shared_ptr<arrow::BooleanArray>& mask, int64_t num_rows) {
  arrow::ArrayVector columns;
  for (const auto& column : batch->columns()) {
    ARROW_ASSIGN_OR_RAISE(const auto filtered, arrow::compute::Filter(column, mask));
    columns.push_back(filtered.make_array());
  }
  return arrow::RecordBatch::Make(batch->schema(), num_rows, std::move(columns));
}

}  // namespace

arrow::Result<std::shared_ptr<ScanReader>> ScanReader::Make(
    std::shared_ptr<const Scanner::Impl> scan, const RunContext& run, Purpose purpose) {
  std::shared_ptr<ScanReader> reader(new ScanReader());
  reader->run_ = run;
  reader->started_ = run.clock->Steady();
  reader->store_ = MakeCountingStore(scan->dataset->store, reader->counters_);
  reader->schema_ = purpose == Purpose::kCount ? arrow::schema({}) : scan->schema;
  if (purpose != Purpose::kCount) reader->columns_ = scan->columns;
  reader->rows_to_skip_ = scan->options.offset;
  reader->rows_to_return_ = scan->options.limit;
  if (scan->filter != nullptr && scan->options.use_stats) {
    ARROW_ASSIGN_OR_RAISE(
        reader->pruner_,
        FragmentPruner::Make(scan->dataset, reader->store_, scan->filter->predicate(),
                             {.use_zonemaps = scan->options.use_scalar_index,
                              .count_leaves = purpose == Purpose::kExplain},
                             run));
  }
  reader->statistics_.fragments_total = scan->dataset->manifest().fragments.size();
  reader->scan_ = std::move(scan);
  return reader;
}

uint64_t ScanReader::RowsPerUnit() const {
  const table::Fragment& fragment = fragment_->fragment();
  uint64_t bytes = 0;
  for (const table::DataFile& file : fragment.files) bytes += file.size_bytes;
  return unit_size_.Rows(bytes / std::max<uint64_t>(fragment.physical_rows, 1));
}

arrow::Status ScanReader::NextFragment() {
  const table::Manifest& manifest = scan_->dataset->manifest();
  const table::Fragment& fragment = manifest.fragments[next_fragment_++];
  fragment_ = std::make_unique<FragmentReader>(store_, fragment, run_);
  fragment_->set_blob_form(BlobFormOf(scan_->options));
  RowRanges candidates = RowRanges::All(fragment.physical_rows);
  uint64_t zones = CeilDiv(fragment.physical_rows, index::kDefaultRowsPerZone);
  uint64_t zones_kept = zones;
  if (pruner_) {
    ARROW_ASSIGN_OR_RAISE(auto pruned, pruner_->Prune(fragment_.get()));
    candidates = std::move(pruned.candidates);
    zones = pruned.zones_total;
    zones_kept = pruned.zones_kept;
  }
  statistics_.zones_total += zones;
  statistics_.zones_kept += zones_kept;
  statistics_.fragments_kept += candidates.empty() ? 0 : 1;
  const bool reads_a_column =
      (scan_->filter != nullptr && !scan_->filter->column_names().empty()) ||
      std::any_of(columns_.begin(), columns_.end(),
                  [](const OutputColumn& column) { return column.field != nullptr; });
  if (!reads_a_column) ARROW_RETURN_NOT_OK(fragment_->CheckRowCount());
  if (fragment.deletion_file && !candidates.empty()) {
    ARROW_ASSIGN_OR_RAISE(const RowRanges live, LiveRows(*store_, fragment, run_));
    candidates = candidates.Intersect(live);
  }
  rows_left_.assign(candidates.ranges().begin(), candidates.ranges().end());
  return arrow::Status::OK();
}

arrow::Result<ScanReader::Selected> ScanReader::ApplyFilter(RowRanges rows) {
  if (scan_->filter == nullptr) return Selected{std::move(rows), nullptr};
  std::vector<const format::FieldNode*> fields;
  arrow::FieldVector arrow_fields;
  const std::vector<std::string>& names = scan_->filter->column_names();
  for (const std::string& name : names) {
    if (filter::IsAddressColumn(name)) continue;
    const format::SchemaField* field = scan_->dataset->manifest().schema.FindTopLevel(name);
    fields.push_back(scan_->dataset->FindField(field->id));
    arrow_fields.push_back(
        format::ToArrowField(WithBlobForm(*fields.back(), BlobFormOf(scan_->options))));
  }
  ARROW_ASSIGN_OR_RAISE(auto columns, fragment_->ReadColumns(fields, rows));
  for (const std::string& name : names) {
    if (!filter::IsAddressColumn(name)) continue;
    ARROW_ASSIGN_OR_RAISE(auto addresses,
                          RowAddresses(fragment_->fragment().id, rows, run_.memory_pool));
    arrow_fields.push_back(arrow::field(name, arrow::uint64()));
    columns.push_back(std::move(addresses));
  }
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema(std::move(arrow_fields)),
                               static_cast<int64_t>(rows.num_rows()), std::move(columns));
  ARROW_ASSIGN_OR_RAISE(const auto mask, scan_->filter->Evaluate(*batch));
  Selected selected{KeepTrue(rows, *mask), nullptr};
  ARROW_ASSIGN_OR_RAISE(selected.filter_columns,
                        FilterBatch(batch, mask, static_cast<int64_t>(selected.rows.num_rows())));
  return selected;
}

arrow::Result<ScanReader::Selected> ScanReader::ApplyOffsetAndLimit(Selected selected) {
  const uint64_t num_rows = selected.rows.num_rows();
  const uint64_t begin = std::min(rows_to_skip_, num_rows);
  uint64_t end = num_rows;
  if (rows_to_return_) end = std::min(end, begin + std::min(*rows_to_return_, num_rows - begin));
  rows_to_skip_ -= begin;
  if (rows_to_return_) *rows_to_return_ -= end - begin;
  if (begin == 0 && end == num_rows) return selected;
  return Slice(selected, begin, end);
}

ScanReader::Selected ScanReader::Slice(const Selected& selected, uint64_t begin, uint64_t end) {
  Selected slice{SliceRows(selected.rows, begin, end), selected.filter_columns};
  if (slice.filter_columns != nullptr) {
    slice.filter_columns =
        slice.filter_columns->Slice(static_cast<int64_t>(begin), static_cast<int64_t>(end - begin));
  }
  return slice;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ScanReader::ReadOutput(
    const Selected& selected) {
  arrow::ArrayVector columns(columns_.size());
  std::vector<const format::FieldNode*> fields;
  std::vector<size_t> places;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const OutputColumn& column = columns_[i];
    if (column.source != OutputColumn::Source::kField) {
      ARROW_ASSIGN_OR_RAISE(
          columns[i], RowAddresses(fragment_->fragment().id, selected.rows, run_.memory_pool));
      continue;
    }
    if (selected.filter_columns != nullptr) {
      columns[i] = selected.filter_columns->GetColumnByName(column.field->name);
    }
    if (columns[i] == nullptr) {
      fields.push_back(column.field);
      places.push_back(i);
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto values, fragment_->ReadColumns(fields, selected.rows));
  for (size_t i = 0; i < places.size(); ++i) columns[places[i]] = std::move(values[i]);
  return arrow::RecordBatch::Make(schema_, static_cast<int64_t>(selected.rows.num_rows()),
                                  std::move(columns));
}

arrow::Status ScanReader::ReadUnit() {
  uint64_t room = RowsPerUnit();
  if (scan_->filter == nullptr && rows_to_return_) {
    room = std::min(room, std::max<uint64_t>(rows_to_skip_ + *rows_to_return_, 1));
  }
  std::vector<RowRange> unit;
  while (!rows_left_.empty() && room > 0) {
    RowRange& range = rows_left_.front();
    const uint64_t rows = std::min(room, range.size());
    unit.push_back({range.begin, range.begin + rows});
    room -= rows;
    range.begin += rows;
    if (range.size() == 0) rows_left_.pop_front();
  }
  RowRanges rows = RowRanges::Make(std::move(unit));
  const uint64_t rows_in_unit = rows.num_rows();
  statistics_.rows_scanned += rows.num_rows();
  statistics_.ranges_scanned += rows.ranges().size();
  ARROW_ASSIGN_OR_RAISE(Selected selected, ApplyFilter(std::move(rows)));
  ARROW_ASSIGN_OR_RAISE(selected, ApplyOffsetAndLimit(std::move(selected)));
  if (selected.rows.empty()) return arrow::Status::OK();
  return AddOutput(selected, selected.rows.num_rows() == rows_in_unit);
}

arrow::Status ScanReader::AddOutput(const Selected& selected, bool is_whole_unit) {
  const auto output = ReadOutput(selected);
  const uint64_t num_rows = selected.rows.num_rows();
  if (output.status().IsCapacityError() && num_rows > 1) {
    // One array cannot hold all of them: 32-bit offsets, or indices of few bits, do not reach.
    ARROW_RETURN_NOT_OK(AddOutput(Slice(selected, 0, num_rows / 2), is_whole_unit));
    return AddOutput(Slice(selected, num_rows / 2, num_rows), is_whole_unit);
  }
  ARROW_RETURN_NOT_OK(output.status());
  if (is_whole_unit) unit_size_.Note(**output);
  const auto batch_size =
      static_cast<int64_t>(std::min<uint64_t>(scan_->options.batch_size, num_rows));
  for (int64_t offset = 0; offset < (*output)->num_rows(); offset += batch_size) {
    ready_.push_back((*output)->Slice(offset, batch_size));
  }
  return arrow::Status::OK();
}

arrow::Status ScanReader::ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) {
  *batch = nullptr;
  const size_t num_fragments = scan_->dataset->manifest().fragments.size();
  while (ready_.empty() && !is_closed_) {
    ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
    if (rows_to_return_ == 0u) break;
    if (!rows_left_.empty()) {
      ARROW_RETURN_NOT_OK(ReadUnit());
    } else if (next_fragment_ < num_fragments) {
      ARROW_RETURN_NOT_OK(NextFragment());
      statistics_.fragments_scanned += rows_left_.empty() ? 0 : 1;
    } else {
      break;
    }
  }
  if (!ready_.empty()) {
    *batch = std::move(ready_.front());
    ready_.pop_front();
    statistics_.rows_returned += static_cast<uint64_t>((*batch)->num_rows());
  }
  UpdateStatistics();
  return arrow::Status::OK();
}

arrow::Status ScanReader::PruneAll(uint64_t* rows_kept) {
  while (next_fragment_ < scan_->dataset->manifest().fragments.size()) {
    ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
    ARROW_RETURN_NOT_OK(NextFragment());
    for (const RowRange& range : rows_left_) *rows_kept += range.size();
  }
  rows_left_.clear();
  UpdateStatistics();
  return arrow::Status::OK();
}

arrow::Status ScanReader::Close() {
  is_closed_ = true;
  ready_.clear();
  rows_left_.clear();
  fragment_.reset();
  return arrow::Status::OK();
}

void ScanReader::UpdateStatistics() {
  statistics_.iops = counters_->iops;
  statistics_.requests = counters_->requests;
  statistics_.bytes_read = counters_->bytes_read;
  if (pruner_) {
    statistics_.indices_loaded = pruner_->counters().indices_loaded;
    statistics_.parts_loaded = pruner_->counters().indices_loaded;
    statistics_.index_comparisons = pruner_->counters().zones_tested;
    statistics_.index_cache_hits = pruner_->counters().cache_hits;
    statistics_.index_cache_misses = pruner_->counters().cache_misses;
  }
  statistics_.seconds = std::chrono::duration<double>(run_.clock->Steady() - started_).count();
}

}  // namespace lance
