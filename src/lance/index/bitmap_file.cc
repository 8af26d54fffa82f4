#include "lance/index/bitmap_file.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/index/index_file.h"
#include "lance/index/ordered_value.h"

namespace lance::index {
namespace {

/// Keys whose rows are read at once: so many, or as many as make about so many bytes.
constexpr uint64_t kMaxKeysPerRead = 2048;
constexpr uint64_t kBytesPerRead = uint64_t{16} << 20;

uint64_t KeysPerRead(const format::DataFileReader& file) {
  const uint64_t bytes_per_key = file.size_bytes() / std::max<uint64_t>(file.num_rows(), 1) + 1;
  return std::clamp<uint64_t>(kBytesPerRead / bytes_per_key, 1, kMaxKeysPerRead);
}

}  // namespace

arrow::Result<BitmapFile> BitmapFile::Open(std::shared_ptr<ObjectStore> store,
                                           const table::IndexMetadata& segment,
                                           const std::shared_ptr<arrow::DataType>& key_type,
                                           const RunContext& run) {
  BitmapFile opened;
  ARROW_ASSIGN_OR_RAISE(opened.file_, OpenIndexFile(std::move(store), segment, kName, run));
  const auto read = [&]() -> arrow::Status {
    const format::DataFileReader& file = *opened.file_;
    ARROW_ASSIGN_OR_RAISE(const int keys_column, FindTypedColumn(file, "keys", *key_type));
    ARROW_ASSIGN_OR_RAISE(opened.bitmaps_column_,
                          FindTypedColumn(file, "bitmaps", *arrow::binary()));
    ARROW_ASSIGN_OR_RAISE(
        opened.keys_,
        file.ReadColumn(keys_column, key_type, RowRanges::All(file.num_rows()), run.stop_token));
    return SortKeys(*opened.keys_).Value(&opened.order_);
  };
  ARROW_RETURN_NOT_OK(InFile(read(), opened.file_->path()));
  return opened;
}

RowRanges BitmapFile::NullPlaces() const { return RowRanges::FromAscending(order_.nulls); }

RowRanges BitmapFile::PlacesOf(const arrow::Scalar& value) const {
  if (!value.is_valid) return NullPlaces();
  const auto bound = Bound{value.GetSharedPtr(), /*inclusive=*/true};
  return PlacesBetween(bound, bound);
}

RowRanges BitmapFile::PlacesBetween(const std::optional<Bound>& lower,
                                    const std::optional<Bound>& upper) const {
  auto begin = order_.ascending.begin();
  auto end = order_.ascending.end();
  if (lower) {
    const OrderedValue value = ToOrderedValue(*lower->value);
    begin = std::partition_point(begin, end, [&](uint32_t place) {
      const auto order = ToOrderedValue(*keys_, place) <=> value;
      return order < 0 || (order == 0 && !lower->inclusive);
    });
  }
  if (upper) {
    const OrderedValue value = ToOrderedValue(*upper->value);
    end = std::partition_point(begin, end, [&](uint32_t place) {
      const auto order = ToOrderedValue(*keys_, place) <=> value;
      return order < 0 || (order == 0 && upper->inclusive);
    });
  }
  std::vector<uint32_t> places(begin, end);  // in the order of keys, which is any order of places
  std::ranges::sort(places);
  return RowRanges::FromAscending(places);
}

arrow::Status BitmapFile::VisitSome(
    const RowRanges& places, const RunContext& run,
    const std::function<arrow::Status(int64_t, const RowAddressMap&)>& visit) const {
  ARROW_ASSIGN_OR_RAISE(const auto values, file_->ReadColumn(bitmaps_column_, arrow::binary(),
                                                             places, run.stop_token));
  const auto& bitmaps = static_cast<const arrow::BinaryArray&>(*values);
  int64_t next = 0;
  for (const RowRange& range : places.ranges()) {
    for (uint64_t place = range.begin; place < range.end; ++place, ++next) {
      if (bitmaps.IsNull(next)) {
        return InFile(
            arrow::Status::SerializationError("bitmaps has null for key ", place, ", allowed none"),
            file_->path());
      }
      auto rows = RowAddressMap::Parse(AsBytes(bitmaps.GetView(next)), "bitmaps");
      if (!rows.ok()) return InFile(rows.status(), file_->path());
      ARROW_RETURN_NOT_OK(visit(static_cast<int64_t>(place), *rows));
    }
  }
  return arrow::Status::OK();
}

arrow::Status BitmapFile::VisitRows(
    const RowRanges& places, const RunContext& run,
    const std::function<arrow::Status(int64_t, const RowAddressMap&)>& visit) const {
  const uint64_t keys_per_read = KeysPerRead(*file_);
  std::vector<RowRange> some;
  uint64_t num_some = 0;
  const auto flush = [&]() -> arrow::Status {
    if (some.empty()) return arrow::Status::OK();
    num_some = 0;
    return VisitSome(RowRanges::Make(std::exchange(some, {})), run, visit);
  };
  for (RowRange range : places.ranges()) {
    while (range.size() > 0) {
      const uint64_t taken = std::min(range.size(), keys_per_read - num_some);
      some.push_back({range.begin, range.begin + taken});
      range.begin += taken;
      num_some += taken;
      if (num_some == keys_per_read) ARROW_RETURN_NOT_OK(flush());
    }
  }
  return flush();
}

std::vector<std::pair<std::string, ScalarIndex::Fact>> BitmapFile::Facts() const {
  return {{"num_bitmaps", static_cast<uint64_t>(keys_->length())}};
}

uint64_t BitmapFile::SizeBytes() const {
  return static_cast<uint64_t>(arrow::util::TotalBufferSize(*keys_)) +
         (order_.ascending.capacity() + order_.nulls.capacity()) * sizeof(uint32_t);
}

}  // namespace lance::index
