#include <cstring>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encode/page_values.h"
#include "lance/format/encodings/value_buffer.h"

namespace lance::format {
namespace {

using Arrays = std::vector<std::shared_ptr<arrow::Array>>;

/// Items of one level of one array, as Arrow has them.
struct ItemRange {
  const arrow::ArrayData* data = nullptr;
  /// From the start of the data's buffers.
  int64_t first = 0;
  int64_t count = 0;
};

/// The items of a range of fixed-size lists.
ItemRange ItemsOf(const ItemRange& lists, uint32_t dimension) {
  const arrow::ArrayData* const items = lists.data->child_data[0].get();
  return {items, items->offset + lists.first * dimension, lists.count * dimension};
}

/// Collects the items of fixed-size lists, level by level.
class ItemCollector {
 public:
  ItemCollector(const ValueShape& shape, const Arrays& arrays, std::span<const uint16_t> slots,
                PageValues* values)
      : shape_(shape), slots_(slots), values_(values) {
    for (const auto& array : arrays) {
      if (array->length() > 0) {
        ranges_.push_back({array->data().get(), array->offset(), array->length()});
      }
    }
  }

  void Collect() {
    uint64_t num_items = values_->num_values;
    // What is null above, or all: bits of the parents of the level at hand.
    ByteBuffer valid_above = ValidSlots();
    for (const uint32_t dimension : shape_.dimensions) {
      for (ItemRange& range : ranges_) range = ItemsOf(range, dimension);
      valid_above = Spread(valid_above, num_items, dimension);
      num_items *= dimension;
      values_->item_validity.push_back(TakeValidity(num_items, &valid_above));
    }
    CopyItems(num_items);
    if (!valid_above.empty()) ClearNullItems(valid_above, num_items);
    values_->are_items_null =
        !valid_above.empty() &&
        arrow::internal::CountSetBits(Bits(valid_above), 0, static_cast<int64_t>(num_items)) == 0;
    if (values_->are_items_null) values_->item_validity.back() = NewBits(num_items, false);
    values_->UseStorage();
  }

 private:
  static const uint8_t* Bits(const ByteBuffer& bits) {
    return reinterpret_cast<const uint8_t*>(bits.data());
  }
  static uint8_t* Bits(ByteBuffer* bits) { return reinterpret_cast<uint8_t*>(bits->data()); }

  ByteBuffer NewBits(uint64_t num_bits, bool bit) const {
    ByteBuffer bits(values_->byte_storage.pool());
    const uint64_t size = CeilDiv(num_bits, 8);
    if (size > 0) std::memset(bits.Grow(size), bit ? 0xFF : 0, size);
    return bits;
  }

  /// One bit a value slot; empty: all valid.
  ByteBuffer ValidSlots() const {
    if (slots_.empty()) return ByteBuffer(values_->byte_storage.pool());
    ByteBuffer bits = NewBits(slots_.size(), false);
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] == 0) arrow::bit_util::SetBit(Bits(&bits), static_cast<int64_t>(i));
    }
    return bits;
  }

  /// Repeat every bit for each item below it.
  ByteBuffer Spread(const ByteBuffer& bits, uint64_t num_bits, uint32_t dimension) const {
    if (bits.empty()) return ByteBuffer(values_->byte_storage.pool());
    ByteBuffer spread = NewBits(num_bits * dimension, false);
    for (uint64_t i = 0; i < num_bits; ++i) {
      if (arrow::bit_util::GetBit(Bits(bits), static_cast<int64_t>(i))) {
        arrow::bit_util::SetBitsTo(Bits(&spread), static_cast<int64_t>(i * dimension), dimension,
                                   true);
      }
    }
    return spread;
  }

  /// Read the validity of the ranges' items.
  ///
  /// \param[in,out] valid which items have only valid lists above them (empty: all); afterwards,
  ///   which of those are valid themselves
  /// \return one bit an item; empty: no item is null, but for those below null lists
  ByteBuffer TakeValidity(uint64_t num_items, ByteBuffer* valid) const {
    ByteBuffer bits = NewBits(num_items, true);
    int64_t first = 0;
    for (const ItemRange& range : ranges_) {
      const auto& bitmap = range.data->buffers[0];
      if (bitmap != nullptr) {
        arrow::internal::CopyBitmap(bitmap->data(), range.first, range.count, Bits(&bits), first);
      }
      first += range.count;
    }
    if (!valid->empty()) {  // below null lists every item counts as valid
      for (size_t i = 0; i < bits.size(); ++i) bits.data()[i] |= ~valid->data()[i];
    }
    const auto num_bits = static_cast<int64_t>(num_items);
    if (arrow::internal::CountSetBits(Bits(bits), 0, num_bits) == num_bits) {
      return ByteBuffer(values_->byte_storage.pool());
    }
    if (valid->empty()) *valid = NewBits(num_items, true);
    for (size_t i = 0; i < bits.size(); ++i) valid->data()[i] &= bits.data()[i];
    return bits;
  }

  void CopyItems(uint64_t num_items) {
    const uint64_t item_bits = shape_.bits_per_value;
    const uint64_t size = CeilDiv(num_items * item_bits, 8);
    auto* const to = reinterpret_cast<uint8_t*>(values_->byte_storage.Grow(size));
    if (item_bits == 1) std::memset(to, 0, size);
    int64_t first = 0;
    for (const ItemRange& range : ranges_) {
      const uint8_t* const from = range.data->buffers[1]->data();
      if (item_bits == 1) {
        arrow::internal::CopyBitmap(from, range.first, range.count, to, first);
      } else {
        const auto width = static_cast<int64_t>(item_bits / 8);
        std::memcpy(to + first * width, from + range.first * width,
                    static_cast<size_t>(range.count * width));
      }
      first += range.count;
    }
  }

  /// What lies behind nulls must not decide the bytes of a file.
  void ClearNullItems(const ByteBuffer& valid, uint64_t num_items) {
    std::byte* const items = values_->byte_storage.data();
    const uint64_t width = shape_.bits_per_value / 8;
    for (uint64_t i = 0; i < num_items; ++i) {
      if (arrow::bit_util::GetBit(Bits(valid), static_cast<int64_t>(i))) continue;
      if (width == 0) {
        arrow::bit_util::ClearBit(reinterpret_cast<uint8_t*>(items), static_cast<int64_t>(i));
      } else {
        std::memset(items + i * width, 0, width);
      }
    }
  }

  const ValueShape& shape_;
  std::span<const uint16_t> slots_;
  PageValues* values_;
  std::vector<ItemRange> ranges_;
};

}  // namespace

arrow::Result<PageValues> CollectFixedSizeLists(const ValueShape& shape, const Arrays& arrays,
                                                std::span<const uint16_t> slots,
                                                arrow::MemoryPool* pool) {
  PageValues values(pool);
  for (const auto& array : arrays) values.num_values += static_cast<uint64_t>(array->length());
  values.bits_per_value = shape.items_per_value() * shape.bits_per_value;
  LANCE_DCHECK(slots.empty() || slots.size() == values.num_values);
  ItemCollector(shape, arrays, slots, &values).Collect();
  return values;
}

}  // namespace lance::format
