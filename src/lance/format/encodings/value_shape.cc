#include "lance/format/encodings/value_shape.h"

#include <limits>
#include <string>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"

namespace lance::format {

namespace {

arrow::Status RefuseType(const arrow::DataType& type) {
  return UnsupportedError("data file column of type " + type.ToString(),
                          "data files cannot hold values of type " + type.ToString());
}

/// Types of fixed width that the format has a name for (file-format 3.2).
bool IsPlainFixedWidth(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::INTERVAL_DAY_TIME:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DICTIONARY:
      return false;
    default:
      return arrow::is_fixed_width(type.id());
  }
}

arrow::Result<uint32_t> BitsOf(const arrow::DataType& type) {
  if (type.id() != arrow::Type::FIXED_SIZE_BINARY) {
    return static_cast<uint32_t>(type.bit_width());
  }
  // bit_width() would wrap.
  const int32_t bytes = static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width();
  if (bytes <= 0) return RefuseType(type);  // width 0 would mean variable width
  if (bytes > std::numeric_limits<int32_t>::max() / 8) {
    return arrow::Status::Invalid("values of type ", type.ToString(), " are too wide; allowed: ",
                                  std::numeric_limits<int32_t>::max() / 8, " bytes");
  }
  return static_cast<uint32_t>(bytes) * 8;
}

arrow::Result<ValueShape> MakeFixedSizeListShape(const arrow::DataType& type) {
  ValueShape shape;
  const arrow::DataType* item = &type;
  uint64_t num_items = 1;
  while (item->id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*item);
    if (list.list_size() < 1) return RefuseType(type);
    shape.dimensions.push_back(static_cast<uint32_t>(list.list_size()));
    if (__builtin_mul_overflow(num_items, uint64_t{shape.dimensions.back()}, &num_items)) {
      return arrow::Status::Invalid("values of type ", type.ToString(), " are too large");
    }
    item = list.value_type().get();
    if (item->id() == arrow::Type::EXTENSION) {
      item = static_cast<const arrow::ExtensionType&>(*item).storage_type().get();
    }
  }
  if (!IsPlainFixedWidth(*item)) return RefuseType(type);
  ARROW_ASSIGN_OR_RAISE(shape.bits_per_value, BitsOf(*item));
  // Far above what any value has, and far below where sums over all levels of lists could wrap:
  // stored values have bits for the items of every level.
  constexpr uint64_t kMaxValueBits = uint64_t{1} << 50;
  if (num_items > kMaxValueBits / shape.bits_per_value) {
    return arrow::Status::Invalid("values of type ", type.ToString(), " are too large");
  }
  return shape;
}

arrow::Result<ValueShape> MakePackedShape(const arrow::DataType& type) {
  ValueShape shape;
  shape.members.reserve(static_cast<size_t>(type.num_fields()));
  for (const auto& member : type.fields()) {
    const arrow::Type::type id = member->type()->id();
    const bool owns_values =
        id != arrow::Type::NA && (!arrow::is_nested(id) || id == arrow::Type::FIXED_SIZE_LIST);
    if (!owns_values || id == arrow::Type::DICTIONARY) {
      return UnsupportedError("packed struct with a member of type " + member->type()->ToString(),
                              "packed structs cannot have the member " + member->name() +
                                  " of type " + member->type()->ToString());
    }
    ARROW_ASSIGN_OR_RAISE(ValueShape member_shape, MakeValueShape(*member->type()));
    shape.members.push_back(std::move(member_shape));
  }
  return shape;
}

}  // namespace

uint64_t ValueShape::items_per_value() const {
  uint64_t items = 1;
  for (const uint32_t dimension : dimensions) items *= dimension;
  return items;
}

arrow::Result<ValueShape> MakeValueShape(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::STRING_VIEW:  // stored as plain text
    case arrow::Type::BINARY_VIEW:
      return ValueShape{.offset_bits = 32};
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return ValueShape{.offset_bits = 64};
    case arrow::Type::FIXED_SIZE_LIST:
      return MakeFixedSizeListShape(type);
    case arrow::Type::STRUCT:
      if (type.num_fields() > 0) return MakePackedShape(type);
      return ValueShape{.bits_per_value = 8};
    case arrow::Type::NA:
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::MAP:
      return ValueShape{.bits_per_value = 8};
    case arrow::Type::DICTIONARY:
      return MakeValueShape(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::EXTENSION:
      return MakeValueShape(*static_cast<const arrow::ExtensionType&>(type).storage_type());
    default:
      break;
  }
  if (!IsPlainFixedWidth(type)) return RefuseType(type);
  ARROW_ASSIGN_OR_RAISE(const uint32_t bits, BitsOf(type));
  return ValueShape{.bits_per_value = bits};
}

}  // namespace lance::format
