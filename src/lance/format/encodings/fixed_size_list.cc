#include "lance/format/encodings/fixed_size_list.h"

#include <cstring>
#include <utility>
#include <vector>

#include "arrow/util/bitmap_ops.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/encodings/flat.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// One level of lists in lists.
struct ListLevel {
  uint64_t items;  // of one value, at this level
  bool has_validity;
};

/// A checked description. A plain value.
struct ListLayout {
  std::vector<ListLevel> levels;  // from the outer to the inner
  uint32_t bits_per_item = 0;
  /// There are no items, because all of one level are null: nothing inside it is stored.
  bool is_all_null = false;
  /// Items of one value at the level that is all null; it has validity, and is the last that has.
  uint64_t null_items = 0;

  uint64_t items_per_value() const { return levels.back().items; }

  uint64_t num_bitmaps() const {
    uint64_t count = 0;
    for (const ListLevel& level : levels) count += level.has_validity ? 1 : 0;
    return count;
  }

  /// The bits of memory that each null item stands for.
  uint64_t bits_per_null_item() const { return items_per_value() / null_items * bits_per_item; }

  /// The bytes that the innermost items of one value take when it is stored alone.
  uint64_t item_bytes() const {
    return is_all_null ? 0 : CeilDiv(items_per_value() * bits_per_item, 8);
  }
};

arrow::Result<ListLayout> ParseLists(const pb::FixedSizeList& outermost, const ValueShape& shape) {
  if (!shape.is_fixed_size_list()) {
    return arrow::Status::SerializationError("FixedSizeList: has lists, the column needs ",
                                             ShapeName(shape));
  }
  ListLayout layout{.bits_per_item = shape.bits_per_value};
  const pb::FixedSizeList* list = &outermost;
  uint64_t items = 1;  // bounded by the shape, whose size fits
  for (size_t depth = 0; depth < shape.dimensions.size(); ++depth) {
    if (list->items_per_value() != shape.dimensions[depth]) {
      return arrow::Status::SerializationError("FixedSizeList.items_per_value is ",
                                               list->items_per_value(), ", the column needs ",
                                               shape.dimensions[depth]);
    }
    items *= shape.dimensions[depth];
    layout.levels.push_back({items, list->has_validity()});
    const pb::CompressiveEncoding& values = list->values();
    if (values.has_constant() && list->has_validity() && !values.constant().has_value()) {
      layout.is_all_null = true;
      layout.null_items = items;
      while (++depth < shape.dimensions.size()) {
        items *= shape.dimensions[depth];
        layout.levels.push_back({items, false});
      }
    } else if (depth + 1 < shape.dimensions.size()) {
      if (!values.has_fixed_size_list()) {
        return RefuseEncoding(values, "FixedSizeList.values", "FixedSizeList");
      }
      list = &values.fixed_size_list();
    } else if (values.has_flat()) {
      ARROW_RETURN_NOT_OK(CheckFlatBits(values.flat(), shape.bits_per_value));
    } else {
      return RefuseEncoding(values, "FixedSizeList.values",
                            "Flat, or Constant without a value where items can be null");
    }
  }
  return layout;
}

/// Items up to this width may come out of one bit of validity each, without a limit.
constexpr uint32_t kMaxNullItemBits = 256;

/// Check the size of null items that are not stored.
///
/// \pre the bits of all null items are there, which bounds their number
arrow::Status CheckNullItemsSize(uint64_t num_values, const ListLayout& layout) {
  if (layout.bits_per_null_item() <= kMaxNullItemBits) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_items,
                        CheckedMul(num_values, layout.items_per_value(), "FixedSizeList: items"));
  return CheckExpandedSize(num_items, layout.bits_per_item, "FixedSizeList of nulls");
}

/// Refuse valid items where there are none.
arrow::Status CheckAllNull(const std::byte* bits, uint64_t num_items) {
  const int64_t num_valid = arrow::internal::CountSetBits(reinterpret_cast<const uint8_t*>(bits), 0,
                                                          static_cast<int64_t>(num_items));
  if (num_valid == 0) return arrow::Status::OK();
  return arrow::Status::SerializationError("FixedSizeList: ", num_valid,
                                           " items are valid, allowed 0 where Constant stands");
}

class FixedSizeListMiniBlockDecoder : public MiniBlockDecoder {
 public:
  explicit FixedSizeListMiniBlockDecoder(ListLayout layout) : layout_(std::move(layout)) {}

