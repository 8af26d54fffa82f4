#include "lance/clustering/key_type.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/check.h"
#include "lance/base/executor.h"

namespace lance::clustering {
namespace {

constexpr char kBasicTypes[] = "bool, int8 to int64, uint8 to uint64, float, double";
constexpr char kTypedTypes[] =
    ", string, large_string, binary, large_binary, date32, date64, time32, time64, timestamp, "
    "decimal128";

template <typename Word>
constexpr Word TopBit() {
  return Word{1} << (sizeof(Word) * 8 - 1);
}

template <typename Word>
Word OrderUnsigned(Word bits) {
  return bits;
}

template <typename Word>
Word OrderSigned(Word bits) {
  return static_cast<Word>(bits ^ TopBit<Word>());
}

// The IEEE 754 total order: negative numbers run backwards, so all their bits are inverted.
template <typename Word>
Word OrderFloat(Word bits) {
  return static_cast<Word>((bits & TopBit<Word>()) != 0 ? ~bits : bits ^ TopBit<Word>());
}

template <typename Word, Word (*Order)(Word)>
void ReadAs(const arrow::Array& column, RowSelection rows, std::span<uint64_t> out) {
  const Word* values = column.data()->GetValues<Word>(1);
  for (size_t i = 0; i < out.size(); ++i) out[i] = Order(values[rows[i]]);
}

void ReadBooleans(const arrow::Array& column, RowSelection rows, std::span<uint64_t> out) {
  const auto& values = static_cast<const arrow::BooleanArray&>(column);
  for (size_t i = 0; i < out.size(); ++i) out[i] = values.Value(rows[i]) ? 1 : 0;
}

template <typename ArrayType>
std::optional<uint64_t> LongestOf(const arrow::Array& column) {
  const auto& values = static_cast<const ArrayType&>(column);
  if (column.null_count() == column.length()) return std::nullopt;
  uint64_t longest = 0;
  const auto* offsets = values.raw_value_offsets();
  const bool has_nulls = column.null_count() != 0;
  for (int64_t row = 0; row < column.length(); ++row) {
    if (has_nulls && column.IsNull(row)) continue;  // a null slot may span bytes
    longest = std::max(longest, static_cast<uint64_t>(offsets[row + 1] - offsets[row]));
  }
  return longest;
}

bool IsLargeBinaryLike(const arrow::Array& column) {
  return arrow::is_large_binary_like(column.type_id());
}

}  // namespace

std::optional<KeyType> FindKeyType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT8:
    case arrow::Type::UINT8:
      return KeyType{KeyShape::kWord, 1, true};
    case arrow::Type::INT16:
    case arrow::Type::UINT16:
      return KeyType{KeyShape::kWord, 2, true};
    case arrow::Type::INT32:
    case arrow::Type::UINT32:
    case arrow::Type::FLOAT:
      return KeyType{KeyShape::kWord, 4, true};
    case arrow::Type::INT64:
    case arrow::Type::UINT64:
    case arrow::Type::DOUBLE:
      return KeyType{KeyShape::kWord, 8, true};
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      return KeyType{KeyShape::kWord, 4, false};
    case arrow::Type::DATE64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
      return KeyType{KeyShape::kWord, 8, false};
    case arrow::Type::DECIMAL128:
      return KeyType{KeyShape::kWideWord, 16, false};
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
      return KeyType{KeyShape::kBytes, 0, false};
    default:
      return std::nullopt;
  }
}

arrow::Result<KeyType> RequireKeyType(ClusteringAlgorithm algorithm, const arrow::DataType& type,
                                      std::string_view what) {
  const bool basic_only = algorithm == ClusteringAlgorithm::kQuantileRankV1;
  const auto key_type = FindKeyType(type);
  if (!key_type || (basic_only && !key_type->is_basic)) {
    return arrow::Status::Invalid(what, " has type ", type.ToString(), "; ", ToString(algorithm),
                                  " accepts: ", kBasicTypes, basic_only ? "" : kTypedTypes);
  }
  return *key_type;
}

size_t LongestComparedBytes(ClusteringAlgorithm algorithm) {
  return algorithm == ClusteringAlgorithm::kTypedQuantileRankV2
             ? 256
             : std::numeric_limits<size_t>::max();
}

arrow::Result<std::shared_ptr<arrow::Array>> PlainKeyColumn(
    const std::shared_ptr<arrow::Array>& column, const arrow::DataType& type,
    std::string_view column_name) {
  if (column->type()->Equals(type)) return column;
  if (column->type_id() == arrow::Type::DICTIONARY) {
    const auto& encoded = static_cast<const arrow::DictionaryArray&>(*column);
    if (encoded.dictionary()->type()->Equals(type)) {
      ARROW_RETURN_NOT_OK(InitializeLibrary());
      return arrow::compute::Take(*encoded.dictionary(), *encoded.indices());
    }
  }
  return arrow::Status::Invalid("key column \"", column_name, "\" has type ",
                                column->type()->ToString(), "; expected ", type.ToString());
}

void ReadOrderedWords(const arrow::Array& column, RowSelection rows, std::span<uint64_t> out) {
  switch (column.type_id()) {
    case arrow::Type::BOOL:
      return ReadBooleans(column, rows, out);
    case arrow::Type::UINT8:
      return ReadAs<uint8_t, OrderUnsigned>(column, rows, out);
    case arrow::Type::UINT16:
      return ReadAs<uint16_t, OrderUnsigned>(column, rows, out);
    case arrow::Type::UINT32:
      return ReadAs<uint32_t, OrderUnsigned>(column, rows, out);
    case arrow::Type::UINT64:
      return ReadAs<uint64_t, OrderUnsigned>(column, rows, out);
    case arrow::Type::INT8:
      return ReadAs<uint8_t, OrderSigned>(column, rows, out);
    case arrow::Type::INT16:
      return ReadAs<uint16_t, OrderSigned>(column, rows, out);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      return ReadAs<uint32_t, OrderSigned>(column, rows, out);
    case arrow::Type::INT64:
    case arrow::Type::DATE64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
      return ReadAs<uint64_t, OrderSigned>(column, rows, out);
    case arrow::Type::FLOAT:
      return ReadAs<uint32_t, OrderFloat>(column, rows, out);
    case arrow::Type::DOUBLE:
      return ReadAs<uint64_t, OrderFloat>(column, rows, out);
    default:
      LANCE_DCHECK(false && "the type's shape is kWord");
  }
}

void ReadOrderedWords(const arrow::Array& column, RowSelection rows, std::span<WideWord> out) {
  const auto& values = static_cast<const arrow::Decimal128Array&>(column);
  for (size_t i = 0; i < out.size(); ++i) {
    uint64_t halves[2];  // low, high; memcpy because Arrow promises no alignment of 16
    std::memcpy(halves, values.GetValue(rows[i]), sizeof(halves));
    out[i] = (WideWord{halves[1]} << 64 | halves[0]) ^ TopBit<WideWord>();
  }
}

std::string_view ReadBytes(const arrow::Array& column, int64_t row) {
  return IsLargeBinaryLike(column)
             ? static_cast<const arrow::LargeBinaryArray&>(column).GetView(row)
             : static_cast<const arrow::BinaryArray&>(column).GetView(row);
}

std::optional<uint64_t> LongestValue(const arrow::Array& column) {
  return IsLargeBinaryLike(column) ? LongestOf<arrow::LargeBinaryArray>(column)
                                   : LongestOf<arrow::BinaryArray>(column);
}

}  // namespace lance::clustering
