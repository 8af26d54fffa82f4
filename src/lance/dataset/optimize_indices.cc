#include <algorithm>
#include <limits>
#include <list>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/catch_up_indices.h"
#include "lance/dataset/column_values.h"
#include "lance/dataset/covered_rows.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/index_refresh.h"
#include "lance/dataset/named_index.h"
#include "lance/dataset/new_segments.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/row_changes.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/training_rows.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index.h"
#include "lance/index/index_type.h"
#include "lance/index/ordered_value.h"
#include "lance/index/zonemap.h"

namespace lance {

namespace {

/// Whether a segment is a zonemap over values that have no order here: dictionaries of others.
bool IsZonemapWithoutOrder(const table::Manifest& manifest, const table::IndexMetadata& segment) {
  if (!index::IsZonemap(segment) || segment.field_ids.empty()) return false;
  const format::SchemaField* field = manifest.schema.FindById(segment.field_ids.front());
  if (field == nullptr) return false;
  const auto type = format::ParseLogicalType(field->logical_type);
  return !type.ok() || !index::HasOrder(**type);
}

/// Why an index cannot be brought up to date; "": it can.
std::string WhyNot(const table::Manifest& manifest, const table::IndexMetadata& segment) {
  const std::string type = index::IndexTypeName(segment);
  if (!IsBuiltHere(segment)) {
    return "index " + segment.name + " is a " + type + " index" +
           (segment.index_version ? " of version " + std::to_string(*segment.index_version) : "") +
           ", which this version does not build; it stays as it is";
  }
  if (IsZonemapWithoutOrder(manifest, segment)) {
    return "index " + segment.name +
           " is a zonemap of values that have no order here; it stays as it is";
  }
  return "";
}

/// The names of the indices to bring up to date.
arrow::Result<std::vector<std::string>> ChooseIndices(const table::Manifest& manifest,
                                                      const OptimizeIndicesRequest& request,
                                                      const RunContext& run) {
  std::vector<std::string> chosen;
  for (const std::string& name : request.index_names) {
    const auto segments = SegmentsOfIndexNamed(manifest, name);
    if (segments.empty()) return NoSuchIndex(manifest, name);
    const std::string reason = WhyNot(manifest, segments.front());
    if (!reason.empty()) {
      return UnsupportedError("optimize index of type " + index::IndexTypeName(segments.front()),
                              reason);
    }
    if (std::ranges::find(chosen, name) == chosen.end()) chosen.push_back(name);
  }
  if (!request.index_names.empty()) return chosen;
  for (const table::IndexMetadata& segment : manifest.indices) {
    const bool is_known = std::ranges::find(chosen, segment.name) != chosen.end();
    if (is_known || index::IsSystemIndex(segment)) continue;
    const std::string reason = WhyNot(manifest, segment);
    if (reason.empty()) {
      chosen.push_back(segment.name);
    } else {
      Warn(run, "index_not_optimized", reason);
    }
  }
  return chosen;
}

/// What to do for the indices of some names.
std::vector<std::pair<IndexRefresh, RefreshRule>> PlanRefreshes(
    const table::Manifest& manifest, const std::vector<std::string>& names,
    const OptimizeIndicesRequest& request) {
  std::vector<std::pair<IndexRefresh, RefreshRule>> plan;
  for (const std::string& name : names) {
    RefreshRule rule{request.num_segments_to_merge, request.retrain};
    const auto segments = SegmentsOfIndexNamed(manifest, name);
    // Zones are few, so that all of them are as soon written as some.
    if (!rule.num_segments_to_merge && index::IsZonemap(segments.front())) {
      rule.num_segments_to_merge = std::numeric_limits<uint64_t>::max();
    }
    if (auto refresh = PlanIndexRefresh(manifest, name, rule)) {
      plan.emplace_back(*std::move(refresh), rule);
    }
  }
  return plan;
}

/// Write the new segment of an index that names rows.
arrow::Status WriteRefreshedScalar(const Dataset::Impl& dataset, const IndexRefresh& refresh,
                                   ProgressReporter* progress, const RunContext& run,
                                   NewSegments* segments) {
  ARROW_ASSIGN_OR_RAISE(const auto column, ColumnValues::Make(dataset.fields, refresh.field_id));
  const index::RowDomain domain = DomainOfNew(refresh.index_type, dataset.manifest());
  index::NewScalarIndex content{.index_type = refresh.index_type,
                                .column = column.path(),
                                .column_type = column.type(),
                                .domain = domain};
  std::list<std::unique_ptr<index::RowMapping>> mappings;  // outlive the writing
  for (const IndexRefresh::Carried& carried : refresh.carried) {
    ARROW_ASSIGN_OR_RAISE(auto mapping, MakeCoveredRows(dataset, carried.coverage, domain, run));
    content.old_parts.push_back({.segment = &carried.segment, .mapping = mapping.get()});
    mappings.push_back(std::move(mapping));
  }
  content.rows = MakeTrainingRows(
      dataset,
      {.column = column,
       .fragment_ids = refresh.fragments_to_scan,
       .domain = domain,
       .on_progress = [progress](uint64_t num_rows) { progress->Update(num_rows); }},
      run);
  return segments->Write({.name = refresh.name,
                          .field_id = refresh.field_id,
                          .uuid = Uuid::Random(*run.random),
                          .coverage = refresh.coverage,
                          .dataset_version = refresh.dataset_version},
                         content, run);
}

arrow::Result<Dataset> CommitRefreshes(const Dataset& dataset,
                                       const std::vector<std::string>& names,
                                       const OptimizeIndicesRequest& request,
                                       const RunContext& run) {
  const Dataset::Impl& impl = dataset.impl();
  const auto plan = PlanRefreshes(impl.manifest(), names, request);
  if (plan.empty()) return dataset;
  ProgressReporter progress(run, "optimize_indices", "rows");
  NewSegments segments(impl.store);
  std::vector<table::IndexMetadata> removed;
  for (const auto& [refresh, rule] : plan) {
    progress.Stage(refresh.name);
    if (refresh.index_type == "ZoneMap") {
      ARROW_RETURN_NOT_OK(
          WriteRefreshedZonemap(dataset, ZonemapRefreshOf(refresh, rule), run, &segments));
    } else {
      ARROW_RETURN_NOT_OK(WithContext(
          WriteRefreshedScalar(impl, refresh, &progress, run, &segments), "index " + refresh.name));
    }
    removed.insert(removed.end(), refresh.replaced.begin(), refresh.replaced.end());
  }
  progress.Stage("commit");
  return segments.Commit(dataset, std::move(removed), request.commit, run);
}

/// First what rewrites have left for later, so that the rest need not know of it. Who trains anew
/// takes over nothing, and may well do so because what is there cannot be read.
arrow::Result<Dataset> OptimizeOnce(const Dataset& dataset, const OptimizeIndicesRequest& request,
                                    const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto names, ChooseIndices(dataset.impl().manifest(), request, run));
  Dataset current = dataset;
  if (!request.retrain) {
    ARROW_ASSIGN_OR_RAISE(current, CatchUpIndices(dataset, names, request.commit, run));
  }
  ARROW_ASSIGN_OR_RAISE(current, CommitRefreshes(current, names, request, run));
  return TrimFragmentReuse(current, request.commit, run);
}

}  // namespace

arrow::Result<Dataset> OptimizeIndices(const Dataset& dataset,
                                       const OptimizeIndicesRequest& request,
                                       const CallOptions& call) {
  return RetryOnNewest<Dataset>(dataset, request.commit, call, [&](const Dataset& version) {
    return OptimizeOnce(version, request, version.impl().Run(call));
  });
}

}  // namespace lance
