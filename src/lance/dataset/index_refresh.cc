#include "lance/dataset/index_refresh.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "lance/dataset/scalar_segments.h"
#include "lance/index/index_type.h"
#include "lance/index/zonemap.h"
#include "lance/table/feature_flags.h"
#include "lance/table/index_rows.h"

namespace lance {

namespace {

using Segments = std::vector<const table::IndexMetadata*>;

constexpr std::string_view kBTree = "BTree";
constexpr std::string_view kBloomFilter = "BloomFilter";

/// The segments of a name that are one index: the type and column of the first.
Segments SegmentsOfIndex(const table::Manifest& manifest, const std::string& name) {
  Segments segments;
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (segment.name != name || !IsBuiltHere(segment)) continue;
    const bool is_one = segments.empty() ||
                        (segments.front()->field_ids == segment.field_ids &&
                         index::IndexTypeName(*segments.front()) == index::IndexTypeName(segment));
    if (is_one) segments.push_back(&segment);
  }
  return segments;
}

/// The fragments that have live rows, and are not covered.
RoaringBitmap UnindexedFragments(const table::Manifest& manifest, const Segments& segments) {
  RoaringBitmap unindexed;
  for (const table::Fragment& fragment : manifest.fragments) {
    if (fragment.live_rows() > 0) unindexed.Add(static_cast<uint32_t>(fragment.id));
  }
  for (const auto* segment : segments) unindexed -= EffectiveCoverage(*segment, manifest);
  return unindexed;
}

/// Whether a segment may name rows by id that are somewhere else now.
bool MayNameMovedRows(const table::IndexMetadata& segment, const table::Manifest& manifest) {
  if (!table::StoresStableRowIds(segment, manifest)) return false;
  const auto claimed = segment.Coverage();
  if (!claimed.ok() || !*claimed) return false;
  if (EffectiveCoverage(segment, manifest) != **claimed) return true;
  return std::ranges::any_of(manifest.fragments, [&](const table::Fragment& fragment) {
    return fragment.deletion_file && (*claimed)->Contains(static_cast<uint32_t>(fragment.id));
  });
}

/// Whether a table with stable row ids has a btree whose rows are ids, which nobody writes now.
bool IsOldBTree(const table::IndexMetadata& segment, const table::Manifest& manifest) {
  return index::IndexTypeName(segment) == kBTree && table::StoresStableRowIds(segment, manifest);
}

/// The segments that a new one is merged with.
Segments ChooseMerged(const Segments& segments, const table::Manifest& manifest,
                      const std::optional<uint64_t>& num_segments_to_merge) {
  const uint64_t wanted = num_segments_to_merge.value_or(1);
  const size_t first_merged = segments.size() - std::min<uint64_t>(wanted, segments.size());
  Segments replaced;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (i >= first_merged || MayNameMovedRows(*segments[i], manifest)) {
      replaced.push_back(segments[i]);
    }
  }
  return replaced;
}

/// Take over what segments hold of fragments that nothing else holds.
void Carry(const Segments& segments, const table::Manifest& manifest, IndexRefresh* refresh) {
  for (const table::IndexMetadata* segment : segments) {
    RoaringBitmap coverage = EffectiveCoverage(*segment, manifest);
    coverage -= refresh->coverage;
    if (coverage.empty()) continue;
    refresh->coverage |= coverage;
    refresh->dataset_version = std::min(refresh->dataset_version, segment->dataset_version);
    refresh->carried.push_back({*segment, std::move(coverage)});
  }
}

/// Segments that cover nothing any more go with the others.
void ReplaceEmptyOnes(const Segments& segments, const table::Manifest& manifest,
                      IndexRefresh* refresh) {
  for (const table::IndexMetadata* segment : segments) {
    const bool is_known = std::ranges::find(refresh->replaced, segment->uuid,
                                            &table::IndexMetadata::uuid) != refresh->replaced.end();
    const auto claimed = segment->Coverage();
    const bool is_empty = claimed.ok() && *claimed && EffectiveCoverage(*segment, manifest).empty();
    if (!is_known && is_empty) refresh->replaced.push_back(*segment);
  }
}

}  // namespace

bool IsBuiltHere(const table::IndexMetadata& segment) {
  if (index::IsZonemap(segment)) {
    return segment.index_version.value_or(0) == 0 && segment.field_ids.size() == 1 &&
           segment.covering_field_ids.empty();
  }
  return IsScalarIndex(segment) && index::IndexTypeName(segment) != kBloomFilter;
}

std::optional<IndexRefresh> PlanIndexRefresh(const table::Manifest& manifest,
                                             const std::string& name, const RefreshRule& rule) {
  const Segments segments = SegmentsOfIndex(manifest, name);
  if (segments.empty()) return std::nullopt;
  const RoaringBitmap unindexed = UnindexedFragments(manifest, segments);
  const bool is_rebuilt = rule.retrain || std::ranges::any_of(segments, [&](const auto* segment) {
                            return IsOldBTree(*segment, manifest);
                          });
  const Segments replaced =
      is_rebuilt ? segments : ChooseMerged(segments, manifest, rule.num_segments_to_merge);
  if (!rule.retrain && unindexed.empty() && replaced.size() < 2) return std::nullopt;

  IndexRefresh refresh{.name = name,
                       .index_type = index::IndexTypeName(*segments.front()),
                       .field_id = segments.front()->field_ids.front(),
                       .dataset_version = manifest.version};
  for (const auto* segment : replaced) refresh.replaced.push_back(*segment);
  if (!is_rebuilt) Carry(replaced, manifest, &refresh);
  for (const table::Fragment& fragment : manifest.fragments) {
    const auto id = static_cast<uint32_t>(fragment.id);
    const bool is_wanted = fragment.live_rows() > 0 && (is_rebuilt || unindexed.Contains(id));
    if (!is_wanted) continue;
    refresh.fragments_to_scan.push_back(fragment.id);
    refresh.coverage.Add(id);
  }
  std::ranges::sort(refresh.fragments_to_scan);
  ReplaceEmptyOnes(segments, manifest, &refresh);
  return refresh;
}

}  // namespace lance
