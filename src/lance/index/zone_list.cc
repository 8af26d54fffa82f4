#include "lance/index/zone_list.h"

#include <algorithm>
#include <string>
#include <utility>

#include "arrow/api.h"

namespace lance::index {
namespace {

const uint32_t* Values32(const arrow::Array& array) { return array.data()->GetValues<uint32_t>(1); }

const uint64_t* Values64(const arrow::Array& array) { return array.data()->GetValues<uint64_t>(1); }

std::shared_ptr<arrow::Scalar> ScalarAt(const arrow::Array& array, int64_t row) {
  auto scalar = array.GetScalar(row);
  // Only types without an order fail, and no zones have one.
  return scalar.ok() ? *std::move(scalar) : arrow::MakeNullScalar(array.type());
}

}  // namespace

ZoneList::Shared::Shared(ZoneColumns columns)
    : arrays(std::move(columns)),
      null_count(Values32(*arrays.null_count)),
      nan_count(Values32(*arrays.nan_count)),
      zone_start(Values64(*arrays.zone_start)),
      zone_length(Values64(*arrays.zone_length)) {}

ZoneList::ZoneList(ZoneColumns columns) : size_(static_cast<size_t>(columns.min->length())) {
  columns_ = std::make_shared<const Shared>(std::move(columns));
}

arrow::Result<ZoneList> ZoneList::Make(const std::shared_ptr<arrow::DataType>& type,
                                       const std::vector<Zone>& zones) {
  ARROW_ASSIGN_OR_RAISE(auto builder, ZoneListBuilder::Make(type));
  for (const Zone& zone : zones) ARROW_RETURN_NOT_OK(builder.Append(zone));
  return builder.Finish();
}

const std::shared_ptr<arrow::DataType>& ZoneList::type() const {
  static const std::shared_ptr<arrow::DataType> kNone;
  return columns_ == nullptr ? kNone : columns_->arrays.min->type();
}

const Zone ZoneList::operator[](size_t i) const {
  return {.zone_start = zone_start(i),
          .zone_length = zone_length(i),
          .null_count = null_count(i),
          .nan_count = nan_count(i),
          .min = ScalarAt(*columns_->arrays.min, Row(i)),
          .max = ScalarAt(*columns_->arrays.max, Row(i))};
}

ZoneList ZoneList::Slice(size_t first, size_t count) const {
  ZoneList slice = *this;
  slice.first_ += first;
  slice.size_ = count;
  return slice;
}

ZoneColumns ZoneList::Columns() const {
  if (columns_ == nullptr) return {};
  const auto first = static_cast<int64_t>(first_), count = static_cast<int64_t>(size_);
  const auto cut = [&](const std::shared_ptr<arrow::Array>& array) {
    return first == 0 && count == array->length() ? array : array->Slice(first, count);
  };
  const ZoneColumns& all = columns_->arrays;
  return {.min = cut(all.min),
          .max = cut(all.max),
          .null_count = cut(all.null_count),
          .nan_count = cut(all.nan_count),
          .zone_start = cut(all.zone_start),
          .zone_length = cut(all.zone_length)};
}

arrow::Status ZoneList::CheckZone(size_t i, bool is_float) const {
  if (zone_length(i) == 0) {
    return arrow::Status::SerializationError("zone ", Row(i), ": zone_length is 0, allowed from 1");
  }
  if (uint64_t{null_count(i)} + nan_count(i) > zone_length(i)) {
    return arrow::Status::SerializationError("zone ", Row(i), ": ", null_count(i), " nulls and ",
                                             nan_count(i), " NaNs in ", zone_length(i), " rows");
  }
  if (nan_count(i) > 0 && !is_float) {
    return arrow::Status::SerializationError("zone ", Row(i), ": ", nan_count(i),
                                             " NaNs in a column of type ", type()->ToString());
  }
  const OrderedValue low = min(i), high = max(i);
  if (low.is_ordinary() && high.is_ordinary() && low > high) {
    return arrow::Status::SerializationError("zone ", Row(i), ": min is above max");
  }
  return arrow::Status::OK();
}

arrow::Status ZoneList::Check() const {
  const bool is_float = type() != nullptr && IsFloat(*type());
  for (size_t i = 0; i < size_; ++i) ARROW_RETURN_NOT_OK(CheckZone(i, is_float));
  return arrow::Status::OK();
}

bool ZoneList::AreDisjoint() const {
  for (size_t i = 1; i < size_; ++i) {
    if (zone_start(i) < zone_start(i - 1) ||
        zone_start(i) - zone_start(i - 1) < zone_length(i - 1)) {
      return false;
    }
  }
  return true;
}

bool ZoneList::NullCountsMatch(const RoaringBitmap& null_offsets) const {
  uint64_t counted = 0;
  for (size_t i = 0; i < size_; ++i) counted += null_count(i);
  if (null_offsets.size() != counted) return false;  // before they are listed
  const std::vector<uint32_t> offsets = null_offsets.ToVector();
  auto next = offsets.begin();
  for (size_t i = 0; i < size_; ++i) {
    const uint64_t start = zone_start(i);
    if (next != offsets.end() && *next < start) return false;
    const auto end = std::find_if(
        next, offsets.end(), [&](uint32_t offset) { return offset - start >= zone_length(i); });
    if (static_cast<uint64_t>(end - next) != null_count(i)) return false;
    next = end;
  }
  return next == offsets.end();
}

/// The columns that grow.
class ZoneListBuilder::Impl {
 public:
  explicit Impl(std::shared_ptr<arrow::DataType> type) : type_(std::move(type)) {}

