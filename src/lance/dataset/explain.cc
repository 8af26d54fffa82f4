#include <algorithm>
#include <sstream>
#include <string>

#include "arrow/api.h"
#include "lance/dataset/scan_reader.h"
#include "lance/dataset/scanner_impl.h"

namespace lance {

namespace {

/// Columns that are read only where the filter passes.
std::vector<std::string> LateColumns(const Scanner::Impl& scan) {
  std::vector<std::string> late;
  if (scan.filter == nullptr) return late;
  const auto is_read_first = [&](const OutputColumn& column) {
    return std::ranges::any_of(scan.filter->columns(), [&](const filter::FilterColumn& early) {
      return early.field_id == column.field->id &&
             (early.is_whole() || std::ranges::includes(early.used_ids, column.used_ids));
    });
  };
  for (size_t i = 0; i < scan.columns.size(); ++i) {
    const OutputColumn& column = scan.columns[i];
    if (column.field == nullptr || is_read_first(column)) continue;
    late.push_back(scan.schema->field(static_cast<int>(i))->name());
  }
  return late;
}

std::string PlanText(const ScanExplanation& plan, const std::vector<std::string>& early) {
  std::ostringstream text;
  text << "Scan version " << plan.table_version << ": " << plan.fragments.kept << " of "
       << plan.fragments.total << " fragments, " << plan.zones.kept << " of " << plan.zones.total
       << " zones, " << plan.rows.kept << " of " << plan.rows.total << " rows\n";
  if (plan.filter) text << "  filter " << *plan.filter << "\n";
  for (const ScanPredicate& predicate : plan.predicates) {
    text << "    " << predicate.predicate << ": " << predicate.zones_kept << " of "
         << predicate.zones_total << " zones";
    if (predicate.index) {
      text << " by " << *predicate.index_type << " " << *predicate.index
           << (predicate.exact ? ", exactly" : "");
    } else {
      text << (predicate.index_type ? " by seeds" : ", no statistics");
    }
    text << "\n";
  }
  const auto list = [&](const char* title, const std::vector<std::string>& names) {
    if (names.empty()) return;
    text << "  " << title;
    for (const std::string& name : names) text << " " << name;
    text << "\n";
  };
  list("read first:", early);
  list("read where rows pass:", plan.late_materialization);
  return text.str();
}

std::string ActualText(const ScanStatistics& actual) {
  std::ostringstream text;
  text << "actual: " << actual.rows_returned << " rows returned of " << actual.rows_scanned
       << " read, " << actual.bytes_read << " bytes in " << actual.requests << " requests\n";
  return text.str();
}

/// Data file bytes, in all and scaled by the rows kept.
ScanPart EstimateBytes(const table::Manifest& manifest, const ScanPart& rows) {
  ScanPart bytes;
  for (const table::Fragment& fragment : manifest.fragments) {
    for (const table::DataFile& file : fragment.files) bytes.total += file.size_bytes;
  }
  if (rows.total > 0) {
    bytes.kept =
        static_cast<uint64_t>(static_cast<double>(bytes.total) * static_cast<double>(rows.kept) /
                              static_cast<double>(rows.total));
  }
  return bytes;
}

std::vector<ScanPredicate> DescribeLeaves(const FragmentPruner& pruner) {
  std::vector<ScanPredicate> predicates;
  for (const FragmentPruner::LeafCounts& leaf : pruner.leaf_counts()) {
    ScanPredicate predicate{.predicate = leaf.text,
                            .index = leaf.index_name,
                            .zones_kept = leaf.zones_kept,
                            .zones_total = leaf.zones_total};
    if (leaf.index_name) {
      predicate.index_type = leaf.index_type;
      predicate.exact = leaf.is_exact;
    } else if (leaf.used_seed) {
      predicate.index_type = "seed";
    }
    predicates.push_back(std::move(predicate));
  }
  return predicates;
}

}  // namespace

arrow::Result<ScanExplanation> Scanner::Explain(const CallOptions& call) const {
  const table::Manifest& manifest = impl_->dataset->manifest();
  ARROW_ASSIGN_OR_RAISE(const auto reader, ScanReader::Make(impl_, impl_->dataset->Run(call),
                                                            ScanReader::Purpose::kExplain));
  ScanExplanation plan;
  ARROW_RETURN_NOT_OK(reader->PruneAll(&plan.rows.kept));
  const ScanStatistics& statistics = reader->statistics();
  plan.table_version = manifest.version;
  if (impl_->filter != nullptr) plan.filter = impl_->filter->ToString();
  if (reader->pruner() != nullptr) plan.predicates = DescribeLeaves(*reader->pruner());
  plan.fragments = {statistics.fragments_kept, statistics.fragments_total};
  plan.zones = {statistics.zones_kept, statistics.zones_total};
  plan.rows.total = table::CountLiveRows(manifest.fragments);
  plan.bytes = EstimateBytes(manifest, plan.rows);
  plan.late_materialization = LateColumns(*impl_);
  plan.text = PlanText(
      plan, impl_->filter != nullptr ? impl_->filter->column_names() : std::vector<std::string>{});
  return plan;
}

arrow::Result<ScanExplanation> Scanner::Analyze(const CallOptions& call) const {
  // The scan goes first, so that it pays for the indices that it loads.
  ARROW_ASSIGN_OR_RAISE(const auto reader, ScanReader::Make(impl_, impl_->dataset->Run(call)));
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) break;
  }
  ARROW_ASSIGN_OR_RAISE(ScanExplanation plan, Explain(call));
  plan.actual = reader->statistics();
  plan.text += ActualText(*plan.actual);
  return plan;
}

}  // namespace lance
