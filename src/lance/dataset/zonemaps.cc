#include "lance/dataset/zonemaps.h"

#include <algorithm>
#include <set>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/index_refresh.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/index/seed.h"

namespace lance {

namespace {

/// Whether bounds are such as the reference writes for a zone with a negative NaN, which are those
/// of positive ones. Copied as they are, they would make it lose rows (zonemap-and-indices 2.6,
/// 8.1-2).
bool MayHideNegativeNan(const index::ZoneList& zones) {
  for (size_t i = 0; i < zones.size(); ++i) {
    if (zones.nan_count(i) > 0 && zones.max(i).is_nan() && !zones.min(i).is_nan()) return true;
  }
  return false;
}

/// Row count of one read while a column is scanned for its statistics.
constexpr uint64_t kRowsPerRead = 1 << 20;

bool UsesSeeds(const table::IndexMetadata& segment) {
  const auto details = index::ParseZonemapDetails(segment);
  return details.ok() && details->use_seeds;
}

/// The segments' parameter: the first one's rows per zone.
std::optional<uint64_t> RowsPerZoneOf(const std::vector<const table::IndexMetadata*>& segments) {
  for (const table::IndexMetadata* segment : segments) {
    const auto details = index::ParseZonemapDetails(*segment);
    if (details.ok() && details->rows_per_zone) return details->rows_per_zone;
  }
  return std::nullopt;
}

/// A name for a new index that no index of another column or type has.
std::string FreeIndexName(const table::Manifest& manifest, const std::string& column) {
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(manifest.indices.begin(), manifest.indices.end(),
                       [&](const auto& segment) { return segment.name == name; });
  };
  std::string name = column + "_idx";
  for (int i = 1; is_taken(name); ++i) {
    name = column + "_zonemap_idx" + (i == 1 ? "" : std::to_string(i));
  }
  return name;
}

arrow::Result<index::FragmentZones> ScanZones(FragmentReader* reader, const ColumnValues& column,
                                              uint64_t rows_per_zone) {
  const table::Fragment& fragment = reader->fragment();
  ARROW_ASSIGN_OR_RAISE(auto builder, index::ZoneBuilder::Make(column.type(), rows_per_zone));
  for (uint64_t begin = 0; begin < fragment.physical_rows; begin += kRowsPerRead) {
    const uint64_t end = std::min(begin + kRowsPerRead, fragment.physical_rows);
    ARROW_ASSIGN_OR_RAISE(const auto values, column.Read(reader, RowRanges::Make({{begin, end}})));
    ARROW_RETURN_NOT_OK(builder.Add(*values));
  }
  ARROW_ASSIGN_OR_RAISE(auto zones, builder.Finish());
  zones.fragment_id = fragment.id;
  return zones;
}

}  // namespace

std::vector<const table::IndexMetadata*> ZonemapSegmentsOf(const table::Manifest& manifest,
                                                           int32_t field_id) {
  std::vector<const table::IndexMetadata*> segments;
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (index::IsZonemap(segment) && IsBuiltHere(segment) &&
        segment.field_ids.front() == field_id) {
      segments.push_back(&segment);
    }
  }
  return segments;
}

std::vector<SeedColumn> ChooseSeedColumns(const table::Manifest* manifest,
                                          const format::LanceSchema& schema,
                                          const std::optional<ClusteringSpec>& spec) {
  std::vector<SeedColumn> seeds;
  for (const format::SchemaField& field : schema.fields) {
    if (field.parent_id != -1) continue;
    const bool is_key = spec && std::find(spec->columns.begin(), spec->columns.end(), field.name) !=
                                    spec->columns.end();
    const auto segments = manifest != nullptr ? ZonemapSegmentsOf(*manifest, field.id)
                                              : std::vector<const table::IndexMetadata*>{};
    const bool is_asked = std::any_of(segments.begin(), segments.end(), [](const auto* segment) {
      const auto details = index::ParseZonemapDetails(*segment);
      return details.ok() && details->use_seeds && details->rows_per_zone;
    });
    if (!is_key && !is_asked) continue;
    seeds.push_back(
        {.name = field.name,
         .field_id = field.id,
         .rows_per_zone = RowsPerZoneOf(segments).value_or(index::kDefaultRowsPerZone)});
  }
  return seeds;
}

namespace {

/// The kind of segment that zonemaps are in the session's cache.
constexpr std::string_view kCacheKind = "zonemap";

/// What a segment answers for depends on the version's fragments, so the version is in the key.
std::string CacheKey(const Dataset::Impl& dataset, const table::IndexMetadata& segment) {
  return SegmentCacheKey(dataset, segment) + "\n" + std::to_string(dataset.manifest().version);
}

}  // namespace

std::shared_ptr<const index::ZonemapSegment> FindCachedZonemap(
    const Dataset::Impl& dataset, const table::IndexMetadata& segment) {
  return dataset.session->impl().indices.Find<index::ZonemapSegment>(kCacheKind,
                                                                     CacheKey(dataset, segment));
}

