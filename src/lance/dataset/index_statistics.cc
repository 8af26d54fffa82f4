#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/index_coverage.h"
#include "lance/dataset/json_parts.h"
#include "lance/dataset/named_index.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index.h"
#include "lance/index/index_type.h"

namespace lance {

namespace {

/// What a segment of a kind that scans use says about itself; others say nothing.
arrow::Result<Json> FactsOf(const Dataset::Impl& dataset, const table::IndexMetadata& segment,
                            const RunContext& run) {
  Json facts = Json::object();
  bool was_cached = false;
  if (index::IsZonemap(segment)) {
    ARROW_ASSIGN_OR_RAISE(const auto zonemap,
                          LoadZonemapCached(dataset, dataset.store, segment, run, &was_cached));
    uint64_t num_zones = 0;
    for (const index::FragmentZones& fragment : zonemap->fragments) {
      num_zones += fragment.zones.size();
    }
    facts["num_zones"] = num_zones;
    facts["rows_per_zone"] = zonemap->rows_per_zone;
  } else if (IsScalarIndex(segment)) {
    ARROW_ASSIGN_OR_RAISE(const auto opened, OpenScalarCached(dataset, segment, run, &was_cached));
    for (const auto& [name, value] : opened->index->Facts()) {
      std::visit([&facts, &key = name](const auto& known) { facts[key] = known; }, value);
    }
  }
  return facts;
}

}  // namespace

arrow::Result<std::string> IndexStatistics(const Dataset& dataset, const std::string& name,
                                           const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  const auto segments = SegmentsOfIndexNamed(impl.manifest(), name);
  if (segments.empty()) return NoSuchIndex(impl.manifest(), name);
  ARROW_ASSIGN_OR_RAISE(const auto reuse, LoadFragmentReuse(impl, run));
  Json facts = Json::array();
  Json rows_of_segments = Json::array();
  RoaringBitmap covered;
  uint64_t newest_ms = 0;
  for (const table::IndexMetadata& segment : segments) {
    ARROW_ASSIGN_OR_RAISE(Json of_segment, FactsOf(impl, segment, run));
    facts.push_back(std::move(of_segment));
    const RoaringBitmap coverage = EffectiveCoverage(segment, impl.manifest(), reuse.get());
    uint64_t num_rows = 0;
    for (const table::Fragment& fragment : impl.manifest().fragments) {
      const bool is_covered = coverage.Contains(static_cast<uint32_t>(fragment.id));
      if (is_covered) num_rows += fragment.live_rows();
    }
    rows_of_segments.push_back(num_rows);
    covered |= coverage;
    newest_ms = std::max(newest_ms, segment.created_at_ms.value_or(0));
  }
  uint64_t num_rows_indexed = 0;
  for (const table::Fragment& fragment : impl.manifest().fragments) {
    const bool is_covered = covered.Contains(static_cast<uint32_t>(fragment.id));
    if (is_covered) num_rows_indexed += fragment.live_rows();
  }
  const uint64_t num_rows = table::CountLiveRows(impl.manifest().fragments);
  Json json;
  json["index_type"] = index::IndexTypeName(segments.front());
  json["name"] = name;
  json["num_indices"] = segments.size();
  json["num_segments"] = segments.size();
  json["indices"] = facts;
  json["segments"] = facts;
  json["num_indexed_fragments"] = covered.size();
  json["num_indexed_rows"] = num_rows_indexed;
  json["num_unindexed_fragments"] = impl.manifest().fragments.size() - covered.size();
  json["num_unindexed_rows"] = num_rows - num_rows_indexed;
  json["num_indexed_rows_per_delta"] = rows_of_segments;
  json["updated_at_timestamp_ms"] = newest_ms == 0 ? Json(nullptr) : Json(newest_ms);
  return Dump(json);
}

}  // namespace lance
