#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "lance/format/encodings/value_buffer.h"
#include "lance/format/encodings/value_shape.h"
#include "lance/format/field_tree.h"
#include "lance/format/levels/leaf_column.h"
#include "lance/format/levels/shred.h"

namespace lance::testing {

/// The bits [first, first + count) of a bitmap behind the `num_before` that `out` has.
inline void AppendBitsOf(const std::shared_ptr<arrow::Buffer>& bits, int64_t first, int64_t count,
                         uint64_t num_before, format::ByteBuffer* out) {
  if (bits == nullptr) {
    format::AppendSameBits(true, static_cast<uint64_t>(count), num_before, out);
  } else {
    format::AppendBits(reinterpret_cast<const std::byte*>(bits->data()),
                       static_cast<uint64_t>(first), static_cast<uint64_t>(count), num_before, out);
  }
}

/// Append fixed-width slots.
inline void AppendFixedSlots(const arrow::ArrayData& array, uint64_t num_before,
                             format::ValueBuffer* out) {
  if (array.length == 0) return;
  const int bits = array.type->bit_width();
  if (bits == 1) {
    AppendBitsOf(array.buffers[1], array.offset, array.length, num_before, &out->bytes);
    return;
  }
  const int64_t width = bits / 8;
  const auto bytes = std::as_bytes(std::span(array.buffers[1]->data() + array.offset * width,
                                             static_cast<size_t>(array.length * width)));
  out->bytes.Append(bytes);
}

/// Append slots of variable width.
template <typename Offset>
void AppendVariableSlots(const arrow::ArrayData& array, format::ValueBuffer* out) {
  if (out->offsets.empty()) std::memset(out->offsets.Grow(sizeof(Offset)), 0, sizeof(Offset));
  for (int64_t i = 0; i < array.length; ++i) {
    const Offset begin = array.GetValues<Offset>(1)[i];
    const Offset end = array.GetValues<Offset>(1)[i + 1];
    if (end > begin) {
      out->bytes.Append(std::as_bytes(
          std::span(array.buffers[2]->data() + begin, static_cast<size_t>(end - begin))));
    }
    const auto position = static_cast<Offset>(out->bytes.size());
    std::memcpy(out->offsets.Grow(sizeof(Offset)), &position, sizeof(Offset));
  }
}

/// Append the slots of an array to values that were made for its type; those of a dictionary array
/// are its indices.
inline void AppendSlots(const arrow::ArrayData& array, format::ValueBuffer* out);

/// Append fixed-size lists, level by level.
inline void AppendListSlots(const arrow::ArrayData& array, format::ValueBuffer* out) {
  const arrow::ArrayData* list = &array;
  int64_t offset = array.offset;
  int64_t length = array.length;
  for (size_t level = 0; list->type->id() == arrow::Type::FIXED_SIZE_LIST; ++level) {
    const int64_t size = static_cast<const arrow::FixedSizeListType&>(*list->type).list_size();
    list = list->child_data[0].get();
    offset = list->offset + offset * size;
    length *= size;
    if (out->item_validity.size() <= level) out->item_validity.emplace_back();
    AppendBitsOf(list->GetNullCount() > 0 ? list->buffers[0] : nullptr, offset, length,
                 out->num_values * out->level_items[level], &out->item_validity[level]);
  }
  const auto items = list->Copy();
  items->offset = offset;
  items->length = length;
  AppendFixedSlots(*items, out->num_items(), out);
}

inline void AppendSlots(const arrow::ArrayData& array, format::ValueBuffer* out) {
  switch (array.type->id()) {
    case arrow::Type::NA:
      break;
    case arrow::Type::STRUCT:
      for (size_t i = 0; i < array.child_data.size(); ++i) {
        AppendSlots(*array.child_data[i]->Slice(array.offset, array.length), &out->members[i]);
      }
      break;
    case arrow::Type::FIXED_SIZE_LIST:
      AppendListSlots(array, out);
      break;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      AppendVariableSlots<int32_t>(array, out);
      break;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      AppendVariableSlots<int64_t>(array, out);
      break;
    default:
      AppendFixedSlots(array, out->num_values, out);
  }
  out->num_values += static_cast<uint64_t>(array.length);
}

/// The values of arrays of one type, null slots as they are.
inline arrow::Result<format::ValueBuffer> ToValueBuffer(
    const arrow::DataType& type, const std::vector<std::shared_ptr<arrow::Array>>& arrays) {
  const bool is_dictionary = type.id() == arrow::Type::DICTIONARY;
  const arrow::DataType& stored =
      is_dictionary ? *static_cast<const arrow::DictionaryType&>(type).index_type() : type;
  ARROW_ASSIGN_OR_RAISE(const auto shape, format::MakeValueShape(stored));
  format::ValueBuffer values(shape, nullptr);
  for (const auto& array : arrays) AppendSlots(*array->data(), &values);
  return values;
}

/// What reading a leaf gives once it was written: the way back from shredding.
inline arrow::Result<format::LeafColumn> ToLeafColumn(const format::FieldNode& leaf,
                                                      const format::ShreddedLeaf& shredded) {
  format::LeafColumn column;
  column.num_rows = shredded.num_rows;
  column.num_entries = shredded.num_entries;
  column.rep = shredded.rep;
  column.def = shredded.def;
  ARROW_ASSIGN_OR_RAISE(column.values, ToValueBuffer(*leaf.type, shredded.values));
  if (leaf.type->id() == arrow::Type::DICTIONARY && !shredded.values.empty()) {
    column.dictionary =
        static_cast<const arrow::DictionaryArray&>(*shredded.values[0]).dictionary();
  }
  return column;
}

}  // namespace lance::testing
