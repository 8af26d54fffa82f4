#include "lance/dataset/merge_keys.h"

#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"

namespace lance {

namespace {

using arrow::Type;

bool IsListLike(Type::type id) {
  return id == Type::LIST || id == Type::LARGE_LIST || id == Type::FIXED_SIZE_LIST;
}

/// Whether the values of a type can be written as key bytes.
bool IsKeyType(const arrow::DataType& type) {
  if (type.id() == Type::BOOL || arrow::is_base_binary_like(type.id())) return true;
  if (type.id() == Type::STRUCT || IsListLike(type.id())) {
    for (const auto& field : type.fields()) {
      if (!IsKeyType(*field->type())) return false;
    }
    return true;
  }
  return arrow::is_fixed_width(type.id()) && type.id() != Type::DICTIONARY;
}

void AppendNumber(uint64_t number, std::string* key) {
  key->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void AppendValue(const arrow::Array& array, int64_t row, std::string* key);

void AppendRange(const arrow::Array& values, int64_t begin, int64_t length, std::string* key) {
  AppendNumber(static_cast<uint64_t>(length), key);
  for (int64_t i = 0; i < length; ++i) AppendValue(values, begin + i, key);
}

template <typename ListArray>
void AppendList(const arrow::Array& array, int64_t row, std::string* key) {
  const auto& lists = static_cast<const ListArray&>(array);
  AppendRange(*lists.values(), static_cast<int64_t>(lists.value_offset(row)),
              static_cast<int64_t>(lists.value_length(row)), key);
}

template <typename BinaryArray>
void AppendBytes(const arrow::Array& array, int64_t row, std::string* key) {
  const auto view = static_cast<const BinaryArray&>(array).GetView(row);
  AppendNumber(view.size(), key);
  key->append(view);
}

void AppendFixedWidth(const arrow::Array& array, int64_t row, std::string* key) {
  const auto width = static_cast<size_t>(array.type()->bit_width() / 8);
  const auto* values = reinterpret_cast<const char*>(array.data()->buffers[1]->data());
  key->append(values + static_cast<size_t>(array.offset() + row) * width, width);
}

/// A value with its nulls inside, which are equal to each other.
void AppendValue(const arrow::Array& array, int64_t row, std::string* key) {
  key->push_back(array.IsNull(row) ? '\0' : '\1');
  if (array.IsNull(row)) return;
  switch (array.type_id()) {
    case Type::BOOL:
      key->push_back(static_cast<const arrow::BooleanArray&>(array).Value(row) ? '\1' : '\0');
      return;
    case Type::STRING:
    case Type::BINARY:
      return AppendBytes<arrow::BinaryArray>(array, row, key);
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return AppendBytes<arrow::LargeBinaryArray>(array, row, key);
    case Type::LIST:
      return AppendList<arrow::ListArray>(array, row, key);
    case Type::LARGE_LIST:
      return AppendList<arrow::LargeListArray>(array, row, key);
    case Type::FIXED_SIZE_LIST:
      return AppendList<arrow::FixedSizeListArray>(array, row, key);
    case Type::STRUCT: {
      const auto& fields = static_cast<const arrow::StructArray&>(array);
      for (int i = 0; i < fields.num_fields(); ++i) AppendValue(*fields.field(i), row, key);
      return;
    }
    default:
      return AppendFixedWidth(array, row, key);
  }
}

}  // namespace

arrow::Result<KeyEncoder> KeyEncoder::Make(arrow::ArrayVector columns) {
  for (const auto& column : columns) {
    if (IsKeyType(*column->type())) continue;
    return UnsupportedError("merge keys of type " + column->type()->ToString(),
                            "a key column has type " + column->type()->ToString() +
                                "; keys are booleans, numbers, times, text, binary, and lists and "
                                "structs of these");
  }
  return KeyEncoder(std::move(columns));
}

bool KeyEncoder::Encode(int64_t row, std::string* key) const {
  key->clear();
  for (const auto& column : columns_) {
    if (column->IsNull(row)) return false;
    AppendValue(*column, row, key);
  }
  return true;
}

arrow::Result<SourceKeys> SourceKeys::Make(const arrow::ArrayVector& columns,
                                           const RunContext& run) {
  // A node of the hash table beside its key; what std::unordered_map takes with common allocators.
  constexpr uint64_t kBytesPerKey = 96;
  ARROW_ASSIGN_OR_RAISE(const KeyEncoder encoder, KeyEncoder::Make(columns));
  const int64_t num_rows = columns.front()->length();
  SourceKeys keys;
  uint64_t bytes = 0;
  std::string key;
  for (int64_t row = 0; row < num_rows; ++row) {
    if (encoder.Encode(row, &key)) bytes += kBytesPerKey + key.size();
  }
  if (run.memory_budget != nullptr) {
    ARROW_ASSIGN_OR_RAISE(keys.reservation_, run.memory_budget->Reserve(bytes, "a merge"));
  }
  keys.next_.assign(static_cast<size_t>(num_rows), -1);
  keys.is_matched_.assign(static_cast<size_t>(num_rows), false);
  keys.first_.reserve(static_cast<size_t>(num_rows));
  // From the end, so that chains are in the order of the source.
  for (int64_t row = num_rows - 1; row >= 0; --row) {
    if (!encoder.Encode(row, &key)) continue;
    const auto [found, is_new] = keys.first_.try_emplace(key, row);
    if (is_new) continue;
    keys.next_[static_cast<size_t>(row)] = found->second;
    found->second = row;
  }
  return keys;
}

int64_t SourceKeys::First(const std::string& key) const {
  const auto found = first_.find(key);
  return found == first_.end() ? -1 : found->second;
}

std::vector<int64_t> SourceKeys::Unmatched() const {
  std::vector<int64_t> rows;
  for (size_t i = 0; i < is_matched_.size(); ++i) {
    if (!is_matched_[i]) rows.push_back(static_cast<int64_t>(i));
  }
  return rows;
}

}  // namespace lance
