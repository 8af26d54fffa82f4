#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/scan_reader.h"
#include "lance/dataset/scanner_impl.h"

namespace lance {

namespace {

/// Names of the output columns: those asked for, then the switched-on system columns.
std::vector<std::string> OutputNames(const ScanOptions& options, const arrow::Schema& schema) {
  std::vector<std::string> names = options.columns;
  if (names.empty()) names = schema.field_names();
  const auto add = [&](bool is_wanted, SystemColumn column) {
    const std::string_view name = NameOf(column);
    if (is_wanted && std::find(names.begin(), names.end(), name) == names.end()) {
      names.emplace_back(name);
    }
  };
  add(options.with_row_id, SystemColumn::kRowId);
  add(options.with_row_address, SystemColumn::kRowAddress);
  return names;
}

arrow::Status CheckOptions(const ScanOptions& options) {
  if (options.batch_size == 0) {
    return arrow::Status::Invalid("batch_size is 0; allowed: 1 or more");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::shared_ptr<const Scanner::Impl>> Scanner::Impl::Make(
    std::shared_ptr<const Dataset::Impl> dataset, ScanOptions options) {
  ARROW_RETURN_NOT_OK(CheckOptions(options));
  auto scan = std::make_shared<Impl>();
  const format::LanceSchema& schema = dataset->manifest().schema;
  arrow::FieldVector fields;
  for (const std::string& name : OutputNames(options, *dataset->schema)) {
    if (const auto system = FindSystemColumn(name)) {
      scan->columns.push_back({.system = system});
      fields.push_back(arrow::field(name, arrow::uint64()));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field, ResolveColumn(schema, name));
    scan->columns.push_back({.field = dataset->FindField(field->id)});
    fields.push_back(
        format::ToArrowField(WithBlobForm(*scan->columns.back().field, BlobFormOf(options))));
  }
  scan->schema = arrow::schema(std::move(fields), dataset->schema->metadata());
  if (options.filter) {
    ARROW_ASSIGN_OR_RAISE(auto bound, filter::BoundFilter::Make(options.filter->sql(), schema));
    scan->filter = std::make_shared<const filter::BoundFilter>(std::move(bound));
  }
  scan->dataset = std::move(dataset);
  scan->options = std::move(options);
  return scan;
}

arrow::Result<Scanner> Dataset::Scan(ScanOptions options) const {
  std::shared_ptr<const Impl> part = impl_;
  if (options.fragment_ids) {
    ARROW_ASSIGN_OR_RAISE(const Dataset chosen, impl_->OnlyFragments(*options.fragment_ids));
    part = chosen.impl_;
  }
  ARROW_ASSIGN_OR_RAISE(auto scan, Scanner::Impl::Make(std::move(part), std::move(options)));
  return Scanner(std::move(scan));
}

arrow::Result<uint64_t> Dataset::CountRows(const std::optional<Filter>& filter,
                                           const CallOptions& call) const {
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, Scan({.filter = filter}));
  return scanner.CountRows(call);
}

const std::shared_ptr<arrow::Schema>& Scanner::projected_schema() const { return impl_->schema; }

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Scanner::ToReader(
    const CallOptions& call) const {
  return ScanReader::Make(impl_, impl_->dataset->Run(call));
}

arrow::Result<std::shared_ptr<arrow::Table>> Scanner::ToTable(const CallOptions& call) const {
  ARROW_ASSIGN_OR_RAISE(const auto reader, ToReader(call));
  return reader->ToTable();
}

arrow::Result<uint64_t> Scanner::CountRows(const CallOptions& call) const {
  if (impl_->filter == nullptr) {
    uint64_t rows = 0;
    for (const table::Fragment& fragment : impl_->dataset->manifest().fragments) {
      if (fragment.deletion_file && fragment.deletion_file->num_deleted_rows == 0) {
        // Old writers left the count out.
        ARROW_ASSIGN_OR_RAISE(const RowRanges live, LiveRows(*impl_->dataset->store, fragment,
                                                             impl_->dataset->Run(call)));
        rows += live.num_rows();
        continue;
      }
      rows += fragment.live_rows();
    }
    rows -= std::min(rows, impl_->options.offset);
    return impl_->options.limit ? std::min(rows, *impl_->options.limit) : rows;
  }
  ARROW_ASSIGN_OR_RAISE(const auto reader, ScanReader::Make(impl_, impl_->dataset->Run(call),
                                                            ScanReader::Purpose::kCount));
  uint64_t rows = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return rows;
    rows += static_cast<uint64_t>(batch->num_rows());
  }
}

const ScanStatistics* scan_statistics(const arrow::RecordBatchReader& reader) {
  const auto* scan = dynamic_cast<const ScanReader*>(&reader);
  return scan == nullptr ? nullptr : &scan->statistics();
}

arrow::Status Filter::Check(const arrow::Schema& schema) const {
  ARROW_ASSIGN_OR_RAISE(const auto lance_schema, format::MakeLanceSchema(schema));
  return filter::BoundFilter::Make(sql_, lance_schema).status();
}

}  // namespace lance
