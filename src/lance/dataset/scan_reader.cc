#include "lance/dataset/scan_reader.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api_vector.h"
#include "arrow/util/byte_size.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/filter_columns.h"
#include "lance/dataset/narrow.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

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

/// The columns of a batch that are needed later.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> KeepNeeded(
    const arrow::RecordBatch& batch, const std::vector<const format::FieldNode*>& needed) {
  std::vector<int> places;
  for (int i = 0; i < batch.num_columns(); ++i) {
    if (std::ranges::find(needed, batch.column_name(i), &format::FieldNode::name) != needed.end()) {
      places.push_back(i);
    }
  }
  return batch.SelectColumns(places);
}

/// Whether rows lie among others in so many pieces that fetching each costs more than reading all
/// and dropping the others.
bool IsScattered(const RowRanges& rows, const RowRanges& all) {
  constexpr uint64_t kRowsPerPiece = 8;
  return rows.ranges().size() * kRowsPerPiece > all.num_rows();
}

/// Whether a value is so small that one more costs next to nothing.
bool IsSmall(const arrow::DataType& type) {
  return arrow::is_primitive(type.id()) || arrow::is_decimal(type.id());
}

/// The values of live rows, null for the others.
arrow::Result<std::shared_ptr<arrow::Array>> NullWhereDeleted(
    const std::shared_ptr<arrow::Array>& values, const RowRanges& rows, const RowRanges& live) {
  arrow::UInt64Builder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(values->length()));
  const auto& numbers = static_cast<const arrow::UInt64Array&>(*values);
  int64_t position = 0;
  for (const RowRange& range : rows.ranges()) {
    for (uint64_t row = range.begin; row < range.end; ++row, ++position) {
      if (live.Intersects({row, row + 1})) {
        builder.UnsafeAppend(numbers.Value(position));
      } else {
        builder.UnsafeAppendNull();
      }
    }
  }
  return builder.Finish();
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
  // A scan has one of the two at most.
  const index::Predicate* predicate =
      scan->filter != nullptr ? &scan->filter->predicate() : scan->bound.get();
  if (predicate != nullptr && scan->options.use_stats) {
    ARROW_ASSIGN_OR_RAISE(reader->pruner_,
                          FragmentPruner::Make(scan->dataset, reader->store_, *predicate,
                                               {.use_indices = UsesIndices(scan->options),
                                                .count_leaves = purpose == Purpose::kExplain},
                                               run));
    if (UsesIndices(scan->options) && purpose != Purpose::kExplain) {
      reader->screen_ = FragmentScreen::Make(*scan->dataset, *predicate);
    }
  }
  reader->statistics_.fragments_total = scan->fragments.size();
  if (std::ranges::find(reader->columns_, std::optional(SystemColumn::kRowOffset),
                        &OutputColumn::system) != reader->columns_.end()) {
    reader->first_row_offsets_ = table::FirstRowOffsets(scan->dataset->manifest().fragments);
  }
  if (purpose != Purpose::kCount) {
    for (const format::FieldNode& source : scan->sources) reader->needed_fields_.push_back(&source);
  }
  reader->scan_ = std::move(scan);
  return reader;
}

uint64_t ScanReader::BytesPerStoredRow() const {
  const table::Fragment& fragment = fragment_->fragment();
  uint64_t bytes = 0;
  for (const table::DataFile& file : fragment.files) bytes += file.size_bytes;
  return bytes / std::max<uint64_t>(fragment.physical_rows, 1);
}

