#include "lance/dataset/fragment_screen.h"

#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "lance/dataset/zonemaps.h"
#include "lance/index/prune.h"

namespace lance {
namespace {

// With fewer fragments pruning one by one is as fast.
constexpr size_t kLeastFragments = 64;

using Segments = std::map<int32_t, std::shared_ptr<const index::ZonemapSegment>>;

/// The one zonemap of each column that is asked about, of those that have any.
std::optional<Segments> FindSegments(const Dataset::Impl& dataset,
                                     const index::Predicate& predicate) {
  Segments segments;
  for (const index::Predicate* leaf : index::LeavesOf(predicate)) {
    const auto of_field = ZonemapSegmentsOf(dataset.manifest(), leaf->field_id);
    if (of_field.empty() || segments.contains(leaf->field_id)) continue;
    if (of_field.size() > 1) return std::nullopt;
    auto segment = FindCachedZonemap(dataset, *of_field.front());
    if (segment == nullptr) return std::nullopt;
    segments[leaf->field_id] = std::move(segment);
  }
  return segments;
}

/// The segment with the smallest zones.
const index::ZonemapSegment& Finest(const Segments& segments) {
  const index::ZonemapSegment* finest = segments.begin()->second.get();
  for (const auto& [field_id, segment] : segments) {
    if (segment->rows_per_zone < finest->rows_per_zone) finest = segment.get();
  }
  return *finest;
}

}  // namespace

std::optional<FragmentScreen> FragmentScreen::Make(const Dataset::Impl& dataset,
                                                   const index::Predicate& predicate) {
  const auto& fragments = dataset.manifest().fragments;
  if (fragments.size() < kLeastFragments) return std::nullopt;
  const auto segments = FindSegments(dataset, predicate);
  if (!segments || segments->empty()) return std::nullopt;
  uint64_t num_rows = 0;
  for (const table::Fragment& fragment : fragments) {
    if (fragment.physical_rows > std::numeric_limits<uint32_t>::max()) return std::nullopt;
    num_rows += fragment.physical_rows;
  }
  const RowRanges candidates = index::PruneFragment(predicate, num_rows, [&](int32_t field_id) {
                                 const auto found = segments->find(field_id);
                                 return found == segments->end() ? nullptr : &found->second->rollup;
                               }).candidates;
  FragmentScreen screen;
  screen.may_match_.resize(fragments.size());
  screen.num_zones_.resize(fragments.size());
  const index::ZonemapSegment& finest = Finest(*segments);
  auto range = candidates.ranges().begin();
  uint64_t first_row = 0;
  for (size_t i = 0; i < fragments.size(); ++i) {
    const uint64_t end = first_row + fragments[i].physical_rows;
    while (range != candidates.ranges().end() && range->end <= first_row) ++range;
    screen.may_match_[i] = range != candidates.ranges().end() && range->begin < end;
    first_row = end;
    if (screen.may_match_[i]) continue;
    const index::FragmentZones* zones = finest.Find(fragments[i].id);
    if (zones != nullptr) screen.num_zones_[i] = static_cast<uint32_t>(zones->zones.size());
  }
  return screen;
}

}  // namespace lance
