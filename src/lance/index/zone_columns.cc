#include "lance/index/zone_columns.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/index/ordered_value.h"

namespace lance::index {
namespace {

arrow::Result<std::shared_ptr<arrow::Array>> BoundsColumn(
    std::span<const Zone* const> zones, const std::shared_ptr<arrow::DataType>& type,
    std::shared_ptr<arrow::Scalar> Zone::*bound) {
  ARROW_ASSIGN_OR_RAISE(const auto builder, arrow::MakeBuilder(type));
  ARROW_RETURN_NOT_OK(builder->Reserve(static_cast<int64_t>(zones.size())));
  for (const Zone* zone : zones) {
    const auto& value = zone->*bound;
    if (!value) {
      ARROW_RETURN_NOT_OK(builder->AppendNull());
      continue;
    }
    if (!value->type->Equals(*type)) {
      return arrow::Status::Invalid("zone at row ", zone->zone_start, " has a bound of type ",
                                    value->type->ToString(), ", the column's is ",
                                    type->ToString());
    }
    ARROW_RETURN_NOT_OK(builder->AppendScalar(*value));
  }
  return builder->Finish();
}

template <typename Builder, typename T>
arrow::Result<std::shared_ptr<arrow::Array>> NumberColumn(std::span<const Zone* const> zones,
                                                          T Zone::*number) {
  Builder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(zones.size())));
  for (const Zone* zone : zones) builder.UnsafeAppend(zone->*number);
  return builder.Finish();
}

}  // namespace

arrow::Result<ZoneColumns> ZoneColumns::Make(std::span<const Zone* const> zones,
                                             const std::shared_ptr<arrow::DataType>& type) {
  ZoneColumns columns;
  ARROW_ASSIGN_OR_RAISE(columns.min, BoundsColumn(zones, type, &Zone::min));
  ARROW_ASSIGN_OR_RAISE(columns.max, BoundsColumn(zones, type, &Zone::max));
  ARROW_ASSIGN_OR_RAISE(columns.null_count,
                        NumberColumn<arrow::UInt32Builder>(zones, &Zone::null_count));
  ARROW_ASSIGN_OR_RAISE(columns.nan_count,
                        NumberColumn<arrow::UInt32Builder>(zones, &Zone::nan_count));
  ARROW_ASSIGN_OR_RAISE(columns.zone_length,
                        NumberColumn<arrow::UInt64Builder>(zones, &Zone::zone_length));
  return columns;
}

arrow::Result<Zone> ZoneColumns::Read(int64_t row, uint64_t zone_start) const {
  Zone zone;
  zone.zone_start = zone_start;
  zone.zone_length = UnsignedAt(*zone_length, row);
  zone.null_count = static_cast<uint32_t>(UnsignedAt(*null_count, row));
  zone.nan_count = static_cast<uint32_t>(UnsignedAt(*nan_count, row));
  if (zone.zone_length == 0) {
    return arrow::Status::SerializationError("zone ", row, ": zone_length is 0, allowed from 1");
  }
  if (uint64_t{zone.null_count} + zone.nan_count > zone.zone_length) {
    return arrow::Status::SerializationError("zone ", row, ": ", zone.null_count, " nulls and ",
                                             zone.nan_count, " NaNs in ", zone.zone_length,
                                             " rows");
  }
  if (zone.nan_count > 0 && !IsFloat(*min->type())) {
    return arrow::Status::SerializationError("zone ", row, ": ", zone.nan_count,
                                             " NaNs in a column of type ", min->type()->ToString());
  }
  ARROW_ASSIGN_OR_RAISE(zone.min, min->GetScalar(row));
  ARROW_ASSIGN_OR_RAISE(zone.max, max->GetScalar(row));
  const OrderedValue low = ToOrderedValue(*zone.min);
  const OrderedValue high = ToOrderedValue(*zone.max);
  if (low.is_ordinary() && high.is_ordinary() && low > high) {
    return arrow::Status::SerializationError("zone ", row, ": min is above max");
  }
  return zone;
}

uint64_t UnsignedAt(const arrow::Array& array, int64_t row) {
  return array.type_id() == arrow::Type::UINT32
             ? static_cast<const arrow::UInt32Array&>(array).Value(row)
             : static_cast<const arrow::UInt64Array&>(array).Value(row);
}

bool AreDisjoint(const std::vector<Zone>& zones) {
  const auto touches =
      std::adjacent_find(zones.begin(), zones.end(), [](const Zone& zone, const Zone& next) {
        return next.zone_start < zone.zone_start ||
               next.zone_start - zone.zone_start < zone.zone_length;
      });
  return touches == zones.end();
}

bool NullCountsMatch(const std::vector<Zone>& zones, const RoaringBitmap& null_offsets) {
  const std::vector<uint32_t> offsets = null_offsets.ToVector();
  auto next = offsets.begin();
  for (const Zone& zone : zones) {
    if (next != offsets.end() && *next < zone.zone_start) return false;
    const auto end = std::find_if(next, offsets.end(), [&](uint32_t offset) {
      return offset - zone.zone_start >= zone.zone_length;
    });
    if (static_cast<uint64_t>(end - next) != zone.null_count) return false;
    next = end;
  }
  return next == offsets.end();
}

}  // namespace lance::index