arrow::Status ScanReader::NextFragment() {
  const table::Manifest& manifest = scan_->dataset->manifest();
  const size_t position = scan_->fragments[next_fragment_++];
  const table::Fragment& fragment = manifest.fragments[position];
  fragment_ =
      std::make_shared<ScanFragment>(store_, fragment, table::HasStableRowIds(manifest), run_);
  fragment_->reader().set_blob_form(BlobFormOf(scan_->options));
  fragment_->reader().UseCacheOf(*scan_->dataset);
  if (!first_row_offsets_.empty()) {
    fragment_->set_first_row_offset(first_row_offsets_[position]);
  }
  RowRanges candidates = scan_->only_rows == nullptr ? RowRanges::All(fragment.physical_rows)
                                                     : scan_->only_rows->at(position);
  uint64_t zones = CeilDiv(fragment.physical_rows, index::kDefaultRowsPerZone);
  uint64_t zones_kept = zones;
  if (pruner_) {
    ARROW_ASSIGN_OR_RAISE(auto pruned, pruner_->Prune(&fragment_->reader()));
    candidates = candidates.Intersect(pruned.candidates);
    zones = pruned.zones_total;
    zones_kept = pruned.zones_kept;
  }
  statistics_.zones_total += zones;
  statistics_.zones_kept += zones_kept;
  statistics_.fragments_kept += candidates.empty() ? 0 : 1;
  const bool reads_a_column =
      (scan_->filter != nullptr && !scan_->filter->column_names().empty()) ||
      !needed_fields_.empty();
  if (!reads_a_column) ARROW_RETURN_NOT_OK(fragment_->reader().CheckRowCount());
  if (fragment.deletion_file && !candidates.empty() && !scan_->options.include_deleted_rows) {
    ARROW_ASSIGN_OR_RAISE(const RowRanges live, LiveRows(*store_, fragment, run_));
    candidates = candidates.Intersect(live);
  }
  rows_left_.assign(candidates.ranges().begin(), candidates.ranges().end());
  return arrow::Status::OK();
}

arrow::Result<ScanReader::Selected> ScanReader::ApplyFilter(ScanFragment* fragment,
                                                            RowRanges rows) const {
  if (scan_->filter == nullptr) return Selected{std::move(rows), nullptr, std::nullopt};
  const auto read_system = [&](SystemColumn column, const RowRanges& wanted) {
    return ReadSystemColumn(fragment, column, wanted);
  };
  ARROW_ASSIGN_OR_RAISE(
      const auto batch,
      ReadFilterColumns(*scan_->dataset, *scan_->filter, BlobFormOf(scan_->options),
                        &fragment->reader(), read_system, rows));
  ARROW_ASSIGN_OR_RAISE(const auto mask, scan_->filter->Evaluate(*batch, run_.stop_token));
  Selected selected{KeepTrue(rows, *mask), nullptr, std::nullopt};
  const auto num_rows = static_cast<int64_t>(selected.rows.num_rows());
  if (num_rows == 0) return selected;
  ARROW_ASSIGN_OR_RAISE(const auto needed, KeepNeeded(*batch, needed_fields_));
  ARROW_ASSIGN_OR_RAISE(selected.filter_columns, FilterBatch(needed, mask, num_rows));
  if (IsScattered(selected.rows, rows)) selected.among = {std::move(rows), mask};
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
  Selected slice{SliceRows(selected.rows, begin, end), selected.filter_columns, std::nullopt};
  if (slice.filter_columns != nullptr) {
    slice.filter_columns =
        slice.filter_columns->Slice(static_cast<int64_t>(begin), static_cast<int64_t>(end - begin));
  }
  return slice;
}

arrow::Result<std::shared_ptr<arrow::Array>> ScanReader::ReadSystemColumn(
    ScanFragment* fragment, SystemColumn column, const RowRanges& rows) const {
  ARROW_ASSIGN_OR_RAISE(auto values, fragment->ReadSystemColumn(column, rows));
  const bool names_rows = column == SystemColumn::kRowId || column == SystemColumn::kRowAddress;
  const bool may_be_deleted =
      scan_->options.include_deleted_rows && names_rows && fragment->fragment().deletion_file;
  if (!may_be_deleted) return values;
  ARROW_ASSIGN_OR_RAISE(const RowRanges live, fragment->reader().Live());
  return NullWhereDeleted(values, rows, live);
}

