#include "lance/format/encode/dictionary_arrays.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow/api.h"
#include "arrow/array/concatenate.h"
#include "lance/base/check.h"
#include "lance/format/dictionary_values.h"
#include "lance/format/encodings/unsigned_dispatch.h"

namespace lance::format {
namespace {

using Arrays = std::vector<std::shared_ptr<arrow::Array>>;

/// A shared dictionary is kept whole up to this many items for each value of the page.
constexpr uint64_t kMaxItemsPerValue = 2;
constexpr uint64_t kFewItems = 1024;

const arrow::DictionaryArray& AsDictionary(const std::shared_ptr<arrow::Array>& array) {
  return static_cast<const arrow::DictionaryArray&>(*array);
}

uint64_t LoadIndex(const std::byte* index, uint64_t width) {
  uint64_t value = 0;
  std::memcpy(&value, index, width);  // little-endian
  return value;
}

/// Collects the indices of arrays, and the items that they name.
class Collector {
 public:
  Collector(const Arrays& arrays, std::span<const uint16_t> slots, arrow::MemoryPool* pool)
      : arrays_(arrays), slots_(slots), pool_(pool) {
    const auto& type = static_cast<const arrow::DictionaryType&>(*arrays[0]->type());
    value_type_ = type.value_type();
    max_items_ = NumNameable(*type.index_type());
    width_ = static_cast<uint64_t>(type.index_type()->byte_width());
    for (const auto& array : arrays) num_values_ += static_cast<uint64_t>(array->length());
  }

  arrow::Result<DictionaryPage> Collect() {
    DictionaryPage page(pool_);
    page.indices.num_values = num_values_;
    page.indices.bits_per_value = width_ * 8;
    page.indices.byte_storage.Grow(num_values_ * width_);
    if (CanShare()) {
      page.item_array = AsDictionary(arrays_[0]).dictionary();
      CopyIndices(&page.indices);
    } else {
      ARROW_RETURN_NOT_OK(MergeIndices(&page.indices));
      ARROW_ASSIGN_OR_RAISE(page.item_array, TakeItems());
    }
    page.indices.UseStorage();
    ARROW_ASSIGN_OR_RAISE(const ValueShape shape, MakeValueShape(*value_type_));
    ARROW_ASSIGN_OR_RAISE(page.items, CollectPlainValues(shape, {page.item_array}, {}, pool_));
    return page;
  }

 private:
  bool CanShare() const {
    const auto& first = AsDictionary(arrays_[0]).dictionary();
    const auto num_items = static_cast<uint64_t>(first->length());
    if (num_items == 0 || first->null_count() > 0) return false;
    if (num_items > kFewItems && num_items > num_values_ * kMaxItemsPerValue) return false;
    return std::ranges::all_of(arrays_, [&](const auto& array) {
      const auto& dictionary = AsDictionary(array).dictionary();
      return dictionary == first || dictionary->Equals(first);
    });
  }

  const std::byte* IndicesOf(const arrow::Array& array) const {
    return reinterpret_cast<const std::byte*>(array.data()->buffers[1]->data()) +
           static_cast<uint64_t>(array.offset()) * width_;
  }

  bool IsValid(uint64_t slot) const { return slots_.empty() || slots_[slot] == 0; }

  /// Null slots get the index in front of them, which packs well.
  void CopyIndices(PageValues* indices) {
    std::byte* to = indices->byte_storage.data();
    uint64_t slot = 0;
    uint64_t last = 0;
    for (const auto& array : arrays_) {
      if (array->length() == 0) continue;
      const std::byte* from = IndicesOf(*array);
      for (int64_t i = 0; i < array->length(); ++i, ++slot, from += width_, to += width_) {
        if (IsValid(slot)) last = LoadIndex(from, width_);
        std::memcpy(to, &last, width_);
      }
    }
  }

  /// Give every item that occurs a number of its own.
  arrow::Status MergeIndices(PageValues* indices) {
    std::byte* to = indices->byte_storage.data();
    uint64_t slot = 0;
    uint64_t last = 0;
    for (size_t k = 0; k < arrays_.size(); ++k) {
      if (arrays_[k]->length() == 0) continue;
      // The item numbers that this array's indices stand for, plus 1; 0: not met yet.
      std::vector<uint64_t> numbers(
          static_cast<size_t>(AsDictionary(arrays_[k]).dictionary()->length()), 0);
      const std::byte* from = IndicesOf(*arrays_[k]);
      for (int64_t i = 0; i < arrays_[k]->length(); ++i, ++slot, from += width_, to += width_) {
        if (IsValid(slot)) {
          uint64_t& number = numbers[LoadIndex(from, width_)];
          if (number == 0) {
            ARROW_ASSIGN_OR_RAISE(number, NumberItem(k, LoadIndex(from, width_)));
          }
          last = number - 1;
        }
        std::memcpy(to, &last, width_);
      }
    }
    return arrow::Status::OK();
  }

  /// \return the number of an item plus 1
  arrow::Result<uint64_t> NumberItem(size_t array, uint64_t index) {
    const auto& dictionary = AsDictionary(arrays_[array]).dictionary();
    const auto [found, is_new] = numbers_.try_emplace(
        BytesOfValue(*dictionary, static_cast<int64_t>(index)), numbers_.size() + 1);
    if (!is_new) return found->second;
    if (numbers_.size() > max_items_) {
      return arrow::Status::CapacityError("the dictionaries of a page have more than ", max_items_,
                                          " values together, which indices of ", width_ * 8,
                                          " bits cannot number");
    }
    items_.push_back(dictionary->Slice(static_cast<int64_t>(index), 1));
    return found->second;
  }

  /// The items in the order of their numbers; a dummy when there is none.
  arrow::Result<std::shared_ptr<arrow::Array>> TakeItems() const {
    if (!items_.empty()) return arrow::Concatenate(items_, pool_);
    ARROW_ASSIGN_OR_RAISE(const auto null, arrow::MakeArrayOfNull(value_type_, 1, pool_));
    auto data = null->data()->Copy();
    data->buffers[0] = nullptr;
    data->SetNullCount(0);
    return arrow::MakeArray(std::move(data));
  }

  const Arrays& arrays_;
  std::span<const uint16_t> slots_;
  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::DataType> value_type_;
  uint64_t max_items_ = 0;
  uint64_t width_ = 0;
  uint64_t num_values_ = 0;
  std::unordered_map<std::string, uint64_t> numbers_;
  arrow::ArrayVector items_;
};

}  // namespace

arrow::Result<DictionaryPage> CollectDictionaries(const Arrays& arrays,
                                                  std::span<const uint16_t> slots,
                                                  arrow::MemoryPool* pool) {
  LANCE_DCHECK(!arrays.empty());
  return Collector(arrays, slots, pool).Collect();
}

}  // namespace lance::format
