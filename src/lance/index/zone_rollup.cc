#include "lance/index/zone_rollup.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "arrow/api.h"

namespace lance::index {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

/// One zone for all zones of a fragment. \return no value when they leave a doubt
std::optional<Zone> RollUpFragment(const ZoneList& zones, uint64_t physical_rows) {
  Zone all{.zone_length = physical_rows};
  uint64_t next = 0, null_count = 0;
  size_t lowest = kNone, highest = kNone;
  for (size_t i = 0; i < zones.size(); ++i) {
    if (zones.zone_start(i) != next || zones.nan_count(i) > 0) return std::nullopt;
    next += zones.zone_length(i);
    null_count += zones.null_count(i);
    const OrderedValue min = zones.min(i), max = zones.max(i);
    if (!min.is_ordinary() || !max.is_ordinary()) {
      const bool has_no_values = zones.null_count(i) == zones.zone_length(i);
      if (!has_no_values || min.is_known() || max.is_known()) return std::nullopt;
      continue;
    }
    if (lowest == kNone || min < zones.min(lowest)) lowest = i;
    if (highest == kNone || max > zones.max(highest)) highest = i;
  }
  if (next != physical_rows || null_count > std::numeric_limits<uint32_t>::max()) {
    return std::nullopt;
  }
  all.null_count = static_cast<uint32_t>(null_count);
  if (lowest != kNone) {
    all.min = zones[lowest].min;
    all.max = zones[highest].max;
  }
  return all;
}

}  // namespace

arrow::Result<FragmentZones> RollUp(const std::vector<FragmentZones>& zones,
                                    const std::shared_ptr<arrow::DataType>& type,
                                    const std::vector<table::Fragment>& fragments) {
  ARROW_ASSIGN_OR_RAISE(auto builder, ZoneListBuilder::Make(type));
  uint64_t first_row = 0;
  for (const table::Fragment& fragment : fragments) {
    const uint64_t begin = first_row;
    first_row += fragment.physical_rows;
    const auto found =
        std::ranges::lower_bound(zones, fragment.id, {}, &FragmentZones::fragment_id);
    if (found == zones.end() || found->fragment_id != fragment.id) continue;
    auto zone = RollUpFragment(found->zones, fragment.physical_rows);
    if (!zone) continue;
    zone->zone_start = begin;
    ARROW_RETURN_NOT_OK(builder.Append(*zone));
  }
  FragmentZones all;
  ARROW_ASSIGN_OR_RAISE(all.zones, builder.Finish());
  return all;
}

}  // namespace lance::index
