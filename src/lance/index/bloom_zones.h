#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/base/run_context.h"
#include "lance/format/data_file_reader.h"
#include "lance/index/index_file.h"
#include "lance/index/row_address_map.h"

namespace lance::index {

/// The zones of a bloom filter file, checked. Immutable. Source: zonemap-and-indices 6.3
class BloomZones {
 public:
  /// Read the whole file.
  ///
  /// \return an error that says why it cannot be used. Files without a null bitmap are refused:
  ///   they are of writers older than 14, of whose zones it is not known whether they are right
  static arrow::Result<BloomZones> Read(const format::DataFileReader& file, const RunContext& run);

  /// All rows of the zones for whose filter `keeps` is true.
  RowAddressMap RowsWhere(const std::function<bool(std::string_view filter)>& keeps) const;

  /// All rows of the zones that have nulls.
  RowAddressMap RowsOfNullZones() const;

  /// The null rows; without `nulls_are_exact` only rows that may be null.
  const RowAddressMap& nulls() const { return nulls_.rows; }

  /// Whether the null rows are right: a fragment that has zones twice may have left-over nulls.
  bool nulls_are_exact() const { return !has_overlap_; }

  /// The fragments that have zones.
  const RoaringBitmap& fragments() const { return fragments_; }

  uint64_t num_zones() const;

  /// Bytes that it holds in memory.
  uint64_t SizeBytes() const;

 private:
  BloomZones() = default;
  arrow::Status Check();
  RowAddressMap RowsOf(const std::function<bool(int64_t zone)>& keeps) const;

  std::shared_ptr<arrow::UInt64Array> fragment_id_;
  std::shared_ptr<arrow::UInt64Array> zone_start_;
  std::shared_ptr<arrow::UInt64Array> zone_length_;
  std::shared_ptr<arrow::BooleanArray> has_null_;
  std::shared_ptr<arrow::BinaryArray> filters_;
  StoredRows nulls_;
  RoaringBitmap fragments_;
  bool has_overlap_ = false;
};

}  // namespace lance::index