  arrow::Status Reset() {
    ARROW_ASSIGN_OR_RAISE(min_, arrow::MakeBuilder(type_));
    return arrow::MakeBuilder(type_).Value(&max_);
  }

  arrow::Status Append(const Zone& zone) {
    ARROW_RETURN_NOT_OK(AppendBound(zone, zone.min, min_.get()));
    ARROW_RETURN_NOT_OK(AppendBound(zone, zone.max, max_.get()));
    ARROW_RETURN_NOT_OK(null_count_.Append(zone.null_count));
    ARROW_RETURN_NOT_OK(nan_count_.Append(zone.nan_count));
    ARROW_RETURN_NOT_OK(zone_start_.Append(zone.zone_start));
    return zone_length_.Append(zone.zone_length);
  }

  arrow::Result<ZoneList> Finish() {
    ZoneColumns columns;
    ARROW_ASSIGN_OR_RAISE(columns.min, min_->Finish());
    ARROW_ASSIGN_OR_RAISE(columns.max, max_->Finish());
    ARROW_ASSIGN_OR_RAISE(columns.null_count, null_count_.Finish());
    ARROW_ASSIGN_OR_RAISE(columns.nan_count, nan_count_.Finish());
    ARROW_ASSIGN_OR_RAISE(columns.zone_start, zone_start_.Finish());
    ARROW_ASSIGN_OR_RAISE(columns.zone_length, zone_length_.Finish());
    return ZoneList(std::move(columns));
  }

 private:
  arrow::Status AppendBound(const Zone& zone, const std::shared_ptr<arrow::Scalar>& bound,
                            arrow::ArrayBuilder* builder) {
    if (bound == nullptr) return builder->AppendNull();
    if (!bound->type->Equals(*type_)) {
      return arrow::Status::Invalid("zone at row ", zone.zone_start, " has a bound of type ",
                                    bound->type->ToString(), ", the column's is ",
                                    type_->ToString());
    }
    return builder->AppendScalar(*bound);
  }

  std::shared_ptr<arrow::DataType> type_;
  std::unique_ptr<arrow::ArrayBuilder> min_, max_;
  arrow::UInt32Builder null_count_, nan_count_;
  arrow::UInt64Builder zone_start_, zone_length_;
};

arrow::Result<ZoneListBuilder> ZoneListBuilder::Make(std::shared_ptr<arrow::DataType> type) {
  auto impl = std::make_unique<Impl>(std::move(type));
  ARROW_RETURN_NOT_OK(impl->Reset());
  return ZoneListBuilder(std::move(impl));
}

ZoneListBuilder::ZoneListBuilder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ZoneListBuilder::ZoneListBuilder(ZoneListBuilder&&) noexcept = default;
ZoneListBuilder& ZoneListBuilder::operator=(ZoneListBuilder&&) noexcept = default;
ZoneListBuilder::~ZoneListBuilder() = default;

arrow::Status ZoneListBuilder::Append(const Zone& zone) { return impl_->Append(zone); }

arrow::Result<ZoneList> ZoneListBuilder::Finish() { return impl_->Finish(); }

}  // namespace lance::index
