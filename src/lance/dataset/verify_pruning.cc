#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/filter_columns.h"
#include "lance/dataset/filter_maker.h"
#include "lance/dataset/prune_plan.h"
#include "lance/dataset/scanner_impl.h"
#include "lance/dataset/system_column_reader.h"
#include "lance/scan.h"
#include "lance/table/feature_flags.h"
#include "lance/verify.h"

namespace lance {
namespace {

/// Cut ranges of rows at the borders of blocks.
std::vector<RowRange> CutAtBlocks(const RowRanges& rows, uint64_t rows_per_block) {
  std::vector<RowRange> parts;
  for (const RowRange& range : rows.ranges()) {
    for (uint64_t begin = range.begin; begin < range.end;) {
      const uint64_t end = std::min(range.end, (begin / rows_per_block + 1) * rows_per_block);
      parts.push_back({begin, end});
      begin = end;
    }
  }
  return parts;
}

/// Takes a share at random. Thread-compatible.
class RandomShare {
 public:
  RandomShare(double fraction, uint64_t seed) : fraction_(fraction), engine_(seed) {}

  std::vector<RowRange> Of(std::vector<RowRange> parts) {
    std::erase_if(parts, [this](const RowRange&) {
      return std::generate_canonical<double, 53>(engine_) >= fraction_;
    });
    return parts;
  }

 private:
  double fraction_;
  std::mt19937_64 engine_;
};

/// Tries filters on one version.
class Verification {
 public:
  Verification(std::shared_ptr<const Dataset::Impl> dataset, const VerifyPruningRequest& request,
               const RunContext& run)
      : dataset_(std::move(dataset)), sample_(request.sample_fraction, request.seed), run_(run) {}

  arrow::Status Try(const std::string& sql) {
    const table::Manifest& manifest = dataset_->manifest();
    ARROW_ASSIGN_OR_RAISE(const auto filter, filter::BoundFilter::Make(sql, manifest.schema));
    ARROW_ASSIGN_OR_RAISE(
        FragmentPruner pruner,
        FragmentPruner::Make(dataset_, dataset_->store, filter.predicate(), PruneOptions(), run_));
    ++result_.num_filters;
    for (const table::Fragment& fragment : manifest.fragments) {
      ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
      FragmentReader reader(dataset_->store, fragment, run_);
      reader.UseCacheOf(*dataset_);
      ARROW_ASSIGN_OR_RAISE(const auto pruned, pruner.Prune(&reader));
      const RowRanges skipped = pruned.candidates.Complement(fragment.physical_rows);
      if (skipped.empty()) continue;
      const uint64_t rows_per_zone =
          std::max<uint64_t>(CeilDiv(fragment.physical_rows, pruned.zones_total), 1);
      std::vector<RowRange> parts = CutAtBlocks(skipped, rows_per_zone);
      // Indices that name rows skip parts of zones, too.
      const uint64_t num_zones = pruned.zones_total - pruned.zones_kept;
      result_.zones_pruned += num_zones > 0 ? num_zones : parts.size();
      ARROW_RETURN_NOT_OK(Reread(filter, &reader, sample_.Of(std::move(parts))));
    }
    return arrow::Status::OK();
  }

  VerifyPruningResult TakeResult() { return std::move(result_); }

 private:
  /// Read zones, some thousand rows at a time.
  arrow::Status Reread(const filter::BoundFilter& filter, FragmentReader* reader,
                       const std::vector<RowRange>& zones) {
    constexpr uint64_t kMostRows = 65536;
    result_.zones_reread += zones.size();
    ARROW_ASSIGN_OR_RAISE(const RowRanges live, reader->Live());
    std::vector<RowRange> part;
    uint64_t num_rows = 0;
    RowRanges passing;
    for (size_t i = 0; i < zones.size(); ++i) {
      part.push_back(zones[i]);
      num_rows += zones[i].size();
      if (num_rows < kMostRows && i + 1 < zones.size()) continue;
      ARROW_ASSIGN_OR_RAISE(
          const RowRanges found,
          Passing(filter, reader, RowRanges::Make(std::exchange(part, {})).Intersect(live)));
      passing = passing.Union(found);
      num_rows = 0;
    }
    if (!passing.empty()) AddMissed(filter, reader->fragment(), passing);
    return arrow::Status::OK();
  }

  /// Those of some rows that pass a filter.
  arrow::Result<RowRanges> Passing(const filter::BoundFilter& filter, FragmentReader* reader,
                                   const RowRanges& rows) {
    if (rows.empty()) return rows;
    result_.rows_reread += rows.num_rows();
    SystemColumnReader system(reader, table::HasStableRowIds(dataset_->manifest()), run_);
    const auto read_system = [&system](SystemColumn column, const RowRanges& wanted) {
      return system.Read(column, wanted);
    };
    ARROW_ASSIGN_OR_RAISE(
        const auto batch,
        ReadFilterColumns(*dataset_, filter, BlobForm::kDescriptors, reader, read_system, rows));
    ARROW_ASSIGN_OR_RAISE(const auto mask, filter.Evaluate(*batch, run_.stop_token));
    return KeepTrue(rows, *mask);
  }

  void AddMissed(const filter::BoundFilter& filter, const table::Fragment& fragment,
                 const RowRanges& passing) {
    const std::string place = "fragment " + std::to_string(fragment.id);
    result_.missed.push_back(
        {.severity = "error",
         .code = "rows_skipped",
         .path = place,
         .message = std::to_string(passing.num_rows()) + " rows of " + place + " pass the filter " +
                    filter.ToString() +
                    ", but statistics or indices skip them; the first at offset " +
                    std::to_string(passing.ranges().front().begin)});
  }

  std::shared_ptr<const Dataset::Impl> dataset_;
  RandomShare sample_;
  RunContext run_;
  VerifyPruningResult result_;
};

}  // namespace

arrow::Result<VerifyPruningResult> VerifyPruning(const Dataset& dataset,
                                                 const VerifyPruningRequest& request,
                                                 const CallOptions& call) {
  if (!(request.sample_fraction > 0 && request.sample_fraction <= 1)) {
    return arrow::Status::Invalid("sample_fraction is ", request.sample_fraction,
                                  "; allowed: above 0 to 1");
  }
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, dataset.Scan());
  Verification verification(scanner.impl().dataset, request, dataset.impl().Run(call));
  if (request.filter) {
    ARROW_RETURN_NOT_OK(verification.Try(request.filter->sql()));
    return verification.TakeResult();
  }
  ARROW_ASSIGN_OR_RAISE(FilterMaker maker, FilterMaker::Make(dataset, request.seed, call));
  for (uint64_t i = 0; i < request.num_generated_filters && maker.has_columns(); ++i) {
    ARROW_RETURN_NOT_OK(verification.Try(maker.Next()));
  }
  return verification.TakeResult();
}

}  // namespace lance
