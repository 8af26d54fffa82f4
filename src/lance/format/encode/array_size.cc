#include "lance/format/encode/array_size.h"

#include <algorithm>

#include "arrow/api.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"

namespace lance::format {
namespace {

/// The least that a slot counts: its levels take memory, too.
constexpr uint64_t kMinSlotBits = 16;
/// What an entry without a value counts: its levels, and the offset of the list that it is.
constexpr uint64_t kEmptyEntryBits = 48;

/// The bits of a value of fixed width; 0: variable width.
uint64_t FixedBits(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::DICTIONARY:
      return FixedBits(*static_cast<const arrow::DictionaryType&>(type).index_type());
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& list = static_cast<const arrow::FixedSizeListType&>(type);
      return static_cast<uint64_t>(list.list_size()) * FixedBits(*list.value_type());
    }
    case arrow::Type::NA:
      return kMinSlotBits;
    default:
      return type.bit_width() > 0 ? static_cast<uint64_t>(type.bit_width()) : 0;
  }
}

bool IsWideOffset(const arrow::DataType& type) {
  return type.id() == arrow::Type::LARGE_BINARY || type.id() == arrow::Type::LARGE_STRING ||
         type.id() == arrow::Type::LARGE_LIST;
}

bool IsVariable(const arrow::DataType& type) { return arrow::is_base_binary_like(type.id()); }

/// Offset `i` of an array of variable width, or of lists; `i` counts from the array's start.
uint64_t OffsetAt(const arrow::ArrayData& data, int64_t i) {
  return IsWideOffset(*data.type) ? static_cast<uint64_t>(data.GetValues<int64_t>(1)[i])
                                  : static_cast<uint64_t>(data.GetValues<int32_t>(1)[i]);
}

/// The bytes of rows [first, first + count), counted from the start of the data.
uint64_t RangeBytes(const arrow::ArrayData& data, int64_t first, int64_t count) {
  if (count == 0) return 0;
  const auto n = static_cast<uint64_t>(count);
  const arrow::DataType& type = *data.type;
  if (IsVariable(type)) {
    return n * sizeof(int32_t) + OffsetAt(data, first + count) - OffsetAt(data, first);
  }
  switch (type.id()) {
    case arrow::Type::EXTENSION: {
      const auto storage = data.Copy();
      storage->type = static_cast<const arrow::ExtensionType&>(type).storage_type();
      return RangeBytes(*storage, first, count);
    }
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::MAP: {
      const uint64_t begin = OffsetAt(data, first);
      const uint64_t end = OffsetAt(data, first + count);
      return n * sizeof(int32_t) + RangeBytes(*data.child_data[0], static_cast<int64_t>(begin),
                                              static_cast<int64_t>(end - begin));
    }
    case arrow::Type::FIXED_SIZE_LIST: {
      const int64_t dimension = static_cast<const arrow::FixedSizeListType&>(type).list_size();
      return RangeBytes(*data.child_data[0], (data.offset + first) * dimension, count * dimension);
    }
    case arrow::Type::STRUCT: {
      uint64_t bytes = 0;
      for (const auto& child : data.child_data) {
        bytes += RangeBytes(*child, data.offset + first, count);
      }
      return bytes;
    }
    default:
      return CeilDiv(n * std::max(FixedBits(type), kMinSlotBits), 8);
  }
}

uint64_t BufferBytes(const arrow::ArrayData& data) {
  uint64_t bytes = 0;
  for (const auto& buffer : data.buffers) {
    if (buffer != nullptr) bytes += static_cast<uint64_t>(buffer->size());
  }
  for (const auto& child : data.child_data) bytes += BufferBytes(*child);
  return bytes;
}

}  // namespace

uint64_t EstimateArrayBytes(const arrow::ArrayData& data) {
  return RangeBytes(data, 0, data.length);
}

LeafSize::LeafSize(const arrow::DataType& type, LeafPath path) : path_(std::move(path)) {
  is_variable_ = IsVariable(type);
  if (is_variable_) {
    fixed_bits_ = IsWideOffset(type) ? 64 : 32;
  } else if (type.id() == arrow::Type::STRUCT) {
    for (const auto& member : type.fields()) {
      fixed_bits_ += std::max<uint64_t>(FixedBits(*member->type()), 64);
    }
  } else {
    fixed_bits_ = FixedBits(type);
  }
  fixed_bits_ = std::max(fixed_bits_, kMinSlotBits);
}

uint64_t LeafSize::Bits(const ShreddedLeaf& leaf) const {
  uint64_t num_slots = 0;
  uint64_t value_bytes = 0;
  for (const auto& array : leaf.values) {
    if (array->length() == 0) continue;
    num_slots += static_cast<uint64_t>(array->length());
    if (is_variable_)
      value_bytes += OffsetAt(*array->data(), array->length()) - OffsetAt(*array->data(), 0);
  }
  LANCE_DCHECK(num_slots <= leaf.num_entries);
  return num_slots * fixed_bits_ + value_bytes * 8 +
         (leaf.num_entries - num_slots) * kEmptyEntryBits;
}

uint64_t LeafSize::SlotBits(const arrow::Array& array, int64_t slot) const {
  if (!is_variable_) return fixed_bits_;
  return fixed_bits_ + 8 * (OffsetAt(*array.data(), slot + 1) - OffsetAt(*array.data(), slot));
}

uint64_t LeafSize::RowsToFill(const ShreddedLeaf& leaf, uint64_t room_bits) const {
  LANCE_DCHECK(leaf.num_rows > 0 && room_bits > 0);
  if (Bits(leaf) <= room_bits) return leaf.num_rows;
  const uint64_t num_rows =
      leaf.rep.empty() ? RowsOfSlots(leaf, room_bits) : RowsOfEntries(leaf, room_bits);
  return std::clamp<uint64_t>(num_rows, 1, leaf.num_rows);
}

uint64_t LeafSize::RowsOfSlots(const ShreddedLeaf& leaf, uint64_t room_bits) const {
  const uint64_t entries_per_row = path_.entries_per_row();
  if (!is_variable_) return CeilDiv(room_bits, fixed_bits_ * entries_per_row);
  uint64_t num_slots = 0;
  for (const auto& array : leaf.values) {
    for (int64_t i = 0; i < array->length(); ++i) {
      const uint64_t bits = SlotBits(*array, i);
      ++num_slots;
      if (bits >= room_bits) return CeilDiv(num_slots, entries_per_row);
      room_bits -= bits;
    }
  }
  return leaf.num_rows;
}

uint64_t LeafSize::RowsOfEntries(const ShreddedLeaf& leaf, uint64_t room_bits) const {
  const uint16_t row_start = path_.max_rep();
  const uint16_t max_visible = path_.max_visible_def();
  size_t array = 0;
  int64_t slot = 0;
  uint64_t num_rows = 0;
  uint64_t bits = 0;
  for (uint64_t i = 0; i < leaf.num_entries; ++i) {
    if (leaf.rep[i] == row_start) {
      if (bits >= room_bits) return num_rows;
      ++num_rows;
    }
    if (!leaf.def.empty() && leaf.def[i] > max_visible) {
      bits += kEmptyEntryBits;
      continue;
    }
    while (slot == leaf.values[array]->length()) {
      ++array;
      slot = 0;
    }
    bits += SlotBits(*leaf.values[array], slot++);
  }
  return num_rows;
}

bool KeepsMuchMore(const arrow::ArrayData& data) {
  constexpr uint64_t kFixedCost = 4096;
  return BufferBytes(data) > 2 * EstimateArrayBytes(data) + kFixedCost;
}

}  // namespace lance::format
