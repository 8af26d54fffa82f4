#include "lance/dataset/rewrite_indices.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/column_values.h"
#include "lance/dataset/compaction_impl.h"
#include "lance/dataset/index_coverage.h"
#include "lance/dataset/index_refresh.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/rewrite_moves.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/index/address_mapping.h"
#include "lance/index/index_file.h"
#include "lance/index/index_type.h"
#include "lance/index/scalar_index.h"
#include "lance/index/zonemap.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/index_rows.h"

namespace lance {

namespace {

/// Whether a failure says that this segment cannot be read, and nothing of the storage.
bool IsOfSegment(const arrow::Status& status) {
  return status.IsNotImplemented() || status.IsSerializationError() || status.IsInvalid() ||
         status.IsKeyError() || status.IsTypeError();
}

void WarnLeftOut(const RunContext& run, const table::IndexMetadata& segment,
                 const std::string& why) {
  Warn(run, "index_not_remapped",
       "index " + segment.name + " does not answer for the new fragments: " + why);
}

RoaringBitmap SourcesOf(const std::vector<ExecutedRewrite>& rewrites) {
  RoaringBitmap sources;
  for (const ExecutedRewrite& rewrite : rewrites) {
    for (const table::Fragment& source : *rewrite.sources) {
      sources.Add(static_cast<uint32_t>(source.id));
    }
  }
  return sources;
}

/// Whether an index has to follow the rows of a rewrite.
bool HasFollowers(const table::Manifest& manifest, const IndexCoverage& coverage,
                  const RoaringBitmap& sources, bool defers) {
  for (size_t i = 0; i < manifest.indices.size(); ++i) {
    if (!coverage[i] || !coverage[i]->Intersects(sources)) continue;
    const table::IndexMetadata& segment = manifest.indices[i];
    // A record helps indices of every kind.
    const bool follows = defers ? !index::IsSystemIndex(segment) : IsRemapped(segment, manifest);
    if (follows) return true;
  }
  return false;
}

/// Whether rows are in another order afterwards, and nobody knows in which.
bool LostOrder(const RewriteCommit& job, const std::vector<ExecutedRewrite>& rewrites) {
  return job.layout && std::ranges::any_of(rewrites, [](const ExecutedRewrite& rewrite) {
           return rewrite.places == nullptr && rewrite.rows_out > 0;
         });
}

/// Whether a clustering run covers the new fragments by this index, after the rewrite.
bool IsRefreshed(const table::IndexMetadata& segment, const RewriteCommit& job) {
  return job.layout && index::IsZonemap(segment) && !segment.field_ids.empty() &&
         std::ranges::find(job.layout->field_ids, segment.field_ids.front()) !=
             job.layout->field_ids.end();
}

std::string HowToRefresh(const table::IndexMetadata& segment) {
  if (index::IsZonemap(segment)) {
    return "OptimizeIndices mends it; until then seeds or full reads stand in";
  }
  if (IsBuiltHere(segment)) return "OptimizeIndices mends it";
  return "not in this version; the new fragments are read in full";
}

}  // namespace

RewrittenIndices::~RewrittenIndices() {
  for (const table::RewrittenIndex& segment : segments_) {
    for (const table::IndexFile& file : segment.files) {
      // Best effort: cleanup finds what stays.
      (void)store_->Delete(index::IndexFilePath(segment.new_uuid, std::nullopt, file.path));
    }
  }
  if (record_) table::DropReuseFile(*store_, record_->entry);
}

arrow::Status RewrittenIndices::Write(const Dataset::Impl& latest, const RewriteCommit& job,
                                      const std::vector<ExecutedRewrite>& rewrites,
                                      uint64_t first_id, const RunContext& run) {
  const bool defers = job.defers_index_remap;
  ARROW_RETURN_NOT_OK(CheckDeferrable(defers, latest.manifest()));
  ARROW_ASSIGN_OR_RAISE(const IndexCoverage coverage, CurrentCoverage(latest, run));
  if (!HasFollowers(latest.manifest(), coverage, SourcesOf(rewrites), defers)) {
    return arrow::Status::OK();
  }
  if (LostOrder(job, rewrites)) {
    Warn(run, "index_not_remapped",
         "the rewrite was planned before there were indices to remap; they do not answer for the "
         "new fragments");
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(auto groups, MovesOf(*store_, rewrites, first_id, run));
  if (defers) return Record(latest, rewrites, groups, run);
  ARROW_ASSIGN_OR_RAISE(const auto moves, table::RowMoves::Make(std::move(groups)));
  return Remap(latest, moves, coverage, run);
}

arrow::Status RewrittenIndices::Record(const Dataset::Impl& latest,
                                       const std::vector<ExecutedRewrite>& rewrites,
                                       const std::vector<table::MovedGroup>& groups,
                                       const RunContext& run) {
  std::vector<table::ReuseVersion> versions;
  ARROW_ASSIGN_OR_RAISE(const auto reuse, LoadFragmentReuse(latest, run));
  if (reuse != nullptr) versions = reuse->versions();
  table::ReuseVersion added{.dataset_version = latest.manifest().version};
  ARROW_ASSIGN_OR_RAISE(added.groups, RecordOf(rewrites, groups));
  versions.push_back(std::move(added));
  table::ReuseEntry record;
  const table::IndexMetadata* replaced = table::FindFragmentReuse(latest.manifest().indices);
  if (replaced != nullptr) record.replaced = replaced->uuid;
  ARROW_ASSIGN_OR_RAISE(
      record.entry, table::WriteFragmentReuse(*store_, versions, latest.manifest().version, run));
  record_ = std::move(record);
  return arrow::Status::OK();
}

arrow::Status RewrittenIndices::Remap(const Dataset::Impl& latest, const table::RowMoves& moves,
                                      const IndexCoverage& coverage, const RunContext& run) {
  const table::Manifest& manifest = latest.manifest();
  index::AddressMapping::Steps steps{.moves = &moves};
  ARROW_ASSIGN_OR_RAISE(steps.reuse, LoadFragmentReuse(latest, run));
  for (size_t i = 0; i < manifest.indices.size(); ++i) {
    const table::IndexMetadata& segment = manifest.indices[i];
    if (!IsRemapped(segment, manifest) || !coverage[i]) continue;
    if (!coverage[i]->Intersects(moves.sources())) continue;
    if (moves.Straddles(*coverage[i])) {
      WarnLeftOut(run, segment, "it covers only a part of the rows that were written together");
      continue;
    }
    steps.covered = EffectiveCoverage(segment, manifest, steps.reuse.get());
    const arrow::Status written = RemapOne(latest, segment, index::AddressMapping(steps), run);
    if (IsOfSegment(written)) {
      WarnLeftOut(run, segment, written.message());
    } else {
      ARROW_RETURN_NOT_OK(written);
    }
  }
  return arrow::Status::OK();
}

arrow::Status RewrittenIndices::RemapOne(const Dataset::Impl& latest,
                                         const table::IndexMetadata& segment,
                                         const index::RowMapping& mapping, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto column,
                        ColumnValues::Make(latest.fields, segment.field_ids.front()));
  index::NewScalarIndex request{.index_type = index::IndexTypeName(segment),
                                .column = column.path(),
                                .column_type = column.type(),
                                .domain = index::RowDomain::kAddress,
                                .old_parts = {{.segment = &segment, .mapping = &mapping}}};
  const Uuid uuid = Uuid::Random(*run.random);
  ARROW_ASSIGN_OR_RAISE(auto written, index::WriteScalarIndex(latest.store, uuid, request, run));
  // Details and version stay what they were: a rewrite cannot change them (5.6).
  segments_.push_back({.old_uuid = segment.uuid,
                       .new_uuid = uuid,
                       .details_type_url = segment.details_type_url,
                       .details_value = segment.details_value,
                       .index_version = static_cast<uint32_t>(segment.index_version.value_or(0)),
                       .files = std::move(written.files)});
  return arrow::Status::OK();
}

void RewrittenIndices::AddTo(table::Rewrite* rewrite) const {
  rewrite->rewritten_indices = segments_;
  rewrite->reuse_entry = record_;
}

void RewrittenIndices::KeepThoseOf(const table::Manifest& landed) {
  const auto is_named = [&](const Uuid& uuid) {
    return std::ranges::find(landed.indices, uuid, &table::IndexMetadata::uuid) !=
           landed.indices.end();
  };
  std::erase_if(segments_, [&](const auto& segment) { return is_named(segment.new_uuid); });
  if (record_ && is_named(record_->entry.uuid)) record_.reset();
}

void RewrittenIndices::KeepAll() {
  segments_.clear();
  record_.reset();
}

void NoteUncovered(const table::Manifest& manifest, const RewriteCommit& job,
                   const RoaringBitmap& new_ids, CompactionResult* result) {
  std::map<std::string, RoaringBitmap> covered;  // of all segments of a name
  for (const table::IndexMetadata& segment : manifest.indices) {
    const auto coverage = segment.Coverage();
    RoaringBitmap& fragments = covered[segment.name];
    // Zones and bloom filters do not follow a record; what is said of them is of old fragments.
    const bool follows = !job.defers_index_remap || IsRemapped(segment, manifest);
    if (coverage.ok() && *coverage && follows) fragments |= **coverage;
  }
  std::set<std::string> noted;
  for (const UncoveredIndex& listed : result->uncovered_indices) noted.insert(listed.name);
  for (const table::IndexMetadata& segment : manifest.indices) {
    RoaringBitmap missing = new_ids;
    missing -= covered[segment.name];
    if (missing.empty() || index::IsSystemIndex(segment) || IsRefreshed(segment, job)) continue;
    if (!noted.insert(segment.name).second) continue;
    result->uncovered_indices.push_back({.name = segment.name,
                                         .type = index::IndexTypeName(segment),
                                         .fragments = missing.size(),
                                         .refresh = HowToRefresh(segment)});
  }
}

}  // namespace lance
