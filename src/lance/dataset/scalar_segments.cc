#include "lance/dataset/scalar_segments.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "lance/dataset/column_values.h"
#include "lance/index/index_type.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

constexpr std::array<std::string_view, 4> kScalarTypes = {"BTree", "Bitmap", "LabelList",
                                                          "BloomFilter"};
constexpr std::string_view kInexactType = "BloomFilter";

}  // namespace

std::string SegmentCacheKey(const Dataset::Impl& dataset, const table::IndexMetadata& segment) {
  std::string key = dataset.uri + "\n" + segment.uuid.ToString() + "\n" +
                    std::to_string(segment.created_at_ms.value_or(0));
  for (const table::IndexFile& file : segment.files) key += "\n" + std::to_string(file.size_bytes);
  return key;
}

bool IsScalarIndex(const table::IndexMetadata& segment) {
  return !index::IsSystemIndex(segment) && index::IsKnownIndex(segment) &&
         segment.field_ids.size() == 1 && segment.covering_field_ids.empty() &&
         std::ranges::find(kScalarTypes, index::IndexTypeName(segment)) != kScalarTypes.end();
}

RoaringBitmap EffectiveCoverage(const table::IndexMetadata& segment,
                                const table::Manifest& manifest,
                                const table::FragmentReuse* reuse) {
  RoaringBitmap live;
  const auto claimed = segment.Coverage();
  if (!claimed.ok() || !*claimed) return live;
  for (const table::Fragment& fragment : manifest.fragments) {
    if (fragment.id <= std::numeric_limits<uint32_t>::max()) {
      live.Add(static_cast<uint32_t>(fragment.id));
    }
  }
  live &= reuse == nullptr ? **claimed : reuse->MapCoverage(**claimed);
  return live;
}

std::vector<ScalarSegment> ScalarSegmentsOf(const table::Manifest& manifest, int32_t field_id,
                                            const table::FragmentReuse* reuse) {
  std::vector<ScalarSegment> segments;
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (!IsScalarIndex(segment) || segment.field_ids.front() != field_id) continue;
    RoaringBitmap coverage = EffectiveCoverage(segment, manifest, reuse);
    if (!coverage.empty()) segments.push_back({&segment, std::move(coverage)});
  }
  std::ranges::stable_partition(segments, [](const ScalarSegment& segment) {
    return index::IndexTypeName(*segment.metadata) != kInexactType;
  });
  return segments;
}

index::RowDomain DomainOfNew(const std::string& index_type, const table::Manifest& manifest) {
  const bool is_by_address = table::HasStableRowIds(manifest) && index_type == "BTree";
  return is_by_address ? index::RowDomain::kAddress : index::RowDomain::kRowId;
}

arrow::Result<std::shared_ptr<const OpenedScalarIndex>> OpenScalarCached(
    const Dataset::Impl& dataset, const table::IndexMetadata& segment, const RunContext& run,
    bool* was_cached) {
  constexpr std::string_view kKind = "scalar";
  const std::string key = SegmentCacheKey(dataset, segment);
  IndexCache& cache = dataset.session->impl().indices;
  auto cached = cache.Find<OpenedScalarIndex>(kKind, key);
  *was_cached = cached != nullptr;
  if (cached != nullptr) return cached;
  ARROW_ASSIGN_OR_RAISE(const auto column,
                        ColumnValues::Make(dataset.fields, segment.field_ids.front()));
  OpenedScalarIndex opened;
  opened.reads = std::make_shared<IoCounters>();
  ARROW_ASSIGN_OR_RAISE(
      opened.index, index::OpenScalarIndex(MakeCountingStore(dataset.store, opened.reads), segment,
                                           column.type(), run));
  const auto shared = std::make_shared<const OpenedScalarIndex>(std::move(opened));
  cache.Insert(kKind, key, shared, shared->index->SizeBytes());
  return shared;
}

}  // namespace lance
