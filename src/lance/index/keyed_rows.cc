#include "lance/index/keyed_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api_vector.h"
#include "lance/index/ordered_value.h"

namespace lance::index {
namespace {

constexpr uint32_t kNullKey = 0;

/// What a key takes besides its bytes, which are held twice: its node in the hash table, its number
/// and its first rows.
constexpr uint64_t kBytesPerKey = 200;
constexpr uint64_t kBytesPerRow = 2;  // in a bitmap

/// A type of the same layout under which different bits are different values.
std::shared_ptr<arrow::DataType> BitsType(const std::shared_ptr<arrow::DataType>& type) {
  if (arrow::is_decimal(type->id())) {
    return arrow::fixed_size_binary(
        static_cast<const arrow::FixedSizeBinaryType&>(*type).byte_width());
  }
  if (!arrow::is_floating(type->id()) && !arrow::is_temporal(type->id())) return type;
  switch (static_cast<const arrow::FixedWidthType&>(*type).bit_width()) {
    case 16:
      return arrow::uint16();
    case 32:
      return arrow::uint32();
    default:
      return arrow::uint64();
  }
}

/// The bytes of a value. \pre of a type with an order, not null
std::string_view BytesOf(const arrow::Array& array, int64_t place) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanArray&>(array).Value(place) ? "1" : "0";
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return static_cast<const arrow::BinaryArray&>(array).GetView(place);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return static_cast<const arrow::LargeBinaryArray&>(array).GetView(place);
    default: {
      const int width = static_cast<const arrow::FixedWidthType&>(*array.type()).bit_width() / 8;
      const auto* bytes = reinterpret_cast<const char*>(array.data()->buffers[1]->data());
      return {bytes + (array.offset() + place) * width, static_cast<size_t>(width)};
    }
  }
}

}  // namespace

KeyedRows::KeyedRows(std::unique_ptr<arrow::ArrayBuilder> keys, const RunContext& run)
    : keys_(std::move(keys)), rows_(1), memory_(run.memory_budget, "the keys of an index") {}
KeyedRows::KeyedRows(KeyedRows&&) noexcept = default;
KeyedRows::~KeyedRows() = default;

arrow::Result<KeyedRows> KeyedRows::Make(const std::shared_ptr<arrow::DataType>& key_type,
                                         const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(key_type));
  ARROW_RETURN_NOT_OK(builder->AppendNull());
  return KeyedRows(std::move(builder), run);
}

arrow::Result<uint32_t> KeyedRows::NumberKey(const arrow::Array& keys, const arrow::Array& bits,
                                             int64_t place) {
  const auto next = static_cast<uint32_t>(rows_.size());
  const auto [entry, is_new] = numbers_.try_emplace(std::string(BytesOf(bits, place)), next);
  if (!is_new) return entry->second;
  if (rows_.size() >= std::numeric_limits<uint32_t>::max()) {
    return arrow::Status::CapacityError("more than ", rows_.size(), " different values");
  }
  ARROW_RETURN_NOT_OK(keys_->AppendArraySlice(arrow::ArraySpan(*keys.data()), place, 1));
  rows_.emplace_back();
  size_bytes_ += 2 * entry->first.size() + kBytesPerKey;
  return next;
}

arrow::Result<std::vector<uint32_t>> KeyedRows::NumberKeys(const arrow::Array& keys) {
  // Each distinct value of the batch is looked up once.
  ARROW_ASSIGN_OR_RAISE(const auto bits, keys.View(BitsType(keys.type())));
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum encoded, arrow::compute::DictionaryEncode(bits));
  const auto encoded_array = encoded.make_array();
  const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*encoded_array);
  ARROW_ASSIGN_OR_RAISE(const auto distinct, dictionary.dictionary()->View(keys.type()));
  std::vector<uint32_t> distinct_numbers(static_cast<size_t>(distinct->length()));
  for (int64_t i = 0; i < distinct->length(); ++i) {
    ARROW_ASSIGN_OR_RAISE(distinct_numbers[static_cast<size_t>(i)],
                          NumberKey(*distinct, *dictionary.dictionary(), i));
  }
  size_bytes_ += kBytesPerRow * static_cast<uint64_t>(keys.length());
  ARROW_RETURN_NOT_OK(memory_.GrowTo(size_bytes_));
  std::vector<uint32_t> numbers(static_cast<size_t>(keys.length()), kNullKey);
  for (int64_t i = 0; i < keys.length(); ++i) {
    if (keys.IsNull(i)) continue;
    numbers[static_cast<size_t>(i)] =
        distinct_numbers[static_cast<size_t>(dictionary.GetValueIndex(i))];
  }
  return numbers;
}

arrow::Status KeyedRows::Add(const arrow::Array& keys, const arrow::UInt64Array& rows) {
  ARROW_ASSIGN_OR_RAISE(const auto numbers, NumberKeys(keys));
  for (int64_t i = 0; i < rows.length(); ++i) {
    rows_[numbers[static_cast<size_t>(i)]].Add(rows.Value(i));
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> KeyedRows::FinishKeys() { return keys_->Finish(); }

arrow::Result<KeyOrder> SortKeys(const arrow::Array& keys) {
  if (keys.length() > std::numeric_limits<uint32_t>::max()) {
    return arrow::Status::CapacityError(keys.length(), " keys, allowed below 2^32");
  }
  KeyOrder order;
  bool is_sorted = true;
  for (uint32_t i = 0; i < keys.length(); ++i) {
    if (keys.IsNull(i)) {
      order.nulls.push_back(i);
      continue;
    }
    // Files are written in order: then nothing is to be sorted.
    is_sorted =
        is_sorted && (order.ascending.empty() ||
                      ToOrderedValue(keys, order.ascending.back()) <= ToOrderedValue(keys, i));
    order.ascending.push_back(i);
  }
  if (is_sorted) return order;
  std::vector<std::pair<OrderedValue, uint32_t>> sorted;
  sorted.reserve(order.ascending.size());
  for (const uint32_t i : order.ascending) sorted.emplace_back(ToOrderedValue(keys, i), i);
  std::sort(sorted.begin(), sorted.end());
  std::transform(sorted.begin(), sorted.end(), order.ascending.begin(),
                 [](const auto& key) { return key.second; });
  return order;
}

}  // namespace lance::index
