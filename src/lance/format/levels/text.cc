#include "lance/format/levels/text.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "arrow/api.h"
#include "arrow/util/utf8.h"

namespace lance::format {
namespace {

bool IsAscii(const uint8_t* bytes, int64_t size) {
  // Blocks, so that text in other scripts is known as such after a few of its bytes.
  constexpr int64_t kBlock = 4096;
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t end = std::min(size, begin + kBlock);
    uint8_t all = 0;
    for (int64_t i = begin; i < end; ++i) all |= bytes[i];
    if (all >= 0x80) return false;
  }
  return true;
}

/// Whether all values, hidden or not, are UTF-8: in two passes over bytes and offsets.
template <typename Offset>
bool AreAllUtf8(const uint8_t* bytes, const Offset* offsets, int64_t num_values) {
  const Offset first = offsets[0];
  const Offset last = offsets[num_values];
  if (first == last || IsAscii(bytes + first, last - first)) return true;
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(bytes + first, last - first)) return false;
  // All bytes together are UTF-8. So is each value, unless one begins inside a character.
  while (num_values > 0 && offsets[num_values - 1] == last) --num_values;
  bool splits = false;
  for (int64_t i = 0; i < num_values; ++i) splits |= (bytes[offsets[i]] & 0xC0) == 0x80;
  return !splits;
}

template <typename ArrayType>
arrow::Status CheckEachValue(const arrow::ArrayData& array, const IsHiddenValue& is_hidden) {
  arrow::util::InitializeUTF8();
  const ArrayType values(array.Copy());
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i) || arrow::util::ValidateUTF8(std::string_view(values.GetView(i)))) {
      continue;
    }
    if (is_hidden != nullptr && is_hidden(i)) continue;
    return arrow::Status::Invalid("text value ", i, " is not UTF-8");
  }
  return arrow::Status::OK();
}

template <typename ArrayType>
arrow::Status CheckStrings(const arrow::ArrayData& array, const IsHiddenValue& is_hidden) {
  using Offset = typename ArrayType::offset_type;
  if (array.length == 0) return arrow::Status::OK();
  const uint8_t* const bytes = array.buffers[2] == nullptr ? nullptr : array.buffers[2]->data();
  if (AreAllUtf8(bytes, array.GetValues<Offset>(1), array.length)) return arrow::Status::OK();
  return CheckEachValue<ArrayType>(array, is_hidden);
}

arrow::Status CheckMembers(const arrow::ArrayData& array, const IsHiddenValue& is_hidden) {
  const arrow::StructArray structs(array.Copy());
  const IsHiddenValue is_member_hidden = [&](int64_t i) {
    return structs.IsNull(i) || (is_hidden != nullptr && is_hidden(i));
  };
  for (const auto& member : array.child_data) {
    ARROW_RETURN_NOT_OK(CheckText(*member->Slice(array.offset, array.length), is_member_hidden));
  }
  return arrow::Status::OK();
}

}  // namespace

IsHiddenValue HiddenValues(const LeafPath& path, const std::vector<uint16_t>& def) {
  if (def.empty()) return {};
  // Found when the first broken value comes: most columns never ask.
  return
      [limit = path.max_visible_def(), &def, visible = std::vector<uint16_t>()](int64_t i) mutable {
        if (visible.empty()) {
          std::ranges::copy_if(def, std::back_inserter(visible),
                               [limit](uint16_t level) { return level <= limit; });
        }
        return visible[static_cast<size_t>(i)] != 0;
      };
}

arrow::Status CheckText(const arrow::ArrayData& array, const IsHiddenValue& is_hidden) {
  switch (array.type->id()) {
    case arrow::Type::STRING:
      return CheckStrings<arrow::StringArray>(array, is_hidden);
    case arrow::Type::LARGE_STRING:
      return CheckStrings<arrow::LargeStringArray>(array, is_hidden);
    case arrow::Type::STRING_VIEW:
      return CheckEachValue<arrow::StringViewArray>(array, is_hidden);
    case arrow::Type::DICTIONARY:
      return CheckText(*array.dictionary);
    case arrow::Type::STRUCT:
      return CheckMembers(array, is_hidden);
    default:
      return arrow::Status::OK();
  }
}

}  // namespace lance::format
