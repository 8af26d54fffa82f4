#include "lance/clustering/encoded_value.h"

#include <algorithm>
#include <array>
#include <optional>

#include "arrow/api.h"
#include "lance/base/check.h"

namespace lance::clustering {
namespace {

constexpr char kPresent = 0x01;  // before a payload, and the whole of an empty string
constexpr char kNotEmpty = 0x02;
constexpr char kContinues = static_cast<char>(0xff);
constexpr size_t kShortBlock = 8;
constexpr size_t kLongBlock = 32;
constexpr size_t kShortBlocksEnd = 32;  // the first 32 bytes come in short blocks

size_t BlockBytesAt(size_t position) {
  return position < kShortBlocksEnd ? kShortBlock : kLongBlock;
}

template <typename Word>
void AppendBigEndian(Word word, size_t payload_bytes, std::string* out) {
  for (size_t i = payload_bytes; i-- > 0;) out->push_back(static_cast<char>(word >> (8 * i)));
}

template <typename Word>
void AppendWords(const ValueEncoding& encoding, const arrow::Array& values, RowSelection rows,
                 size_t num_rows, EncodedColumn* column) {
  constexpr size_t kBlockRows = 256;
  std::array<Word, kBlockRows> words;
  for (size_t begin = 0; begin < num_rows; begin += kBlockRows) {
    const size_t count = std::min(kBlockRows, num_rows - begin);
    const RowSelection block{rows.first + static_cast<int64_t>(begin),
                             rows.picked == nullptr ? nullptr : rows.picked + begin};
    ReadOrderedWords(values, block, std::span(words).first(count));
    for (size_t i = 0; i < count; ++i) {
      const bool is_null = values.IsNull(block[i]);
      if (!is_null) {
        column->bytes.push_back(kPresent);
        AppendBigEndian(words[i], encoding.type.payload_bytes, &column->bytes);
      }
      column->offsets.push_back(column->bytes.size());
      column->is_null.push_back(is_null);
    }
  }
}

void AppendBlocks(std::string_view value, size_t longest_bytes, std::string* out) {
  if (value.empty()) {
    out->push_back(kPresent);
    return;
  }
  const bool is_cut = value.size() > longest_bytes;
  if (is_cut) value = value.substr(0, longest_bytes);
  out->push_back(kNotEmpty);
  for (size_t position = 0; position < value.size();) {
    const size_t block_bytes = BlockBytesAt(position);
    const std::string_view block = value.substr(position, block_bytes);
    out->append(block);
    out->append(block_bytes - block.size(), '\0');
    position += block_bytes;
    const bool continues = position < value.size() || is_cut;
    out->push_back(continues ? kContinues : static_cast<char>(block.size()));
  }
}

arrow::Status NotAnEncodedValue(std::string_view problem, size_t position) {
  return arrow::Status::SerializationError("encoded key value at byte ", position, ": ", problem);
}

}  // namespace

bool AcceptsType(ClusteringAlgorithm algorithm, const arrow::DataType& type) {
  const auto key_type = FindKeyType(type);
  return key_type && (key_type->is_basic || algorithm != ClusteringAlgorithm::kQuantileRankV1);
}

arrow::Result<ValueEncoding> MakeValueEncoding(ClusteringAlgorithm algorithm,
                                               const arrow::DataType& type, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(const KeyType key_type, RequireKeyType(algorithm, type, what));
  return ValueEncoding{key_type, LongestComparedBytes(algorithm)};
}

uint64_t ValueEncoding::EncodedSize(uint64_t value_bytes) const {
  if (type.shape != KeyShape::kBytes) return 1 + type.payload_bytes;
  const uint64_t compared = std::min<uint64_t>(value_bytes, longest_bytes);
  const uint64_t in_short = std::min<uint64_t>(compared, kShortBlocksEnd);
  const uint64_t in_long = compared - in_short;
  return 1 + (in_short + kShortBlock - 1) / kShortBlock * (kShortBlock + 1) +
         (in_long + kLongBlock - 1) / kLongBlock * (kLongBlock + 1);
}

void ValueEncoding::Append(const arrow::Array& values, RowSelection rows, size_t num_rows,
                           EncodedColumn* column) const {
  switch (type.shape) {
    case KeyShape::kWord:
      return AppendWords<uint64_t>(*this, values, rows, num_rows, column);
    case KeyShape::kWideWord:
      return AppendWords<WideWord>(*this, values, rows, num_rows, column);
    case KeyShape::kBytes:
      break;
  }
  for (size_t i = 0; i < num_rows; ++i) {
    const bool is_null = values.IsNull(rows[i]);
    if (!is_null) AppendBlocks(ReadBytes(values, rows[i]), longest_bytes, &column->bytes);
    column->offsets.push_back(column->bytes.size());
    column->is_null.push_back(is_null);
  }
}

arrow::Result<EncodedColumn> EncodeColumn(const arrow::Array& values,
                                          ClusteringAlgorithm algorithm) {
  auto plain = arrow::MakeArray(values.data());
  if (values.type_id() == arrow::Type::DICTIONARY) {
    const auto& encoded = static_cast<const arrow::DictionaryArray&>(values);
    ARROW_ASSIGN_OR_RAISE(plain, PlainKeyColumn(plain, *encoded.dictionary()->type(), ""));
  }
  ARROW_ASSIGN_OR_RAISE(const ValueEncoding encoding,
                        MakeValueEncoding(algorithm, *plain->type(), "key column"));
  EncodedColumn column;
  const auto num_rows = static_cast<size_t>(plain->length());
  column.offsets.reserve(num_rows + 1);
  column.is_null.reserve(num_rows);
  encoding.Append(*plain, {}, num_rows, &column);
  return column;
}

arrow::Result<WideWord> DecodeWord(std::string_view encoded, size_t payload_bytes) {
  if (encoded.size() != 1 + payload_bytes) return NotAnEncodedValue("has another size", 0);
  if (encoded[0] != kPresent) return NotAnEncodedValue("does not start with 0x01", 0);
  WideWord word = 0;
  for (const char byte : encoded.substr(1)) word = word << 8 | static_cast<uint8_t>(byte);
  return word;
}

arrow::Result<ComparedBytes> DecodeBytes(std::string_view encoded) {
  ComparedBytes value;
  if (encoded.size() == 1 && encoded[0] == kPresent) return value;
  if (encoded.size() < 2 || encoded[0] != kNotEmpty) {
    return NotAnEncodedValue("starts with neither 0x01 nor 0x02 and a block", 0);
  }
  for (size_t position = 1; position < encoded.size();) {
    const size_t block_bytes = BlockBytesAt(value.bytes.size());
    if (encoded.size() - position <= block_bytes) return NotAnEncodedValue("is short", position);
    const std::string_view block = encoded.substr(position, block_bytes);
    const char marker = encoded[position + block_bytes];
    position += block_bytes + 1;
    if (marker == kContinues) {
      value.bytes.append(block);
      value.is_cut = position == encoded.size();
      continue;
    }
    const auto length = static_cast<uint8_t>(marker);
    if (length == 0 || length > block_bytes || position != encoded.size() ||
        block.find_first_not_of('\0', length) != std::string_view::npos) {
      return NotAnEncodedValue("has a malformed last block", position - 1);
    }
    value.bytes.append(block.substr(0, length));
  }
  return value;
}

}  // namespace lance::clustering
