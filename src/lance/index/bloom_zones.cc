#include "lance/index/bloom_zones.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "lance/base/status_detail.h"

namespace lance::index {
namespace {

constexpr uint64_t kBlockBytes = 32;
constexpr uint64_t kMaxOffsets = uint64_t{1} << 32;

/// Rows that all zones together may span: few bytes must not claim more than memory holds, however
/// compact bitmaps are.
constexpr uint64_t kMaxSpannedRows = uint64_t{1} << 37;

template <typename ArrowType>
arrow::Status ReadColumn(const format::DataFileReader& file, std::string_view name,
                         const RunContext& run,
                         std::shared_ptr<typename arrow::TypeTraits<ArrowType>::ArrayType>* out) {
  ARROW_ASSIGN_OR_RAISE(
      auto values, ReadRequiredColumn(file, name, arrow::TypeTraits<ArrowType>::type_singleton(),
                                      run.stop_token));
  *out =
      std::static_pointer_cast<typename arrow::TypeTraits<ArrowType>::ArrayType>(std::move(values));
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<BloomZones> BloomZones::Read(const format::DataFileReader& file,
                                           const RunContext& run) {
  BloomZones zones;
  ARROW_RETURN_NOT_OK(ReadColumn<arrow::UInt64Type>(file, "fragment_id", run, &zones.fragment_id_));
  ARROW_RETURN_NOT_OK(ReadColumn<arrow::UInt64Type>(file, "zone_start", run, &zones.zone_start_));
  ARROW_RETURN_NOT_OK(ReadColumn<arrow::UInt64Type>(file, "zone_length", run, &zones.zone_length_));
  ARROW_RETURN_NOT_OK(ReadColumn<arrow::BooleanType>(file, "has_null", run, &zones.has_null_));
  ARROW_RETURN_NOT_OK(
      ReadColumn<arrow::BinaryType>(file, "bloom_filter_data", run, &zones.filters_));
  ARROW_ASSIGN_OR_RAISE(auto nulls, ReadRowBuffer(file, "null_bitmap", run.stop_token));
  if (!nulls) {
    return UnsupportedError("bloom filter without null bitmap", "there is no null_bitmap");
  }
  zones.nulls_ = std::move(*nulls);
  ARROW_RETURN_NOT_OK(zones.Check());
  return zones;
}

arrow::Status BloomZones::Check() {
  uint64_t spanned = 0;
  std::vector<std::tuple<uint64_t, uint64_t, uint64_t>> places;  // fragment, first row, end
  for (int64_t zone = 0; zone < filters_->length(); ++zone) {
    const uint64_t fragment_id = fragment_id_->Value(zone);
    const uint64_t start = zone_start_->Value(zone);
    const uint64_t length = zone_length_->Value(zone);
    if (fragment_id >= kMaxOffsets || start >= kMaxOffsets || length == 0 ||
        length > kMaxOffsets - start || length > kMaxSpannedRows - spanned) {
      return arrow::Status::SerializationError(
          "zone ", zone, " is ", length, " rows from ", start, " of fragment ", fragment_id,
          ", allowed are fragments and rows below 2^32, from 1 row");
    }
    spanned += length;
    fragments_.Add(static_cast<uint32_t>(fragment_id));
    const uint64_t bytes = filters_->GetView(zone).size();
    if (bytes == 0 || bytes % kBlockBytes != 0) {
      return arrow::Status::SerializationError("bloom_filter_data of zone ", zone, " has ", bytes,
                                               " bytes, allowed multiples of ", kBlockBytes);
    }
    places.emplace_back(fragment_id, start, start + length);
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    const auto& [fragment_id, start, end] = places[i];
    const auto& [last_id, last_start, last_end] = places[i - 1];
    has_overlap_ = has_overlap_ || (fragment_id == last_id && start < last_end);
  }
  return arrow::Status::OK();
}

RowAddressMap BloomZones::RowsOf(const std::function<bool(int64_t)>& keeps) const {
  std::map<uint32_t, RoaringBitmap> by_fragment;
  for (int64_t zone = 0; zone < filters_->length(); ++zone) {
    if (!keeps(zone)) continue;
    const uint64_t start = zone_start_->Value(zone);
    by_fragment[static_cast<uint32_t>(fragment_id_->Value(zone))].AddRange(
        start, start + zone_length_->Value(zone));
  }
  RowAddressMap rows;
  for (auto& [fragment_id, offsets] : by_fragment) {
    rows.entries.push_back({fragment_id, std::move(offsets)});
  }
  return rows;
}

RowAddressMap BloomZones::RowsWhere(
    const std::function<bool(std::string_view filter)>& keeps) const {
  return RowsOf([&](int64_t zone) { return keeps(filters_->GetView(zone)); });
}

RowAddressMap BloomZones::RowsOfNullZones() const {
  return RowsOf([this](int64_t zone) { return has_null_->Value(zone); });
}

uint64_t BloomZones::num_zones() const { return static_cast<uint64_t>(filters_->length()); }

uint64_t BloomZones::SizeBytes() const {
  uint64_t bytes = nulls_.size_bytes;
  for (const arrow::Array* column : std::initializer_list<const arrow::Array*>{
           fragment_id_.get(), zone_start_.get(), zone_length_.get(), has_null_.get(),
           filters_.get()}) {
    bytes += static_cast<uint64_t>(arrow::util::TotalBufferSize(*column));
  }
  return bytes;
}

}  // namespace lance::index
