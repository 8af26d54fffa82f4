#pragma once

#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/index/zone.h"

namespace lance::index {

/// The statistics columns that a zonemap file and a seed have in common. A plain value.
struct ZoneColumns {
  std::shared_ptr<arrow::Array> min;  // of the column's type, nullable
  std::shared_ptr<arrow::Array> max;
  std::shared_ptr<arrow::Array> null_count;   // uint32, no nulls
  std::shared_ptr<arrow::Array> nan_count;    // uint32, no nulls
  std::shared_ptr<arrow::Array> zone_length;  // uint64 or uint32, no nulls

  /// Put zones into columns, one row each.
  ///
  /// \return Invalid when a bound has another type
  static arrow::Result<ZoneColumns> Make(std::span<const Zone* const> zones,
                                         const std::shared_ptr<arrow::DataType>& type);

  /// Read one row and check it on its own.
  ///
  /// \pre the columns have the types above and the same length
  /// \return SerializationError when the counts do not fit the length, or min is above max
  arrow::Result<Zone> Read(int64_t row, uint64_t zone_start) const;
};

/// Read an unsigned value. \pre the array is uint32 or uint64 and has no nulls
uint64_t UnsignedAt(const arrow::Array& array, int64_t row);

/// Whether zones are ascending and share no row.
bool AreDisjoint(const std::vector<Zone>& zones);

/// Whether every zone's null_count is the number of `null_offsets` in it, and no offset is outside.
///
/// \pre AreDisjoint(zones)
bool NullCountsMatch(const std::vector<Zone>& zones, const RoaringBitmap& null_offsets);

}  // namespace lance::index
