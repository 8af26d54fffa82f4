#include "lance/dataset/catch_up_indices.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/column_values.h"
#include "lance/dataset/index_coverage.h"
#include "lance/dataset/new_segments.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index/address_mapping.h"
#include "lance/index/index_type.h"
#include "lance/index/zonemap.h"

namespace lance {

namespace {

/// Whether a segment may name rows from before some rewrite.
bool IsBehind(const table::IndexMetadata& segment,
              const std::vector<table::ReuseVersion>& versions) {
  return std::ranges::any_of(versions, [&](const table::ReuseVersion& version) {
    return segment.dataset_version <= version.dataset_version;
  });
}

/// Write one segment that names rows again.
arrow::Status WriteCaughtUp(const Dataset::Impl& dataset, const table::IndexMetadata& segment,
                            const std::shared_ptr<const table::FragmentReuse>& reuse,
                            const RunContext& run, NewSegments* segments) {
  const RoaringBitmap coverage = EffectiveCoverage(segment, dataset.manifest(), reuse.get());
  ARROW_ASSIGN_OR_RAISE(const auto column,
                        ColumnValues::Make(dataset.fields, segment.field_ids.front()));
  const index::AddressMapping mapping({.reuse = reuse, .covered = coverage});
  const std::string type = index::IndexTypeName(segment);
  return segments->Write({.name = segment.name,
                          .field_id = segment.field_ids.front(),
                          .uuid = Uuid::Random(*run.random),
                          .coverage = coverage,
                          .dataset_version = dataset.manifest().version,
                          .created_at_ms = segment.created_at_ms},
                         {.index_type = type,
                          .column = column.path(),
                          .column_type = column.type(),
                          .domain = DomainOfNew(type, dataset.manifest()),
                          .old_parts = {{.segment = &segment, .mapping = &mapping}}},
                         run);
}

/// A zonemap that claims only fragments that it has zones of: zones do not follow rows.
arrow::Result<table::IndexMetadata> WithoutMissingZones(const Dataset::Impl& dataset,
                                                        const table::IndexMetadata& segment,
                                                        const RunContext& run) {
  bool was_cached = false;
  ARROW_ASSIGN_OR_RAISE(const auto zones,
                        LoadZonemapCached(dataset, dataset.store, segment, run, &was_cached));
  RoaringBitmap covered;
  for (const uint32_t id : EffectiveCoverage(segment, dataset.manifest()).ToVector()) {
    if (zones->Find(id) != nullptr) covered.Add(id);
  }
  table::IndexMetadata edited = segment;
  edited.fragment_bitmap = covered.Serialize();
  edited.dataset_version = dataset.manifest().version;
  return edited;
}

bool IsOfNames(const table::IndexMetadata& segment, const std::vector<std::string>& names) {
  return std::ranges::find(names, segment.name) != names.end();
}

}  // namespace

std::vector<table::ReuseVersion> NeededVersions(const table::Manifest& manifest,
                                                const std::vector<table::ReuseVersion>& versions) {
  std::vector<table::ReuseVersion> needed;
  for (const table::ReuseVersion& version : versions) {
    const bool is_needed = std::ranges::any_of(manifest.indices, [&](const auto& segment) {
      // Nobody uses a segment that does not say what it covers.
      return !index::IsSystemIndex(segment) && !segment.fragment_bitmap.empty() &&
             segment.dataset_version <= version.dataset_version;
    });
    if (is_needed) needed.push_back(version);
  }
  return needed;
}

arrow::Result<Dataset> CatchUpIndices(const Dataset& dataset, const std::vector<std::string>& names,
                                      const CommitOptions& commit, const RunContext& run) {
  const Dataset::Impl& impl = dataset.impl();
  ARROW_ASSIGN_OR_RAISE(const auto reuse, LoadFragmentReuse(impl, run));
  if (reuse == nullptr) return dataset;
  NewSegments segments(impl.store);
  std::vector<table::IndexMetadata> edited;
  std::vector<table::IndexMetadata> removed;
  for (const table::IndexMetadata& segment : impl.manifest().indices) {
    if (!IsOfNames(segment, names) || !IsBehind(segment, reuse->versions())) continue;
    if (IsRemapped(segment, impl.manifest())) {
      ARROW_RETURN_NOT_OK(WithContext(WriteCaughtUp(impl, segment, reuse, run, &segments),
                                      "index " + segment.name));
    } else if (index::IsZonemap(segment)) {
      ARROW_ASSIGN_OR_RAISE(edited.emplace_back(), WithoutMissingZones(impl, segment, run));
    } else {
      continue;
    }
    removed.push_back(segment);
  }
  if (removed.empty()) return dataset;
  return segments.Commit(dataset, std::move(removed), commit, run, std::move(edited));
}

arrow::Result<Dataset> TrimFragmentReuse(const Dataset& dataset, const CommitOptions& commit,
                                         const RunContext& run) {
  const Dataset::Impl& impl = dataset.impl();
  ARROW_ASSIGN_OR_RAISE(const auto reuse, LoadFragmentReuse(impl, run));
  if (reuse == nullptr) return dataset;
  const auto needed = NeededVersions(impl.manifest(), reuse->versions());
  if (needed.size() == reuse->versions().size()) return dataset;
  table::CreateIndex change;
  change.removed_indices.push_back(*table::FindFragmentReuse(impl.manifest().indices));
  ARROW_ASSIGN_OR_RAISE(const table::IndexMetadata trimmed,
                        table::WriteFragmentReuse(*impl.store, needed, dataset.version(), run));
  change.new_indices.push_back(trimmed);
  table::CommitRequest request;
  request.transaction = MakeTransaction(dataset.version(), std::move(change), commit, run);
  ARROW_ASSIGN_OR_RAISE(request.retry, MakeRetryPolicy(commit));
  auto committed = impl.Commit(std::move(request), run);
  if (!committed.ok() && CommitUnknown::From(committed.status()) == nullptr) {
    table::DropReuseFile(*impl.store, trimmed);
  }
  return committed;
}

}  // namespace lance
