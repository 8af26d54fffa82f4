#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/index/zone_list.h"

namespace lance::index {

/// Rows per zone where nothing says otherwise (zonemap-and-indices 2.3).
inline constexpr uint64_t kDefaultRowsPerZone = 8192;

/// The zones of one column in one fragment. A plain value.
struct FragmentZones {
  uint64_t fragment_id = 0;
  uint64_t rows_per_zone = kDefaultRowsPerZone;
  ZoneList zones;  // ascending zone_start
  /// Offsets of null rows; no value: not known.
  std::optional<RoaringBitmap> null_offsets;
};

/// Cuts a column that arrives in row order into zones and computes their statistics.
///
/// Bounds follow zonemap-and-indices 2.6 "What we write". Thread-compatible.
class ZoneBuilder {
 public:
  /// \return NotImplemented for a type that has no order here, or that no zonemap may cover
  static arrow::Result<ZoneBuilder> Make(std::shared_ptr<arrow::DataType> type,
                                         uint64_t rows_per_zone);
  ZoneBuilder(ZoneBuilder&&) noexcept;
  ZoneBuilder& operator=(ZoneBuilder&&) noexcept;
  ~ZoneBuilder();

  /// Add the next rows; offsets count on from the rows added before.
  arrow::Status Add(const arrow::Array& values);

  /// Close the last zone and hand over all zones, fragment id left 0.
  arrow::Result<FragmentZones> Finish();

 private:
  class Impl;
  explicit ZoneBuilder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lance::index