arrow::Result<std::shared_ptr<const index::ZonemapSegment>> LoadZonemapCached(
    const Dataset::Impl& dataset, std::shared_ptr<ObjectStore> store,
    const table::IndexMetadata& segment, const RunContext& run, bool* was_cached) {
  const std::string key = CacheKey(dataset, segment);
  IndexCache& cache = dataset.session->impl().indices;
  auto cached = cache.Find<index::ZonemapSegment>(kCacheKind, key);
  *was_cached = cached != nullptr;
  if (cached != nullptr) return cached;
  if (segment.field_ids.size() != 1) {
    return arrow::Status::Invalid("a zonemap is of one column, this one of ",
                                  segment.field_ids.size());
  }
  const format::SchemaField* field = dataset.manifest().schema.FindById(segment.field_ids.front());
  if (field == nullptr) return arrow::Status::Invalid("the index's column has left the schema");
  ARROW_ASSIGN_OR_RAISE(const auto type, format::ParseLogicalType(field->logical_type));
  ARROW_ASSIGN_OR_RAISE(auto loaded, index::LoadZonemap(std::move(store), segment, type,
                                                        dataset.manifest().fragments, run));
  const auto shared = std::make_shared<const index::ZonemapSegment>(std::move(loaded));
  cache.Insert(kCacheKind, key, shared, shared->size_bytes);
  return shared;
}

arrow::Result<index::FragmentZones> ComputeZones(std::shared_ptr<ObjectStore> store,
                                                 const table::Fragment& fragment,
                                                 const ColumnValues& column, uint64_t rows_per_zone,
                                                 const RunContext& run) {
  FragmentReader reader(std::move(store), fragment, run);
  if (column.is_top_level()) {  // others have no seeds
    const int32_t field_id = column.field().id;
    ARROW_ASSIGN_OR_RAISE(const auto file, reader.FileOf(field_id));
    if (file != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto seed,
                            index::ReadSeed(*file, fragment, field_id, column.type(), run));
      if (seed && seed->rows_per_zone == rows_per_zone && !MayHideNegativeNan(seed->zones)) {
        return std::move(*seed);
      }
    }
  }
  return ScanZones(&reader, column, rows_per_zone);
}

namespace {

/// Note which fragments some segments answer for, and which they should.
void NoteCoverage(const table::Manifest& manifest,
                  const std::vector<const table::IndexMetadata*>& segments,
                  ZonemapRefresh* refresh) {
  RoaringBitmap covered;
  for (const table::IndexMetadata* segment : segments) {
    const auto coverage = segment->Coverage();
    if (coverage.ok() && *coverage) covered |= **coverage;
    // Only segments of one name are one index; others of the column stay as they are.
    if (segment->name == refresh->index_name) refresh->replaced.push_back(*segment);
  }
  for (const table::Fragment& fragment : manifest.fragments) {
    if (covered.Contains(static_cast<uint32_t>(fragment.id))) {
      ++refresh->covered_fragments;
    } else if (fragment.live_rows() > 0) {
      refresh->uncovered_fragment_ids.push_back(fragment.id);
    }
  }
}

}  // namespace

ZonemapRefresh ZonemapRefreshOf(const IndexRefresh& plan, const RefreshRule& rule) {
  ZonemapRefresh refresh{.action = "extend",
                         .field_id = plan.field_id,
                         .index_name = plan.name,
                         .carries_zones = !rule.retrain,
                         .fragment_ids = plan.coverage,
                         .replaced = plan.replaced};
  refresh.rows_per_zone = RowsPerZoneOf({&plan.model}).value_or(index::kDefaultRowsPerZone);
  refresh.use_seeds = UsesSeeds(plan.model);
  return refresh;
}

arrow::Result<std::vector<ZonemapRefresh>> PlanZonemapRefresh(
    const table::Manifest& manifest, const ClusteringSpec& spec,
    const std::optional<uint64_t>& rows_per_zone) {
  std::vector<ZonemapRefresh> plan;
  for (const std::string& column : spec.columns) {
    const format::SchemaField* field = manifest.schema.FindTopLevel(column);
    if (field == nullptr) return arrow::Status::KeyError("no column ", column, " in the schema");
    const auto segments = ZonemapSegmentsOf(manifest, field->id);
    ZonemapRefresh refresh{.column = column, .action = "none", .field_id = field->id};
    refresh.rows_per_zone =
        RowsPerZoneOf(segments).value_or(rows_per_zone.value_or(index::kDefaultRowsPerZone));
    refresh.index_name = segments.empty() ? FreeIndexName(manifest, column) : segments.back()->name;
    NoteCoverage(manifest, segments, &refresh);
    if (segments.empty()) {
      refresh.action = "create";
    } else if (!refresh.uncovered_fragment_ids.empty()) {
      refresh.action = "extend";
    }
    plan.push_back(std::move(refresh));
  }
  return plan;
}

