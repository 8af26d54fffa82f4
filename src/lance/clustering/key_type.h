#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "lance/clustering.h"

namespace lance::clustering {

/// An unsigned integer of 16 bytes: the order-preserving form of a Decimal128.
__extension__ using WideWord = unsigned __int128;

/// What the values of an accepted type look like as ordered bytes.
enum class KeyShape {
  kWord,      ///< Up to 8 payload bytes: booleans, integers, floats, dates, times, timestamps.
  kWideWord,  ///< 16 payload bytes: Decimal128.
  kBytes,     ///< Strings and binary.
};

/// How a type takes part in a key. A plain value.
struct KeyType {
  KeyShape shape = KeyShape::kWord;
  size_t payload_bytes = 0;  // of one value; 0 for kBytes
  bool is_basic = false;     // quantile-rank-v1 takes it, too
};

/// The rule table: what any algorithm accepts (contract section 2). No value: refused by all.
std::optional<KeyType> FindKeyType(const arrow::DataType& type);

/// As FindKeyType, for one algorithm.
///
/// \return Invalid naming `what` (for example `column "a"`), the type and the types allowed
arrow::Result<KeyType> RequireKeyType(ClusteringAlgorithm algorithm, const arrow::DataType& type,
                                      std::string_view what);

/// How many leading bytes of a string or binary an algorithm looks at: 256 for
/// typed-quantile-rank-v2, else all.
size_t LongestComparedBytes(ClusteringAlgorithm algorithm);

/// The column as an array of `type`: itself, or the decoded form of a dictionary over `type`.
///
/// \return Invalid naming the column when it has another type
arrow::Result<std::shared_ptr<arrow::Array>> PlainKeyColumn(
    const std::shared_ptr<arrow::Array>& column, const arrow::DataType& type,
    std::string_view column_name);

/// Some rows of an array: `picked` when it is not null, else those from `first` on.
struct RowSelection {
  int64_t first = 0;
  const int64_t* picked = nullptr;

  int64_t operator[](size_t i) const {
    return picked != nullptr ? picked[i] : first + static_cast<int64_t>(i);
  }
};

/// Read payloads as unsigned words whose order is the value order, narrow types in the low bytes.
///
/// Signed types have their top bit inverted, floats are in IEEE total order. The word of a null row
/// means nothing. \pre the type's shape is kWord
void ReadOrderedWords(const arrow::Array& column, RowSelection rows, std::span<uint64_t> out);

/// As ReadOrderedWords for Decimal128.
void ReadOrderedWords(const arrow::Array& column, RowSelection rows, std::span<WideWord> out);

/// The bytes of one string or binary. \pre the type's shape is kBytes and the row is not null
std::string_view ReadBytes(const arrow::Array& column, int64_t row);

/// The length of the longest value that is not null; no value when all are null.
/// \pre the type's shape is kBytes
std::optional<uint64_t> LongestValue(const arrow::Array& column);

}  // namespace lance::clustering
