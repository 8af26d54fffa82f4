#include "lance/index.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "lance/dataset/column_values.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/index_coverage.h"
#include "lance/dataset/index_refresh.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index/index_type.h"

namespace lance {

namespace {

std::string FieldPath(const Dataset::Impl& dataset, int32_t field_id) {
  const auto column = ColumnValues::Make(dataset.fields, field_id);
  if (column.ok()) return column->path();
  const format::SchemaField* field = dataset.manifest().schema.FindById(field_id);
  return field != nullptr ? field->name : "#" + std::to_string(field_id);
}

/// Everything that a description says besides its segments.
IndexDescription Describe(const Dataset::Impl& dataset, const table::IndexMetadata& segment) {
  IndexDescription description{.name = segment.name,
                               .index_type = index::IndexTypeName(segment),
                               .field_ids = segment.field_ids,
                               .type_url = segment.details_type_url,
                               .clustering_id = segment.clustering_id.value_or(0),
                               .usable = IsBuiltHere(segment) || IsScalarIndex(segment)};
  for (const int32_t field_id : segment.field_ids) {
    description.field_names.push_back(FieldPath(dataset, field_id));
  }
  return description;
}

arrow::Result<IndexSegmentDescription> DescribeSegment(const table::IndexMetadata& segment) {
  IndexSegmentDescription description{.uuid = segment.uuid.ToString(),
                                      .dataset_version = segment.dataset_version,
                                      .index_version = segment.index_version.value_or(0),
                                      .created_at_ms = segment.created_at_ms,
                                      .base_id = segment.base_id};
  for (const table::IndexFile& file : segment.files) description.size_bytes += file.size_bytes;
  ARROW_ASSIGN_OR_RAISE(const auto coverage, segment.Coverage());
  if (coverage) {
    const auto ids = coverage->ToVector();
    description.fragment_ids.emplace(ids.begin(), ids.end());
  }
  return description;
}

/// Count the rows and fragments that an index answers for, and the others.
void CountCoverage(const table::Manifest& manifest, const RoaringBitmap& covered,
                   IndexDescription* description) {
  for (const table::Fragment& fragment : manifest.fragments) {
    if (covered.Contains(static_cast<uint32_t>(fragment.id))) {
      description->num_rows_indexed += fragment.live_rows();
    } else {
      description->num_unindexed_rows += fragment.live_rows();
      ++description->num_unindexed_fragments;
    }
  }
}

}  // namespace

arrow::Result<std::vector<IndexDescription>> ListIndices(const Dataset& dataset,
                                                         const CallOptions& call) {
  ARROW_RETURN_NOT_OK(call.stop_token.Poll());
  const table::Manifest& manifest = dataset.impl().manifest();
  ARROW_ASSIGN_OR_RAISE(const auto reuse,
                        LoadFragmentReuse(dataset.impl(), dataset.impl().Run(call)));
  std::vector<IndexDescription> descriptions;
  std::map<std::string, RoaringBitmap> covered;
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (index::IsSystemIndex(segment)) continue;
    auto found = std::ranges::find(descriptions, segment.name, &IndexDescription::name);
    if (found == descriptions.end()) {
      found = descriptions.insert(found, Describe(dataset.impl(), segment));
    }
    ARROW_ASSIGN_OR_RAISE(auto described, DescribeSegment(segment));
    ++found->num_segments;
    found->total_size_bytes += described.size_bytes;
    found->segments.push_back(std::move(described));
    covered[segment.name] |= EffectiveCoverage(segment, manifest, reuse.get());
  }
  for (IndexDescription& description : descriptions) {
    CountCoverage(manifest, covered[description.name], &description);
  }
  return descriptions;
}

}  // namespace lance
