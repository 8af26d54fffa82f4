#include "lance/format/column_type.h"

#include "arrow/api.h"
#include "lance/base/status_detail.h"

namespace lance::format {

arrow::Result<ColumnType> MakeColumnType(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::STRING:
      return ColumnType{.type = type, .offset_bits = 32, .is_text = true};
    case arrow::Type::LARGE_STRING:
      return ColumnType{.type = type, .offset_bits = 64, .is_text = true};
    case arrow::Type::BINARY:
      return ColumnType{.type = type, .offset_bits = 32};
    case arrow::Type::LARGE_BINARY:
      return ColumnType{.type = type, .offset_bits = 64};
    default:
      break;
  }
  const bool is_plain = arrow::is_fixed_width(type->id()) && !arrow::is_dictionary(type->id()) &&
                        !arrow::is_nested(type->id()) && type->id() != arrow::Type::EXTENSION;
  const int bits = is_plain ? type->bit_width() : 0;
  if (bits == 1 || (bits > 0 && bits % 8 == 0)) {
    return ColumnType{.type = type, .bits_per_value = static_cast<uint32_t>(bits)};
  }
  return UnsupportedError(
      "data file column of type " + type->ToString(),
      "data files with columns of type " + type->ToString() + " are not supported by this version");
}

}  // namespace lance::format