  int num_buffers() const override {
    return static_cast<int>(layout_.num_bitmaps()) + (layout_.is_all_null ? 0 : 1);
  }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(static_cast<int>(buffers.size()) == num_buffers());
    const uint64_t num_before = out->num_values;
    ARROW_RETURN_NOT_OK(CheckBitmaps(buffers, num_values));
    if (layout_.is_all_null) {
      AppendDummyItems(num_values, out);
    } else {
      ARROW_RETURN_NOT_OK(AppendFlat(buffers.back(), num_values, out));
    }
    AppendValidity(buffers, num_before, num_values, out);
    return arrow::Status::OK();
  }

 private:
  arrow::Status CheckBitmaps(std::span<const std::span<const std::byte>> buffers,
                             uint64_t num_values) const {
    size_t next = 0;
    for (const ListLevel& level : layout_.levels) {
      if (!level.has_validity) continue;
      const auto bits = buffers[next++];
      ARROW_ASSIGN_OR_RAISE(const uint64_t num_items,
                            CheckedMul(num_values, level.items, "FixedSizeList: items"));
      if (bits.size() != CeilDiv(num_items, 8)) {
        return arrow::Status::SerializationError("FixedSizeList: validity has ", bits.size(),
                                                 " bytes, ", num_items, " items need ",
                                                 CeilDiv(num_items, 8));
      }
    }
    if (!layout_.is_all_null) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(CheckNullItemsSize(num_values, layout_));
    return CheckAllNull(buffers.back().data(), num_values * layout_.null_items);
  }

  /// Append zeros for items, as many as there are validity bits.
  void AppendDummyItems(uint64_t num_values, ValueBuffer* out) const {
    const uint64_t num_items = num_values * layout_.items_per_value();
    if (layout_.bits_per_item == 1) {
      AppendSameBits(false, num_items, out->num_items(), &out->bytes);
      out->num_values += num_values;
    } else if (num_values > 0) {  // nothing may have no memory
      std::memset(GrowFixed(num_values, out), 0, num_items * (layout_.bits_per_item / 8));
    }
  }

  void AppendValidity(std::span<const std::span<const std::byte>> buffers, uint64_t num_before,
                      uint64_t num_values, ValueBuffer* out) const {
    if (layout_.num_bitmaps() > 0) StartItemValidity(num_before, out);
    if (out->item_validity.empty()) return;
    size_t next = 0;
    for (size_t i = 0; i < layout_.levels.size(); ++i) {
      const ListLevel& level = layout_.levels[i];
      ByteBuffer* const to = &out->item_validity[i];
      if (level.has_validity) {
        AppendBits(buffers[next++].data(), 0, num_values * level.items, num_before * level.items,
                   to);
      } else {
        AppendSameBits(true, num_values * level.items, num_before * level.items, to);
      }
    }
  }

  ListLayout layout_;
};

class FixedSizeListPerValueDecoder : public PerValueDecoder {
 public:
  explicit FixedSizeListPerValueDecoder(ListLayout layout) : layout_(std::move(layout)) {
    for (const ListLevel& level : layout_.levels) {
      if (level.has_validity) bitmap_bytes_ += CeilDiv(level.items, 8);
    }
  }

  uint64_t stored_bits() const override { return 8 * (bitmap_bytes_ + layout_.item_bytes()); }

  arrow::Status Decode(std::span<const std::span<const std::byte>> values,
                       ValueBuffer* out) const override {
    ARROW_RETURN_NOT_OK(CheckStoredSizes(values, stored_bits() / 8, "FixedSizeList"));
    if (layout_.is_all_null) {
      ARROW_RETURN_NOT_OK(CheckNullItemsSize(values.size(), layout_));
    }
    const bool is_plain =
        bitmap_bytes_ == 0 && out->item_validity.empty() && layout_.bits_per_item != 1;
    if (is_plain) {
      AppendEach(values, stored_bits() / 8, out);
      return arrow::Status::OK();
    }
    if (bitmap_bytes_ > 0) StartItemValidity(out->num_values, out);
    for (const auto value : values) {
      if (value.data() == nullptr) {
        AppendDummies(1, out);
      } else {
        ARROW_RETURN_NOT_OK(AppendOne(value, out));
      }
    }
    return arrow::Status::OK();
  }

 private:
  arrow::Status AppendOne(std::span<const std::byte> value, ValueBuffer* out) const {
    const uint64_t num_before = out->num_values;
    const std::byte* bits = value.data();
    if (layout_.is_all_null) {
      const std::byte* const last = bits + bitmap_bytes_ - CeilDiv(layout_.null_items, 8);
      ARROW_RETURN_NOT_OK(CheckAllNull(last, layout_.null_items));
    }
    for (size_t i = 0; i < out->item_validity.size(); ++i) {
      const ListLevel& level = layout_.levels[i];
      ByteBuffer* const to = &out->item_validity[i];
      if (level.has_validity) {
        AppendBits(bits, 0, level.items, num_before * level.items, to);
        bits += CeilDiv(level.items, 8);
      } else {
        AppendSameBits(true, level.items, num_before * level.items, to);
      }
    }
    const uint64_t items = layout_.items_per_value();
    if (layout_.is_all_null) {
      if (layout_.bits_per_item == 1) {
        AppendSameBits(false, items, num_before * items, &out->bytes);
      } else {
        const uint64_t size = items * (layout_.bits_per_item / 8);
        std::memset(out->bytes.Grow(size), 0, size);
      }
    } else if (layout_.bits_per_item == 1) {
      AppendBits(bits, 0, items, num_before * items, &out->bytes);
    } else {
      out->bytes.Append({bits, layout_.item_bytes()});
    }
    ++out->num_values;
    return arrow::Status::OK();
  }

  ListLayout layout_;
  uint64_t bitmap_bytes_ = 0;
};

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakeFixedSizeListMiniBlockDecoder(
    const pb::FixedSizeList& list, const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(ListLayout layout, ParseLists(list, shape));
  return std::make_unique<FixedSizeListMiniBlockDecoder>(std::move(layout));
}

arrow::Result<std::unique_ptr<PerValueDecoder>> MakeFixedSizeListPerValueDecoder(
    const pb::FixedSizeList& list, const ValueShape& shape) {
  ARROW_ASSIGN_OR_RAISE(ListLayout layout, ParseLists(list, shape));
  return std::make_unique<FixedSizeListPerValueDecoder>(std::move(layout));
}

}  // namespace lance::format
