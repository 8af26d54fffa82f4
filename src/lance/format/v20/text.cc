#include "lance/format/v20/text.h"

#include "arrow/api.h"
#include "arrow/util/utf8.h"

namespace lance::format::v20 {
namespace {

template <typename Array>
bool AreUtf8(const Array& array) {
  if (array.length() == 0 || array.value_data() == nullptr) return true;
  arrow::util::InitializeUTF8();
  const uint8_t* bytes = array.value_data()->data();
  const int64_t first = array.value_offset(0);
  const int64_t last = array.value_offset(array.length());
  if (!arrow::util::ValidateUTF8(bytes + first, last - first)) return false;
  // All bytes together are UTF-8. So is each value, unless one begins inside a character.
  for (int64_t i = 0; i < array.length(); ++i) {
    const int64_t begin = array.value_offset(i);
    if (begin < last && (bytes[begin] & 0xC0) == 0x80) return false;
  }
  return true;
}

}  // namespace

bool IsText(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING;
}

bool HasWideOffsets(const arrow::DataType& type) {
  return type.id() == arrow::Type::LARGE_STRING || type.id() == arrow::Type::LARGE_BINARY ||
         type.id() == arrow::Type::LARGE_LIST;
}

bool AreValuesUtf8(const arrow::Array& array) {
  switch (array.type_id()) {
    case arrow::Type::STRING:
      return AreUtf8(static_cast<const arrow::StringArray&>(array));
    case arrow::Type::LARGE_STRING:
      return AreUtf8(static_cast<const arrow::LargeStringArray&>(array));
    default:
      return true;
  }
}

}  // namespace lance::format::v20