namespace {

/// Fill a new segment with the zones it takes over from those it replaces, and with those of the
/// fragments that are not covered yet.
arrow::Status FillNewSegment(const Dataset::Impl& dataset, const ZonemapRefresh& refresh,
                             const RunContext& run, index::NewZonemapRequest* request) {
  ARROW_ASSIGN_OR_RAISE(const auto column, ColumnValues::Make(dataset.fields, refresh.field_id));
  request->type = column.type();
  const auto is_wanted = [&](uint64_t fragment_id) {
    return !refresh.fragment_ids ||
           refresh.fragment_ids->Contains(static_cast<uint32_t>(fragment_id));
  };
  std::set<uint64_t> done;
  for (const table::IndexMetadata& segment : refresh.replaced) {
    if (!refresh.carries_zones) break;
    bool was_cached = false;
    const auto loaded = LoadZonemapCached(dataset, dataset.store, segment, run, &was_cached);
    if (!loaded.ok() || (*loaded)->rows_per_zone != refresh.rows_per_zone) continue;
    for (const index::FragmentZones& fragment : (*loaded)->fragments) {
      // Null offsets that are not known would make the whole index forget them.
      if (fragment.null_offsets && !MayHideNegativeNan(fragment.zones) &&
          is_wanted(fragment.fragment_id) && done.insert(fragment.fragment_id).second) {
        request->fragments.push_back(fragment);
        // What is carried over is only as new as where it came from (zonemap-and-indices 1.2).
        request->dataset_version = std::min(request->dataset_version, segment.dataset_version);
      }
    }
  }
  for (const table::Fragment& fragment : dataset.manifest().fragments) {
    const bool is_empty = fragment.live_rows() == 0;
    if (is_empty || done.contains(fragment.id) || !is_wanted(fragment.id)) continue;
    ARROW_ASSIGN_OR_RAISE(
        auto computed, ComputeZones(dataset.store, fragment, column, refresh.rows_per_zone, run));
    request->fragments.push_back(std::move(computed));
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status WriteRefreshedZonemap(const Dataset& dataset, const ZonemapRefresh& refresh,
                                    const RunContext& run, NewSegments* segments) {
  const Dataset::Impl& impl = dataset.impl();
  const ClusteringDefinition* current = table::CurrentDefinition(impl.manifest());
  index::NewZonemapRequest request;
  request.name = refresh.index_name;
  request.field_id = refresh.field_id;
  request.rows_per_zone = refresh.rows_per_zone;
  request.use_seeds = refresh.use_seeds;
  request.dataset_version = dataset.version();
  if (current != nullptr) request.clustering_id = current->id;
  ARROW_RETURN_NOT_OK(FillNewSegment(impl, refresh, run, &request));
  return segments->Write(request, run);
}

namespace {

/// Carry out refreshes in one commit, without trying again. Nothing to do: the same dataset back.
arrow::Result<Dataset> CommitRefreshes(const Dataset& dataset,
                                       const std::vector<ZonemapRefresh>& plan,
                                       const CommitOptions& options, const RunContext& run) {
  NewSegments zonemaps(dataset.impl().store);
  std::vector<table::IndexMetadata> removed;
  for (const ZonemapRefresh& refresh : plan) {
    if (refresh.action == "none") continue;
    ARROW_RETURN_NOT_OK(WriteRefreshedZonemap(dataset, refresh, run, &zonemaps));
    removed.insert(removed.end(), refresh.replaced.begin(), refresh.replaced.end());
  }
  if (zonemaps.segments().empty()) return dataset;
  return zonemaps.Commit(dataset, std::move(removed), options, run);
}

}  // namespace

arrow::Result<Dataset> RefreshZonemaps(const Dataset& dataset, const ClusteringSpec& spec,
                                       const std::optional<uint64_t>& rows_per_zone,
                                       const CommitOptions& commit, const RunContext& run,
                                       std::vector<ZonemapOutcome>* outcomes) {
  Dataset current = dataset;
  for (int attempt = 0;; ++attempt) {
    ARROW_ASSIGN_OR_RAISE(const auto plan,
                          PlanZonemapRefresh(current.impl().manifest(), spec, rows_per_zone));
    outcomes->clear();
    for (const ZonemapRefresh& refresh : plan) {
      outcomes->push_back(
          {.column = refresh.column,
           .action = refresh.action,
           .covered_fragments = refresh.covered_fragments + refresh.uncovered_fragment_ids.size()});
    }
    auto committed = CommitRefreshes(current, plan, commit, run);
    if (committed.ok()) return committed;
    const auto* conflict = CommitConflict::From(committed.status());
    if (conflict == nullptr || !conflict->retryable() || attempt >= commit.max_retries) {
      return committed.status();
    }
    ARROW_ASSIGN_OR_RAISE(current, current.Checkout());
  }
}

}  // namespace lance
