#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/count_text.h"
#include "lance/dataset/filter/canonical.h"
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

/// Note the paths of the fields below a node that are used, each with all below it.
void AddUsed(const format::FieldNode& node, const std::string& path, const std::set<int32_t>& used,
             std::vector<std::string>* paths) {
  if (used.contains(node.id)) {
    paths->push_back(path);
    return;
  }
  for (const format::FieldNode& child : node.children) {
    AddUsed(child, path + "." + filter::CanonicalIdentifier(child.name), used, paths);
  }
}

/// Columns, and members of them, that are read to evaluate the filter.
std::vector<std::string> EarlyColumns(const Scanner::Impl& scan) {
  std::vector<std::string> early;
  if (scan.filter == nullptr) return early;
  for (const filter::FilterColumn& column : scan.filter->columns()) {
    if (column.is_whole() || column.field == nullptr) {
      early.push_back(column.name);
    } else {
      AddUsed(*column.field, column.name, column.used_ids, &early);
    }
  }
  return early;
}

/// Note the conditions of a filter that no statistics are asked about, each text once.
void CollectUnasked(const index::Predicate& predicate, std::vector<std::string>* texts) {
  const bool is_new = predicate.kind == index::Predicate::Kind::kUnknown &&
                      std::ranges::find(*texts, predicate.text) == texts->end();
  if (is_new) texts->push_back(predicate.text);
  for (const index::Predicate& child : predicate.children) CollectUnasked(child, texts);
}

/// "3 of 1,024 zones".
std::string PartText(const ScanPart& part, const char* unit) {
  return WithCommas(part.kept) + " of " + WithCommas(part.total) + " " + unit +
         (part.total == 1 ? "" : "s");
}

/// What answered a condition.
std::string AnswerText(const ScanPredicate& predicate) {
  std::string text = PartText({predicate.zones_kept, predicate.zones_total}, "zone");
  if (!predicate.index) return text + (predicate.index_type ? " by seeds" : ", no statistics");
  return text + " by " + *predicate.index_type + " " + *predicate.index +
         (predicate.exact ? ", exactly" : "");
}

/// \param num_asked how many of the first predicates are asked of statistics
std::string PlanText(const ScanExplanation& plan, const std::vector<std::string>& early,
                     size_t num_asked) {
  std::ostringstream text;
  text << "Scan version " << plan.table_version << ": " << PartText(plan.fragments, "fragment")
       << ", " << PartText(plan.zones, "zone") << ", " << PartText(plan.rows, "row") << "\n";
  if (plan.filter) text << "  filter " << *plan.filter << "\n";
  for (size_t i = 0; i < plan.predicates.size(); ++i) {
    const ScanPredicate& predicate = plan.predicates[i];
    text << "    " << predicate.predicate << ": "
         << (i < num_asked ? AnswerText(predicate) : "not asked of statistics") << "\n";
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
  const auto counted = [](uint64_t count, const char* noun) {
    return WithCommas(count) + " " + noun + (count == 1 ? "" : "s");
  };
  text << "actual: " << counted(actual.rows_returned, "row") << " returned of "
       << WithCommas(actual.rows_scanned) << " read, " << counted(actual.bytes_read, "byte")
       << " in " << counted(actual.requests, "request") << "\n";
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
  const size_t num_asked = plan.predicates.size();
  if (reader->pruner() != nullptr && impl_->filter != nullptr) {
    std::vector<std::string> unasked;
    CollectUnasked(impl_->filter->predicate(), &unasked);
    for (std::string& text : unasked) plan.predicates.push_back({.predicate = std::move(text)});
  }
  plan.fragments = {statistics.fragments_kept, statistics.fragments_total};
  plan.zones = {statistics.zones_kept, statistics.zones_total};
  plan.rows.total = table::CountLiveRows(manifest.fragments);
  plan.bytes = EstimateBytes(manifest, plan.rows);
  plan.late_materialization = LateColumns(*impl_);
  plan.text = PlanText(plan, EarlyColumns(*impl_), num_asked);
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