arrow::Result<arrow::ArrayVector> ScanReader::ReadMissing(
    FragmentReader* reader, const std::vector<const format::FieldNode*>& fields,
    const Selected& selected) const {
  const auto is_small = [](const format::FieldNode* field) { return IsSmall(*field->type); };
  if (!selected.among || std::ranges::none_of(fields, is_small)) {
    return reader->ReadColumns(fields, selected.rows);
  }
  std::vector<const format::FieldNode*> small, others;
  for (const format::FieldNode* field : fields) {
    (is_small(field) ? small : others).push_back(field);
  }
  ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector all, reader->ReadColumns(small, selected.among->rows));
  ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector few, reader->ReadColumns(others, selected.rows));
  arrow::ArrayVector columns;
  auto next_small = all.begin(), next_other = few.begin();
  for (const format::FieldNode* field : fields) {
    if (!is_small(field)) {
      columns.push_back(std::move(*next_other++));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const auto kept,
                          arrow::compute::Filter(*next_small++, selected.among->mask));
    columns.push_back(kept.make_array());
  }
  return columns;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ScanReader::ReadSources(
    ScanFragment* fragment, const Selected& selected) const {
  const auto num_rows = static_cast<int64_t>(selected.rows.num_rows());
  arrow::FieldVector fields;
  arrow::ArrayVector values;
  std::vector<const format::FieldNode*> missing;
  for (const format::FieldNode* field : needed_fields_) {
    auto found = selected.filter_columns == nullptr
                     ? nullptr
                     : selected.filter_columns->GetColumnByName(field->name);
    const auto& type = WithBlobForm(*field, BlobFormOf(scan_->options)).type;
    if (found == nullptr || !HoldsMembersOf(*found->type(), *type)) {
      missing.push_back(field);
      continue;
    }
    fields.push_back(arrow::field(field->name, found->type()));
    values.push_back(std::move(found));
  }
  ARROW_ASSIGN_OR_RAISE(auto read, ReadMissing(&fragment->reader(), missing, selected));
  for (size_t i = 0; i < missing.size(); ++i) {
    fields.push_back(arrow::field(missing[i]->name, read[i]->type()));
    values.push_back(std::move(read[i]));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), num_rows, std::move(values));
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ScanReader::ReadOutput(
    ScanFragment* fragment, const Selected& selected) const {
  ARROW_ASSIGN_OR_RAISE(const auto sources, ReadSources(fragment, selected));
  const auto read_system = [&](SystemColumn column, const RowRanges& wanted) {
    return ReadSystemColumn(fragment, column, wanted);
  };
  ARROW_ASSIGN_OR_RAISE(auto columns,
                        MakeOutput(*scan_->dataset, columns_, sources, selected.rows, read_system));
  return arrow::RecordBatch::Make(schema_, sources->num_rows(), std::move(columns));
}

