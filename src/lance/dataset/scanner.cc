#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/ordered_reader.h"
#include "lance/dataset/scan_reader.h"
#include "lance/dataset/scanner_impl.h"

namespace lance {

namespace {

arrow::Status CheckOptions(const ScanOptions& options) {
  if (options.batch_size == 0) {
    return arrow::Status::Invalid("batch_size is 0; allowed: 1 or more");
  }
  if (options.batch_size_bytes == 0u) {
    return arrow::Status::Invalid("batch_size_bytes is 0; allowed: 1 or more");
  }
  return arrow::Status::OK();
}

/// The fragments to read, by position in the manifest.
arrow::Result<std::vector<size_t>> ChooseFragments(const table::Manifest& manifest,
                                                   const ScanOptions& options) {
  std::vector<size_t> positions;
  if (!options.fragment_ids) {
    positions.resize(manifest.fragments.size());
    std::iota(positions.begin(), positions.end(), size_t{0});
    return positions;
  }
  std::map<uint64_t, size_t> by_id;
  for (size_t i = 0; i < manifest.fragments.size(); ++i) by_id[manifest.fragments[i].id] = i;
  for (const uint64_t id : *options.fragment_ids) {
    const auto found = by_id.find(id);
    if (found == by_id.end()) {
      return NotFoundError("fragment", std::to_string(id),
                           "fragment " + std::to_string(id) + " is not in version " +
                               std::to_string(manifest.version));
    }
    positions.push_back(found->second);
  }
  return positions;
}

arrow::Status CheckDeletedRows(const Scanner::Impl& scan) {
  if (!scan.options.include_deleted_rows) return arrow::Status::OK();
  const bool has_row_id = std::ranges::find(scan.columns, std::optional(SystemColumn::kRowId),
                                            &OutputColumn::system) != scan.columns.end();
  if (has_row_id) return arrow::Status::OK();
  return arrow::Status::Invalid(
      "include_deleted_rows wants _rowid among the columns, or with_row_id: it is null for rows "
      "that are deleted");
}

}  // namespace

arrow::Result<std::shared_ptr<const Scanner::Impl>> Scanner::Impl::Make(
    std::shared_ptr<const Dataset::Impl> dataset, ScanOptions options, MemberShape shape) {
  ARROW_RETURN_NOT_OK(CheckOptions(options));
  auto scan = std::make_shared<Impl>();
  ARROW_ASSIGN_OR_RAISE(OutputColumns output, FindOutputColumns(*dataset, options, shape));
  scan->columns = std::move(output.columns);
  scan->schema = std::move(output.schema);
  scan->sources = SourcesOf(*dataset, scan->columns);
  if (options.filter) {
    ARROW_ASSIGN_OR_RAISE(
        auto bound, filter::BoundFilter::FromFilter(*options.filter, dataset->manifest().schema));
    scan->filter = std::make_shared<const filter::BoundFilter>(std::move(bound));
  }
  ARROW_ASSIGN_OR_RAISE(scan->fragments, ChooseFragments(dataset->manifest(), options));
  ARROW_RETURN_NOT_OK(CheckOrdering(*dataset, options.order_by));
  scan->dataset = std::move(dataset);
  scan->options = std::move(options);
  ARROW_RETURN_NOT_OK(CheckDeletedRows(*scan));
  return scan;
}

arrow::Result<Scanner> Dataset::Scan(ScanOptions options) const {
  ARROW_ASSIGN_OR_RAISE(auto scan, Scanner::Impl::Make(impl_, std::move(options)));
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
  const RunContext run = impl_->dataset->Run(call);
  if (!impl_->options.order_by.empty()) return OrderedReader::Make(impl_, run);
  return ScanReader::Make(impl_, run);
}

arrow::Result<std::shared_ptr<arrow::Table>> Scanner::ToTable(const CallOptions& call) const {
  ARROW_ASSIGN_OR_RAISE(const auto reader, ToReader(call));
  return reader->ToTable();
}

arrow::Result<uint64_t> Scanner::CountRows(const CallOptions& call) const {
  if (impl_->filter == nullptr) {
    uint64_t rows = 0;
    for (const size_t position : impl_->fragments) {
      const table::Fragment& fragment = impl_->dataset->manifest().fragments[position];
      rows += impl_->options.include_deleted_rows ? fragment.physical_rows : fragment.live_rows();
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
  if (const auto* ordered = dynamic_cast<const OrderedReader*>(&reader)) {
    return &ordered->statistics();
  }
  const auto* scan = dynamic_cast<const ScanReader*>(&reader);
  return scan == nullptr ? nullptr : &scan->statistics();
}

}  // namespace lance
