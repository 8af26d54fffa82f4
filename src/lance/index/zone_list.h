#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/index/ordered_value.h"

namespace lance::index {

/// Statistics of consecutive rows of one column in one fragment (zonemap-and-indices 2.2).
struct Zone {
  uint64_t zone_start = 0;   // offset of the first row
  uint64_t zone_length = 0;  // span of offsets
  uint32_t null_count = 0;
  uint32_t nan_count = 0;
  std::shared_ptr<arrow::Scalar> min;  // of the column's type; null scalar: unknown or no values
  std::shared_ptr<arrow::Scalar> max;
};

/// Statistics of zones as columns of one length: what zonemap files hold. A plain value.
struct ZoneColumns {
  std::shared_ptr<arrow::Array> min;  // of the column's type, nullable
  std::shared_ptr<arrow::Array> max;
  std::shared_ptr<arrow::Array> null_count;   // uint32, no nulls
  std::shared_ptr<arrow::Array> nan_count;    // uint32, no nulls
  std::shared_ptr<arrow::Array> zone_start;   // uint64, no nulls
  std::shared_ptr<arrow::Array> zone_length;  // uint64, no nulls
};

/// Zones kept as columns: 24 bytes and two bounds each, also when there are millions. Immutable;
/// copies and slices share the columns.
class ZoneList {
 public:
  /// No zones, of no type.
  ZoneList() = default;

  /// Wrap columns. \pre the columns have the types above and one length
  explicit ZoneList(ZoneColumns columns);

  /// Put zones into columns. \return Invalid when a bound has another type
  static arrow::Result<ZoneList> Make(const std::shared_ptr<arrow::DataType>& type,
                                      const std::vector<Zone>& zones);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The bounds' type; null for a list that was made of nothing.
  const std::shared_ptr<arrow::DataType>& type() const;

  uint64_t zone_start(size_t i) const { return columns_->zone_start[first_ + i]; }
  uint64_t zone_length(size_t i) const { return columns_->zone_length[first_ + i]; }
  uint32_t null_count(size_t i) const { return columns_->null_count[first_ + i]; }
  uint32_t nan_count(size_t i) const { return columns_->nan_count[first_ + i]; }
  /// A bound in a form that compares fast; borrows the list.
  OrderedValue min(size_t i) const { return ToOrderedValue(*columns_->arrays.min, Row(i)); }
  OrderedValue max(size_t i) const { return ToOrderedValue(*columns_->arrays.max, Row(i)); }

  /// One zone by itself: for few, as each bound is allocated.
  const Zone operator[](size_t i) const;
  const Zone front() const { return (*this)[0]; }
  const Zone back() const { return (*this)[size_ - 1]; }

  /// Some consecutive zones. \pre first + count <= size()
  ZoneList Slice(size_t first, size_t count) const;

  /// The columns, cut to these zones.
  ZoneColumns Columns() const;

  /// The columns that the list shares, and where its zones begin in them. \pre !empty()
  const ZoneColumns& shared_columns() const { return columns_->arrays; }
  int64_t first_row() const { return Row(0); }

  /// Check zones by themselves, apart from where they are.
  ///
  /// \return SerializationError when the counts do not fit the length, or min is above max
  arrow::Status Check() const;

  /// Whether zones are ascending and share no row.
  bool AreDisjoint() const;

  /// Whether every zone's null_count is the number of `null_offsets` in it, and no offset is
  /// outside. \pre AreDisjoint()
  bool NullCountsMatch(const RoaringBitmap& null_offsets) const;

  /// Goes through zones one by one.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Zone;
    using difference_type = std::ptrdiff_t;
    using pointer = const Zone*;
    using reference = Zone;

    Iterator(const ZoneList* list, size_t place) : list_(list), place_(place) {}
    Zone operator*() const { return (*list_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    bool operator==(const Iterator& other) const = default;

   private:
    const ZoneList* list_;
    size_t place_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

 private:
  /// Columns and where their values are.
  struct Shared {
    explicit Shared(ZoneColumns columns);

    ZoneColumns arrays;
    const uint32_t* null_count;
    const uint32_t* nan_count;
    const uint64_t* zone_start;
    const uint64_t* zone_length;
  };

  int64_t Row(size_t i) const { return static_cast<int64_t>(first_ + i); }
  arrow::Status CheckZone(size_t i, bool is_float) const;

  std::shared_ptr<const Shared> columns_;  // null: none
  size_t first_ = 0;
  size_t size_ = 0;
};

/// Collects zones into columns. Thread-compatible.
class ZoneListBuilder {
 public:
  static arrow::Result<ZoneListBuilder> Make(std::shared_ptr<arrow::DataType> type);
  ZoneListBuilder(ZoneListBuilder&&) noexcept;
  ZoneListBuilder& operator=(ZoneListBuilder&&) noexcept;
  ~ZoneListBuilder();

  /// Add a zone. \return Invalid when a bound has another type
  arrow::Status Append(const Zone& zone);
  /// Hand over what was added; then empty.
  arrow::Result<ZoneList> Finish();

 private:
  class Impl;
  explicit ZoneListBuilder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lance::index
