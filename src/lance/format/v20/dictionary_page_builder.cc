#include "lance/format/v20/dictionary_page_builder.h"

#include <cstring>
#include <utility>

#include "arrow/api.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/format/v20/binary_page_builder.h"
#include "lance/format/v20/fixed_page_builder.h"

namespace lance::format::v20 {
namespace {

constexpr int32_t kNullRow = -1;
constexpr int32_t kUnknown = -2;  // a value whose number was not looked up yet

}  // namespace

arrow::Result<std::unique_ptr<DictionaryPageBuilder>> DictionaryPageBuilder::Make(
    const arrow::DataType& type, uint64_t max_page_bytes, arrow::MemoryPool* pool) {
  const auto& dictionary = static_cast<const arrow::DictionaryType&>(type);
  const auto& value_type = dictionary.value_type();
  const bool is_text = arrow::is_base_binary_like(value_type->id());
  const bool is_plain = arrow::is_fixed_width(value_type->id()) &&
                        !arrow::is_nested(value_type->id()) &&
                        !arrow::is_dictionary(value_type->id());
  if (!is_text && !is_plain) {
    return UnsupportedError("type " + type.ToString() + " in 2.0 data files",
                            "type " + type.ToString() + " is not supported in 2.0 data files");
  }
  std::unique_ptr<PageBuilder> builder;
  if (is_text) {
    builder = std::make_unique<BinaryPageBuilder>(BinaryPageOptions{}, pool);
  } else {
    ARROW_ASSIGN_OR_RAISE(builder, FixedPageBuilder::Make(*value_type, pool));
  }
  return std::unique_ptr<DictionaryPageBuilder>(
      new DictionaryPageBuilder(dictionary, max_page_bytes, std::move(builder), pool));
}

DictionaryPageBuilder::DictionaryPageBuilder(const arrow::DictionaryType& type,
                                             uint64_t max_page_bytes,
                                             std::unique_ptr<PageBuilder> items,
                                             arrow::MemoryPool* pool)
    : value_type_(type.value_type()),
      index_bytes_(static_cast<uint64_t>(type.index_type()->bit_width()) / 8),
      max_page_bytes_(max_page_bytes),
      max_items_(NumNameable(*type.index_type())),
      capacity_(type),
      items_(std::move(items)),
      indices_(pool),
      pool_(pool) {}

void DictionaryPageBuilder::UseDictionary(const std::shared_ptr<arrow::ArrayData>& dictionary) {
  if (dictionary_ == dictionary) return;
  dictionary_ = dictionary;
  number_of_key_.assign(static_cast<size_t>(dictionary->length), kUnknown);
}

arrow::Status DictionaryPageBuilder::AppendItem(const arrow::Array& dictionary, int64_t key) {
  ARROW_ASSIGN_OR_RAISE(const int64_t taken, items_->Append(dictionary, key, key + 1));
  return taken == 1 ? arrow::Status::OK() : InternalError("a dictionary item was not taken");
}

/// The number of a dictionary's value among the page's items. \return kUnknown when the page cannot
/// take another item
arrow::Result<int32_t> DictionaryPageBuilder::NumberOfKey(int64_t key,
                                                          const arrow::Array& dictionary) {
  int32_t& number = number_of_key_[static_cast<size_t>(key)];
  if (number != kUnknown) return number;
  if (dictionary.IsNull(key)) return number = kNullRow;
  std::string bytes = BytesOfValue(dictionary, key);
  const auto found = numbers_.find(bytes);
  if (found != numbers_.end()) return number = found->second;
  const bool is_full = num_rows_ > 0 && pending_bytes() >= max_page_bytes_;
  if (is_full || numbers_.size() + (has_null_ ? 1 : 0) >= max_items_) return kUnknown;
  ARROW_RETURN_NOT_OK(capacity_.CountValue(bytes));
  ARROW_RETURN_NOT_OK(AppendItem(dictionary, key));
  number = static_cast<int32_t>(numbers_.size());
  numbers_.emplace(std::move(bytes), number);
  return number;
}

/// The number that a row is stored by. \return kUnknown when the page cannot take the row
arrow::Result<int32_t> DictionaryPageBuilder::NumberOfRow(const arrow::DictionaryArray& rows,
                                                          int64_t i) {
  int32_t number = kNullRow;
  if (!rows.IsNull(i)) {
    const int64_t key = rows.GetValueIndex(i);
    const arrow::Array& dictionary = *rows.dictionary();
    if (key < 0 || key >= dictionary.length()) {
      return arrow::Status::Invalid("a dictionary key is ", key, ", the dictionary has ",
                                    dictionary.length(), " values");
    }
    ARROW_ASSIGN_OR_RAISE(number, NumberOfKey(key, dictionary));
  }
  if (number == kNullRow && !has_null_) {
    if (numbers_.size() >= max_items_) return kUnknown;  // no index is left for the null item
    has_null_ = true;
  }
  return number;
}

arrow::Result<int64_t> DictionaryPageBuilder::Append(const arrow::Array& array, int64_t begin,
                                                     int64_t end) {
  const auto& rows = static_cast<const arrow::DictionaryArray&>(array);
  UseDictionary(array.data()->dictionary);
  for (int64_t i = begin; i < end; ++i) {
    ARROW_ASSIGN_OR_RAISE(const int32_t number, NumberOfRow(rows, i));
    if (number == kUnknown) return i - begin;
    std::memcpy(indices_.Grow(sizeof(number)), &number, sizeof(number));
    ++num_rows_;
  }
  return end - begin;
}

uint64_t DictionaryPageBuilder::pending_bytes() const {
  return num_rows_ * index_bytes_ + items_->pending_bytes();
}

uint64_t DictionaryPageBuilder::BytesOf(const arrow::Array&, int64_t begin, int64_t end) const {
  // The items come from the caller's dictionaries, which bound them.
  return static_cast<uint64_t>(end - begin) * index_bytes_;
}

arrow::Result<ArrayEncoding> DictionaryPageBuilder::Build(
    std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  const auto null_number = static_cast<int32_t>(numbers_.size());
  // As the reference: a page is never without items.
  if (has_null_ || numbers_.empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto null_item, arrow::MakeArrayOfNull(value_type_, 1, pool_));
    ARROW_RETURN_NOT_OK(AppendItem(*null_item, 0));
  }
  ByteBuffer indices(pool_);
  std::byte* out = indices.Grow(num_rows_ * index_bytes_);
  for (uint64_t i = 0; i < num_rows_; ++i, out += index_bytes_) {
    const auto* stored = indices_.data() + i * sizeof(int32_t);
    const auto number = static_cast<int32_t>(LoadLittleEndian<uint32_t>(stored));
    const auto index = static_cast<uint64_t>(number == kNullRow ? null_number : number);
    std::memcpy(out, &index, index_bytes_);  // little-endian: the lower bytes
  }
  DictionaryEncoding encoding{.num_items = static_cast<uint32_t>(items_->num_rows())};
  encoding.indices.levels = {SlotLevel{}};
  encoding.indices.values = FixedValues{.bits_per_value = index_bytes_ * 8,
                                        .buffer = static_cast<uint32_t>(buffers->size())};
  buffers->push_back(indices.Finish());
  ARROW_ASSIGN_OR_RAISE(ArrayEncoding items, items_->Build(buffers));
  encoding.items = std::make_shared<const ArrayEncoding>(std::move(items));
  indices_.Clear();
  num_rows_ = 0;
  has_null_ = false;
  numbers_.clear();
  dictionary_ = nullptr;
  return ArrayEncoding{std::move(encoding)};
}

}  // namespace lance::format::v20
