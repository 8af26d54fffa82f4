#include "lance/format/dictionary_values.h"

#include <algorithm>
#include <limits>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"

namespace lance::format {

uint64_t NumNameable(const arrow::DataType& index_type) {
  const int bits = index_type.bit_width() - (arrow::is_signed_integer(index_type.id()) ? 1 : 0);
  return uint64_t{1} << std::min(bits, 31);
}

std::string BytesOfValue(const arrow::Array& values, int64_t i) {
  switch (values.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return static_cast<const arrow::BinaryArray&>(values).GetString(i);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return static_cast<const arrow::LargeBinaryArray&>(values).GetString(i);
    default:
      break;
  }
  const uint8_t* data = values.data()->buffers[1]->data();
  const int64_t slot = values.offset() + i;
  if (values.type()->bit_width() == 1) {
    return std::string(1, arrow::bit_util::GetBit(data, slot) ? '\1' : '\0');
  }
  const auto width = static_cast<size_t>(values.type()->bit_width() / 8);
  return {reinterpret_cast<const char*>(data) + static_cast<size_t>(slot) * width, width};
}

DictionaryCapacity::DictionaryCapacity(const arrow::DictionaryType& type)
    : index_type_(type.index_type()->ToString()) {
  constexpr int kMaxCountedBits = 16;
  if (type.index_type()->bit_width() <= kMaxCountedBits) {
    max_values_ = NumNameable(*type.index_type());
  }
}

arrow::Status DictionaryCapacity::CountValue(const std::string& bytes) {
  if (!max_values_) return arrow::Status::OK();
  values_.insert(bytes);
  if (values_.size() <= *max_values_) return arrow::Status::OK();
  return arrow::Status::Invalid("the dictionaries of the rows have more than ", *max_values_,
                                " values together, the most that indices of type ", index_type_,
                                " can number; use a wider index type");
}

arrow::Status DictionaryCapacity::CountRows(const arrow::DictionaryArray& rows) {
  if (!max_values_) return arrow::Status::OK();
  const std::shared_ptr<arrow::Array>& dictionary = rows.dictionary();
  if (dictionary_ == nullptr || dictionary_->data() != dictionary->data()) {
    dictionary_ = dictionary;
    is_counted_.assign(static_cast<size_t>(dictionary->length()), false);
  }
  for (int64_t i = 0; i < rows.length(); ++i) {
    if (rows.IsNull(i)) continue;
    const auto key = static_cast<uint64_t>(rows.GetValueIndex(i));
    if (key >= is_counted_.size() || is_counted_[key]) continue;
    is_counted_[key] = true;
    const auto slot = static_cast<int64_t>(key);
    if (dictionary->IsValid(slot)) ARROW_RETURN_NOT_OK(CountValue(BytesOfValue(*dictionary, slot)));
  }
  return arrow::Status::OK();
}

}  // namespace lance::format
