#include "lance/format/levels/leaf_array.h"

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"

namespace lance::format {
namespace {

using DataPtr = std::shared_ptr<arrow::ArrayData>;
using TypePtr = std::shared_ptr<arrow::DataType>;
using BufferPtr = std::shared_ptr<arrow::Buffer>;

/// What Arrow does with a buffer that is too short is worse than an error.
arrow::Status CheckSize(const ByteBuffer& bytes, uint64_t num_bytes, const arrow::DataType& type) {
  if (bytes.size() == num_bytes) return arrow::Status::OK();
  return InternalError("a buffer of " + type.ToString() + " values has " +
                       std::to_string(bytes.size()) +
                       " bytes; expected: " + std::to_string(num_bytes));
}

/// Bits of an item of a fixed-width type; 0: of no such type.
uint32_t BitsOf(const arrow::DataType& type) {
  if (!arrow::is_fixed_width(type.id()) || type.id() == arrow::Type::DICTIONARY) return 0;
  return static_cast<uint32_t>(type.bit_width());
}

arrow::Result<DataPtr> MakeFixed(const TypePtr& type, uint64_t num_items, Validity validity,
                                 ValueBuffer* values) {
  const uint32_t bits = BitsOf(*type);
  if (bits == 0 || bits != values->bits_per_value) {
    return InternalError("values of " + std::to_string(values->bits_per_value) + " bits for type " +
                         type->ToString());
  }
  ARROW_RETURN_NOT_OK(CheckSize(values->bytes, CeilDiv(num_items * bits, 8), *type));
  return arrow::ArrayData::Make(type, static_cast<int64_t>(num_items),
                                {std::move(validity.bits), values->bytes.Finish()},
                                validity.null_count);
}

arrow::Result<DataPtr> MakeVariable(const TypePtr& type, uint64_t num_slots, Validity validity,
                                    ValueBuffer* values) {
  const uint32_t offset_bits = arrow::is_large_binary_like(type->id()) ? 64 : 32;
  if (!values->is_variable() || values->offset_bits != offset_bits) {
    return InternalError("values with offsets of " + std::to_string(values->offset_bits) +
                         " bits for type " + type->ToString());
  }
  const uint64_t width = offset_bits / 8;
  if (num_slots == 0 && values->offsets.empty()) {
    std::memset(values->offsets.Grow(width), 0, width);
  }
  ARROW_RETURN_NOT_OK(CheckSize(values->offsets, (num_slots + 1) * width, *type));
  ARROW_RETURN_NOT_OK(CheckSize(values->bytes, values->offset(num_slots), *type));
  return arrow::ArrayData::Make(
      type, static_cast<int64_t>(num_slots),
      {std::move(validity.bits), values->offsets.Finish(), values->bytes.Finish()},
      validity.null_count);
}

/// \param level 0: the outermost fixed-size list
arrow::Result<DataPtr> MakeFixedSizeList(const TypePtr& type, uint64_t num_slots, size_t level,
                                         Validity validity, ValueBuffer* values) {
  const auto& list = static_cast<const arrow::FixedSizeListType&>(*type);
  const uint64_t num_items = num_slots * static_cast<uint64_t>(list.list_size());
  Validity items;
  if (level < values->item_validity.size() && !values->item_validity[level].empty()) {
    ByteBuffer& bits = values->item_validity[level];
    ARROW_RETURN_NOT_OK(CheckSize(bits, CeilDiv(num_items, 8), *type));
    items = {.bits = bits.Finish(), .null_count = arrow::kUnknownNullCount};
  }
  DataPtr child;
  if (list.value_type()->id() == arrow::Type::FIXED_SIZE_LIST) {
    ARROW_ASSIGN_OR_RAISE(child, MakeFixedSizeList(list.value_type(), num_items, level + 1,
                                                   std::move(items), values));
  } else {
    ARROW_ASSIGN_OR_RAISE(child, MakeFixed(list.value_type(), num_items, std::move(items), values));
  }
  return arrow::ArrayData::Make(type, static_cast<int64_t>(num_slots), {std::move(validity.bits)},
                                {std::move(child)}, validity.null_count);
}

arrow::Result<DataPtr> MakeValues(const TypePtr& type, uint64_t num_slots, Validity validity,
                                  ValueBuffer* values);

arrow::Result<DataPtr> MakeMembers(const TypePtr& type, uint64_t num_slots, Validity validity,
                                   ValueBuffer* values) {
  if (values->members.size() != static_cast<size_t>(type->num_fields())) {
    return InternalError(std::to_string(values->members.size()) + " members for type " +
                         type->ToString());
  }
  std::vector<DataPtr> members;
  for (int i = 0; i < type->num_fields(); ++i) {
    ValueBuffer& member = values->members[static_cast<size_t>(i)];
    if (member.num_values != num_slots) {
      return InternalError("a packed member has " + std::to_string(member.num_values) +
                           " values; expected: " + std::to_string(num_slots));
    }
    ARROW_ASSIGN_OR_RAISE(auto data, MakeValues(type->field(i)->type(), num_slots, {}, &member));
    members.push_back(std::move(data));
  }
  return arrow::ArrayData::Make(type, static_cast<int64_t>(num_slots), {std::move(validity.bits)},
                                std::move(members), validity.null_count);
}

arrow::Result<DataPtr> MakeValues(const TypePtr& type, uint64_t num_slots, Validity validity,
                                  ValueBuffer* values) {
  switch (type->id()) {
    case arrow::Type::STRUCT:
      return MakeMembers(type, num_slots, std::move(validity), values);
    case arrow::Type::FIXED_SIZE_LIST:
      return MakeFixedSizeList(type, num_slots, 0, std::move(validity), values);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return MakeVariable(type, num_slots, std::move(validity), values);
    default:
      return MakeFixed(type, num_slots, std::move(validity), values);
  }
}

/// Whether an index that somebody sees is not below `num_values`.
template <typename Index>
bool HasIndexBehindEnd(const arrow::ArrayData& indices, int64_t num_values) {
  using Wide = std::conditional_t<std::is_signed_v<Index>, int64_t, uint64_t>;
  const Index* const values = indices.GetValues<Index>(1);
  const uint8_t* const validity =
      indices.buffers[0] == nullptr ? nullptr : indices.buffers[0]->data();
  bool found = false;
  for (int64_t i = 0; i < indices.length; ++i) {
    const auto index = static_cast<uint64_t>(static_cast<Wide>(values[i]));
    const bool is_valid = validity == nullptr || arrow::bit_util::GetBit(validity, i);
    found |= (index >= static_cast<uint64_t>(num_values)) & is_valid;
  }
  return found;
}

bool HasIndexBehindEnd(const arrow::ArrayData& indices, int64_t num_values) {
  switch (indices.type->id()) {
    case arrow::Type::INT8:
      return HasIndexBehindEnd<int8_t>(indices, num_values);
    case arrow::Type::UINT8:
      return HasIndexBehindEnd<uint8_t>(indices, num_values);
    case arrow::Type::INT16:
      return HasIndexBehindEnd<int16_t>(indices, num_values);
    case arrow::Type::UINT16:
      return HasIndexBehindEnd<uint16_t>(indices, num_values);
    case arrow::Type::INT32:
      return HasIndexBehindEnd<int32_t>(indices, num_values);
    case arrow::Type::UINT32:
      return HasIndexBehindEnd<uint32_t>(indices, num_values);
    case arrow::Type::INT64:
      return HasIndexBehindEnd<int64_t>(indices, num_values);
    default:
      return HasIndexBehindEnd<uint64_t>(indices, num_values);
  }
}

arrow::Result<DataPtr> MakeDictionaryArray(const TypePtr& type, uint64_t num_slots,
                                           Validity validity, LeafColumn* leaf,
                                           arrow::MemoryPool* pool) {
  const auto& dictionary_type = static_cast<const arrow::DictionaryType&>(*type);
  if (leaf->dictionary == nullptr) {  // no page with values
    ARROW_ASSIGN_OR_RAISE(leaf->dictionary,
                          arrow::MakeEmptyArray(dictionary_type.value_type(), pool));
  }
  ARROW_ASSIGN_OR_RAISE(auto data, MakeFixed(dictionary_type.index_type(), num_slots,
                                             std::move(validity), &leaf->values));
  if (HasIndexBehindEnd(*data, leaf->dictionary->length())) {
    return arrow::Status::SerializationError("a dictionary index is not below ",
                                             leaf->dictionary->length(),
                                             ", the number of values in the dictionary");
  }
  data->type = type;
  data->dictionary = leaf->dictionary->data();
  return data;
}

}  // namespace

TypePtr LeafTypeOf(const FieldNode& node, const LeafColumn& leaf) {
  if (node.kind != FieldKind::kBlob || !leaf.values.is_packed()) return node.type;
  return arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
}

bool HasValues(const arrow::DataType& type) {
  return type.id() != arrow::Type::NA &&
         !(type.id() == arrow::Type::STRUCT && type.num_fields() == 0);
}

arrow::Result<DataPtr> MakeLeafArray(const FieldNode& node, uint64_t num_slots, Validity validity,
                                     LeafColumn* leaf, arrow::MemoryPool* pool) {
  TypePtr type = LeafTypeOf(node, *leaf);
  const auto length = static_cast<int64_t>(num_slots);
  if (type->id() == arrow::Type::NA) {
    return arrow::ArrayData::Make(std::move(type), length, {nullptr}, length);
  }
  if (!HasValues(*type)) {
    return arrow::ArrayData::Make(std::move(type), length, {std::move(validity.bits)},
                                  validity.null_count);
  }
  if (type->id() == arrow::Type::DICTIONARY) {
    return MakeDictionaryArray(type, num_slots, std::move(validity), leaf, pool);
  }
  return MakeValues(type, num_slots, std::move(validity), &leaf->values);
}

}  // namespace lance::format