arrow::Status ScanReader::ReadOutputs(ScanFragment* fragment, const Selected& selected,
                                      arrow::RecordBatchVector* output) const {
  const auto read = ReadOutput(fragment, selected);
  const uint64_t num_rows = selected.rows.num_rows();
  if (read.status().IsCapacityError() && num_rows > 1) {
    // One array cannot hold all of them: 32-bit offsets, or indices of few bits, do not reach.
    ARROW_RETURN_NOT_OK(ReadOutputs(fragment, Slice(selected, 0, num_rows / 2), output));
    return ReadOutputs(fragment, Slice(selected, num_rows / 2, num_rows), output);
  }
  ARROW_RETURN_NOT_OK(read.status());
  output->push_back(*read);
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<ScanReader::Unit>> ScanReader::NextUnit() {
  while (rows_left_.empty()) {
    ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
    if (next_fragment_ == scan_->fragments.size()) return nullptr;
    if (screen_ && screen_->Skips(scan_->fragments[next_fragment_])) {
      statistics_.zones_total += screen_->num_zones(scan_->fragments[next_fragment_++]);
      continue;
    }
    ARROW_RETURN_NOT_OK(NextFragment());
    statistics_.fragments_scanned += rows_left_.empty() ? 0 : 1;
  }
  auto unit = std::make_unique<Unit>();
  unit->fragment = fragment_;
  MemoryBudget* const budget = run_.memory_budget.get();
  const uint64_t bytes_per_row = BytesPerStoredRow();
  const uint64_t most = MostRowsOfUnit(bytes_per_row);
  uint64_t room = units_.empty()
                      ? unit_size_.Reserve(bytes_per_row, most, budget, &unit->memory)
                      : unit_size_.ReserveMore(bytes_per_row, most, budget, &unit->memory);
  if (room == 0) return nullptr;
  std::vector<RowRange> rows;
  while (!rows_left_.empty() && room > 0) {
    RowRange& range = rows_left_.front();
    const uint64_t taken = std::min(room, range.size());
    rows.push_back({range.begin, range.begin + taken});
    room -= taken;
    range.begin += taken;
    if (range.size() == 0) rows_left_.pop_front();
  }
  unit->rows = RowRanges::Make(std::move(rows));
  return unit;
}

uint64_t ScanReader::MostRowsOfUnit(uint64_t bytes_per_row) const {
  if (scan_->filter != nullptr) return ShareOfRowsLeft();
  uint64_t most = unit_size_.Rows(bytes_per_row);
  if (MostUnits() > 1) most /= 2;  // several are in memory at once
  // Rows before the offset are read as well; the sum may be beyond all numbers.
  if (rows_to_return_ && *rows_to_return_ <= UINT64_MAX - rows_to_skip_) {
    most = std::min(most, rows_to_skip_ + *rows_to_return_);
  }
  return std::max<uint64_t>(most, 1);
}

size_t ScanReader::MostUnits() const {
  // As many as threads: the first may be read by who wants it.
  const auto most = static_cast<size_t>(NumThreads(run_.num_threads));
  if (scan_->filter == nullptr) {
    // The first unit says what rows take in memory. Who wants some rows wants no more to be read.
    return units_taken_ == 0 || rows_to_return_ ? 1 : most;
  }
  return rows_to_return_ ? std::clamp<size_t>(units_taken_, 1, most) : most;
}

uint64_t ScanReader::ShareOfRowsLeft() const {
  // Of less than this a second thread is woken too late.
  constexpr uint64_t kLeastRows = 2 * index::kDefaultRowsPerZone;
  uint64_t num_rows = 0;
  for (const RowRange& range : rows_left_) num_rows += range.size();
  const uint64_t share = CeilDiv(num_rows, std::max<uint64_t>(MostUnits() - units_.size(), 1));
  const uint64_t zones = CeilDiv(share, index::kDefaultRowsPerZone);
  return std::max(kLeastRows, zones * index::kDefaultRowsPerZone);
}

void ScanReader::PlanAhead() {
  while (failed_.ok() && units_.size() < MostUnits()) {
    auto unit = NextUnit();
    failed_ = unit.status();
    if (!unit.ok() || *unit == nullptr) break;
    units_.push_back(*std::move(unit));
  }
  if (units_.size() < 2) return;
  for (const auto& unit : units_) {
    if (unit->task != nullptr) continue;
    unit->task = AheadTask::Start([this, wanted = unit.get()] { return Read(wanted); });
  }
}

arrow::Status ScanReader::Read(Unit* unit) const {
  ARROW_ASSIGN_OR_RAISE(unit->selected, ApplyFilter(unit->fragment.get(), unit->rows));
  const bool depends_on_others = scan_->options.limit || scan_->options.offset > 0;
  if (depends_on_others || unit->selected.rows.empty()) return arrow::Status::OK();
  return ReadOutputs(unit->fragment.get(), unit->selected, &unit->output);
}

arrow::Status ScanReader::TakeUnit() {
  const std::unique_ptr<Unit> unit = std::move(units_.front());
  units_.pop_front();
  ++units_taken_;
  ARROW_RETURN_NOT_OK(unit->task != nullptr ? unit->task->Finish() : Read(unit.get()));
  statistics_.rows_scanned += unit->rows.num_rows();
  statistics_.ranges_scanned += unit->rows.ranges().size();
  if (unit->output.empty()) {
    ARROW_ASSIGN_OR_RAISE(unit->selected, ApplyOffsetAndLimit(std::move(unit->selected)));
    if (unit->selected.rows.empty()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(ReadOutputs(unit->fragment.get(), unit->selected, &unit->output));
  }
  if (unit->selected.rows.num_rows() == unit->rows.num_rows()) {
    unit_size_.Note(*unit->output.front());
  }
  AddBatches(*unit);
  return arrow::Status::OK();
}

void ScanReader::AddBatches(const Unit& unit) {
  for (const auto& output : unit.output) {
    const auto num_rows = static_cast<uint64_t>(output->num_rows());
    uint64_t batch_size = std::min(scan_->options.batch_size, num_rows);
    if (scan_->options.batch_size_bytes) {
      const auto bytes = static_cast<uint64_t>(arrow::util::TotalBufferSize(*output));
      const uint64_t bytes_per_row = CeilDiv(bytes, num_rows);
      const uint64_t rows = *scan_->options.batch_size_bytes / std::max<uint64_t>(bytes_per_row, 1);
      batch_size = std::min(batch_size, std::max<uint64_t>(rows, 1));
    }
    for (uint64_t offset = 0; offset < num_rows; offset += batch_size) {
      ready_.push_back(
          output->Slice(static_cast<int64_t>(offset), static_cast<int64_t>(batch_size)));
    }
  }
}

arrow::Status ScanReader::ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) {
  *batch = nullptr;
  while (ready_.empty() && !is_closed_) {
    ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
    if (rows_to_return_ == 0u) break;
    PlanAhead();
    if (units_.empty()) {
      // What failed stays failed: going on behind it would leave out rows.
      ARROW_RETURN_NOT_OK(failed_);
      break;
    }
    const arrow::Status taken = TakeUnit();
    if (!taken.ok()) {
      StopAhead();
      failed_ = taken;
      return taken;
    }
    // While these rows are looked at, the next are read.
    if (!ready_.empty() && rows_to_return_ != 0u && MostUnits() > 1) PlanAhead();
  }
  if (!ready_.empty()) {
    *batch = std::move(ready_.front());
    ready_.pop_front();
    statistics_.rows_returned += static_cast<uint64_t>((*batch)->num_rows());
  }
  UpdateStatistics();
  return arrow::Status::OK();
}

void ScanReader::StopAhead() {
  for (const auto& unit : units_) {
    if (unit->task != nullptr) unit->task->Abandon();
  }
  units_.clear();
}

ScanReader::~ScanReader() { StopAhead(); }

arrow::Status ScanReader::PruneAll(uint64_t* rows_kept) {
  while (next_fragment_ < scan_->fragments.size()) {
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
  StopAhead();
  ready_.clear();
  rows_left_.clear();
  fragment_.reset();
  return arrow::Status::OK();
}

void ScanReader::AddSearches(const SearchCounters& search) {
  statistics_.iops += search.iops;
  statistics_.requests += search.requests;
  statistics_.bytes_read += search.bytes_read;
  statistics_.indices_loaded += search.indices_loaded;
  statistics_.parts_loaded += search.iops;
  statistics_.index_comparisons += search.searches;
  statistics_.index_cache_hits += search.cache_hits;
  statistics_.index_cache_misses += search.cache_misses;
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
    if (const SearchCounters* search = pruner_->search_counters()) AddSearches(*search);
  }
  statistics_.seconds = std::chrono::duration<double>(run_.clock->Steady() - started_).count();
}

}  // namespace lance
