#include <algorithm>
#include <cstring>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/format/encode/page_values.h"

namespace lance::format {
namespace {

using Arrays = std::vector<std::shared_ptr<arrow::Array>>;

/// One member of packed structs.
struct Member {
  std::string name;
  ValueShape shape;
  /// Fixed width: the bytes in a row.
  uint64_t width = 0;
};

/// The validity of a member's items below a row that is there, down to the primitives.
bool AreItemsValid(const arrow::ArrayData& data, int64_t first, int64_t count) {
  if (data.buffers[0] != nullptr) {
    for (int64_t i = 0; i < count; ++i) {
      if (!arrow::bit_util::GetBit(data.buffers[0]->data(), data.offset + first + i)) return false;
    }
  }
  if (data.type->id() != arrow::Type::FIXED_SIZE_LIST) return true;
  const auto dimension = static_cast<const arrow::FixedSizeListType&>(*data.type).list_size();
  return AreItemsValid(*data.child_data[0], (data.offset + first) * dimension, count * dimension);
}

/// The bytes of a row of a member of fixed width.
const std::byte* FixedBytes(const arrow::ArrayData& data, int64_t row, uint64_t width) {
  const arrow::ArrayData* items = &data;
  int64_t at = data.offset + row;
  uint64_t item_width = width;
  while (items->type->id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto dimension = static_cast<const arrow::FixedSizeListType&>(*items->type).list_size();
    items = items->child_data[0].get();
    at = items->offset + at * dimension;
    item_width /= static_cast<uint64_t>(dimension);
  }
  return reinterpret_cast<const std::byte*>(items->buffers[1]->data()) +
         static_cast<uint64_t>(at) * item_width;
}

/// The bytes of a row of a member of variable width.
template <typename Offset>
std::span<const std::byte> VariableBytes(const arrow::ArrayData& data, int64_t row) {
  const Offset* const offsets = data.GetValues<Offset>(1);
  const auto size = static_cast<size_t>(offsets[row + 1] - offsets[row]);
  if (size == 0) return {};
  return {reinterpret_cast<const std::byte*>(data.buffers[2]->data()) + offsets[row], size};
}

/// Puts the members of packed structs together, row by row.
class RowCollector {
 public:
  RowCollector(std::vector<Member> members, std::span<const uint16_t> slots, PageValues* values)
      : members_(std::move(members)), slots_(slots), values_(values) {}

  /// \pre `array` is a struct array with a child for each member
  arrow::Status Append(const arrow::Array& array) {
    const arrow::ArrayData& data = *array.data();
    for (int64_t i = 0; i < array.length(); ++i, ++slot_) {
      const bool is_valid = slots_.empty() || slots_[slot_] == 0;
      if (is_valid) {
        ARROW_RETURN_NOT_OK(AppendRow(data, array.offset() + i));
      } else if (!values_->is_variable()) {
        const uint64_t width = values_->bits_per_value / 8;
        std::memset(values_->byte_storage.Grow(width), 0, width);
      }
      if (values_->is_variable()) ARROW_RETURN_NOT_OK(EndRow());
    }
    return arrow::Status::OK();
  }

 private:
  arrow::Status AppendRow(const arrow::ArrayData& data, int64_t row) {
    for (size_t k = 0; k < members_.size(); ++k) {
      const Member& member = members_[k];
      const arrow::ArrayData& values = *data.child_data[k];
      if (!AreItemsValid(values, row, 1)) {
        return arrow::Status::Invalid("packed struct member \"", member.name, "\" is null in row ",
                                      slot_, " of a page; members must not be null");
      }
      if (!member.shape.is_variable()) {
        std::memcpy(values_->byte_storage.Grow(member.width),
                    FixedBytes(values, row, member.width), member.width);
      } else if (member.shape.offset_bits == 64) {
        AppendVariable<uint64_t>(VariableBytes<int64_t>(values, row));
      } else {
        AppendVariable<uint32_t>(VariableBytes<int32_t>(values, row));
      }
    }
    return arrow::Status::OK();
  }

  template <typename Length>
  void AppendVariable(std::span<const std::byte> bytes) {
    const auto length = static_cast<Length>(bytes.size());
    std::memcpy(values_->byte_storage.Grow(sizeof(length)), &length, sizeof(length));
    values_->byte_storage.Append(bytes);
  }

  arrow::Status EndRow() {
    const uint64_t end = values_->byte_storage.size();
    if (end > UINT32_MAX) {
      return arrow::Status::CapacityError("the packed structs of a page have more than ",
                                          UINT32_MAX, " bytes");
    }
    const auto offset = static_cast<uint32_t>(end);
    std::memcpy(values_->offset_storage.Grow(sizeof(offset)), &offset, sizeof(offset));
    return arrow::Status::OK();
  }

  std::vector<Member> members_;
  std::span<const uint16_t> slots_;
  PageValues* values_;
  uint64_t slot_ = 0;
};

}  // namespace

bool IsPlainPackedStruct(const ValueShape& shape) {
  return std::ranges::all_of(shape.members, [](const ValueShape& member) {
    return !member.is_variable() && !member.is_fixed_size_list();
  });
}

arrow::Result<PageValues> CollectPackedStructs(const FieldNode& leaf, const ValueShape& shape,
                                               const Arrays& arrays,
                                               std::span<const uint16_t> slots,
                                               arrow::MemoryPool* pool) {
  std::vector<Member> members;
  uint64_t row_bytes = 0;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    const ValueShape& member = shape.members[i];
    const uint64_t bits = member.bits_per_value * member.items_per_value();
    if (!member.is_variable() && bits % 8 != 0) {
      return arrow::Status::Invalid("packed struct member \"", leaf.type->field(int(i))->name(),
                                    "\" has ", bits, " bits; members have whole bytes");
    }
    members.push_back({leaf.type->field(static_cast<int>(i))->name(), member, bits / 8});
    row_bytes += bits / 8;
  }
  PageValues values(pool);
  for (const auto& array : arrays) values.num_values += static_cast<uint64_t>(array->length());
  LANCE_DCHECK(slots.empty() || slots.size() == values.num_values);
  if (IsPlainPackedStruct(shape)) {
    values.bits_per_value = row_bytes * 8;
    values.byte_storage.Reserve(values.num_values * row_bytes);
  } else {
    const uint32_t start = 0;
    values.offset_storage.Reserve((values.num_values + 1) * sizeof(start));
    std::memcpy(values.offset_storage.Grow(sizeof(start)), &start, sizeof(start));
  }
  RowCollector collector(std::move(members), slots, &values);
  for (const auto& array : arrays) ARROW_RETURN_NOT_OK(collector.Append(*array));
  values.UseStorage();
  return values;
}

}  // namespace lance::format
