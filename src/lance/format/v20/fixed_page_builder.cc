#include "lance/format/v20/fixed_page_builder.h"

#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"

namespace lance::format::v20 {

arrow::Result<std::unique_ptr<FixedPageBuilder>> FixedPageBuilder::Make(const arrow::DataType& type,
                                                                        arrow::MemoryPool* pool) {
  std::vector<uint32_t> dimensions;
  const arrow::DataType* item = &type;
  while (item->id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*item);
    if (list.list_size() < 1) {
      return UnsupportedError("fixed-size lists of dimension 0",
                              type.ToString() + " is not supported; its dimension must be 1 or up");
    }
    dimensions.push_back(static_cast<uint32_t>(list.list_size()));
    item = list.value_type().get();
  }
  const bool is_plain = arrow::is_fixed_width(item->id()) && !arrow::is_dictionary(item->id()) &&
                        !arrow::is_nested(item->id());
  const bool is_null = item->id() == arrow::Type::NA && dimensions.empty();
  if (!is_plain && !is_null) {
    return UnsupportedError("type " + type.ToString() + " in 2.0 data files",
                            "type " + type.ToString() + " is not supported in 2.0 data files");
  }
  const auto bits = is_null ? 0 : static_cast<uint64_t>(item->bit_width());
  std::unique_ptr<FixedPageBuilder> builder(
      new FixedPageBuilder(bits, std::move(dimensions), pool));
  for (const uint32_t dimension : builder->dimensions_) {
    ARROW_ASSIGN_OR_RAISE(builder->items_per_row_,
                          CheckedMul(builder->items_per_row_, dimension, "items of a list"));
  }
  return builder;
}

FixedPageBuilder::FixedPageBuilder(uint64_t bits_per_value, std::vector<uint32_t> dimensions,
                                   arrow::MemoryPool* pool)
    : bits_per_value_(bits_per_value),
      dimensions_(std::move(dimensions)),
      bits_(pool),
      bytes_(pool) {
  for (size_t i = 0; i <= dimensions_.size(); ++i) levels_.emplace_back(pool);
}

arrow::Result<int64_t> FixedPageBuilder::Append(const arrow::Array& array, int64_t begin,
                                                int64_t end) {
  const arrow::Array* slots = &array;
  int64_t first = begin;
  int64_t last = end;
  std::shared_ptr<arrow::Array> items;
  for (size_t i = 0;; ++i) {
    ARROW_RETURN_NOT_OK(levels_[i].Append(*slots, first, last));
    if (i == dimensions_.size()) break;
    const auto& list = static_cast<const arrow::FixedSizeListArray&>(*slots);
    const int64_t num_items = (last - first) * list.value_length();
    first = list.value_offset(first);
    last = first + num_items;
    items = list.values();
    slots = items.get();
  }
  ARROW_RETURN_NOT_OK(AppendValues(*slots, first, last));
  return end - begin;
}

arrow::Status FixedPageBuilder::AppendValues(const arrow::Array& values, int64_t begin,
                                             int64_t end) {
  if (bits_per_value_ == 0 || begin == end) return arrow::Status::OK();
  const uint8_t* data = values.data()->buffers[1]->data();
  const int64_t first = values.offset() + begin;
  if (bits_per_value_ == 1) {
    ARROW_RETURN_NOT_OK(bits_.Reserve(end - begin));
    bits_.UnsafeAppend(data, first, end - begin);
    return arrow::Status::OK();
  }
  const size_t width = bits_per_value_ / 8;
  bytes_.Append({reinterpret_cast<const std::byte*>(data) + static_cast<size_t>(first) * width,
                 static_cast<size_t>(end - begin) * width});
  return arrow::Status::OK();
}

uint64_t FixedPageBuilder::pending_bytes() const {
  uint64_t bytes = bytes_.size() + static_cast<uint64_t>(bits_.length()) / 8;
  for (const ValidityBuilder& level : levels_) bytes += level.pending_bytes();
  return bytes;
}

uint64_t FixedPageBuilder::BytesOf(const arrow::Array&, int64_t begin, int64_t end) const {
  // A bit for the null that may come.
  const uint64_t bits_per_row = items_per_row_ * bits_per_value_ + (bits_per_value_ > 0 ? 1 : 0);
  return static_cast<uint64_t>(end - begin) * bits_per_row / 8;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> FixedPageBuilder::FinishValues() {
  if (bits_per_value_ == 1) return bits_.Finish();
  return bytes_.Finish();
}

arrow::Result<ArrayEncoding> FixedPageBuilder::Build(
    std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  FixedWidthEncoding encoding;
  bool is_all_null = false;
  for (size_t i = 0; i < levels_.size(); ++i) {
    const Nulls nulls = levels_[i].nulls();
    ARROW_ASSIGN_OR_RAISE(auto bits, levels_[i].Finish());
    if (is_all_null) continue;  // what is below is not stored
    if (i > 0) encoding.dimensions.push_back(dimensions_[i - 1]);
    encoding.levels.push_back({nulls, static_cast<uint32_t>(buffers->size())});
    if (nulls == Nulls::kSome) buffers->push_back(std::move(bits));
    is_all_null = nulls == Nulls::kAll;
  }
  ARROW_ASSIGN_OR_RAISE(auto values, FinishValues());
  if (!is_all_null) {
    encoding.values = FixedValues{.bits_per_value = bits_per_value_,
                                  .buffer = static_cast<uint32_t>(buffers->size())};
    buffers->push_back(std::move(values));
  }
  return ArrayEncoding{std::move(encoding)};
}

}  // namespace lance::format::v20
