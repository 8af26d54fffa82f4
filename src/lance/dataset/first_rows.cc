#include "lance/dataset/first_rows.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arrow/scalar.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/prune_plan.h"
#include "lance/index/ordered_value.h"
#include "lance/index/zone_list.h"

namespace lance {
namespace {

using index::Bound;
using index::Predicate;

/// A zone in which so many live rows have a key up to its bound.
struct CountedZone {
  index::OrderedValue bound;
  uint64_t num_rows = 0;
  const index::ZoneList* zones = nullptr;
  size_t place = 0;
};

/// \param num_deleted rows of the fragment, all of which may be in any one zone
void CountZones(const index::ZoneList& zones, bool ascending, uint64_t num_deleted,
                std::vector<CountedZone>* counted) {
  for (size_t i = 0; i < zones.size(); ++i) {
    const uint64_t others = num_deleted + zones.null_count(i) + zones.nan_count(i);
    if (others >= zones.zone_length(i)) continue;
    CountedZone zone{ascending ? zones.max(i) : zones.min(i), zones.zone_length(i) - others, &zones,
                     i};
    if (zone.bound.is_known()) counted->push_back(std::move(zone));
  }
}

/// The worst bound of as few of the best zones as have enough rows; null: all have too few.
std::shared_ptr<arrow::Scalar> BoundOf(std::vector<CountedZone> zones, bool ascending,
                                       uint64_t num_rows) {
  std::ranges::sort(zones, [ascending](const CountedZone& left, const CountedZone& right) {
    return ascending ? left.bound < right.bound : right.bound < left.bound;
  });
  for (const CountedZone& zone : zones) {
    if (zone.num_rows < num_rows) {
      num_rows -= zone.num_rows;
      continue;
    }
    const index::Zone last = (*zone.zones)[zone.place];
    return ascending ? last.max : last.min;
  }
  return nullptr;
}

/// Whether the scan has more rows than are wanted: else nothing can be left out.
bool HasMoreRows(const Scanner::Impl& scan, uint64_t num_rows) {
  for (const size_t position : scan.fragments) {
    const uint64_t of_fragment = scan.dataset->manifest().fragments[position].physical_rows;
    if (of_fragment > num_rows) return true;
    num_rows -= of_fragment;
  }
  return false;
}

Predicate RangeTo(int32_t field_id, const std::shared_ptr<arrow::Scalar>& bound, bool ascending) {
  Predicate range;
  range.kind = Predicate::Kind::kRange;
  range.field_id = field_id;
  if (bound == nullptr) return range;
  const auto zeros = index::WithBothZeros(bound);
  if (ascending) {
    range.upper = Bound{zeros.back(), true};
  } else {
    range.lower = Bound{zeros.front(), true};
  }
  return range;
}

}  // namespace

arrow::Result<std::optional<Predicate>> BoundOfFirstRows(const Scanner::Impl& scan,
                                                         const OutputColumn& key, uint64_t num_rows,
                                                         const RunContext& run) {
  if (key.part == nullptr || !key.path.empty() || key.part->kind != format::FieldKind::kLeaf) {
    return std::nullopt;
  }
  if (!HasMoreRows(scan, num_rows)) return std::nullopt;
  const ColumnOrdering& ordering = scan.options.order_by.front();
  const Predicate all = RangeTo(key.part->id, nullptr, ordering.ascending);
  ARROW_ASSIGN_OR_RAISE(FragmentPruner pruner,
                        FragmentPruner::Make(scan.dataset, scan.dataset->store, all,
                                             {.use_indices = UsesIndices(scan.options)}, run));
  std::vector<std::unique_ptr<const index::ZoneList>> kept;
  std::vector<CountedZone> counted;
  for (const size_t position : scan.fragments) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    const table::Fragment& fragment = scan.dataset->manifest().fragments[position];
    FragmentReader reader(scan.dataset->store, fragment, run);
    reader.UseCacheOf(*scan.dataset);
    ARROW_ASSIGN_OR_RAISE(auto zones, pruner.ZonesOf(key.part->id, &reader));
    if (!zones) continue;
    kept.push_back(std::make_unique<const index::ZoneList>(*std::move(zones)));
    const uint64_t num_deleted = fragment.physical_rows - fragment.live_rows();
    CountZones(*kept.back(), ordering.ascending,
               scan.options.include_deleted_rows ? 0 : num_deleted, &counted);
  }
  const auto bound = BoundOf(std::move(counted), ordering.ascending, num_rows);
  if (bound == nullptr) return std::nullopt;
  Predicate first = RangeTo(key.part->id, bound, ordering.ascending);
  if (!ordering.nulls_first) return first;
  Predicate null, either;
  null.kind = Predicate::Kind::kIsNull;
  null.field_id = key.part->id;
  either.kind = Predicate::Kind::kOr;
  either.children = {std::move(null), std::move(first)};
  return either;
}

}  // namespace lance
