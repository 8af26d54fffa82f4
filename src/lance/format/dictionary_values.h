#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "arrow/status.h"
#include "arrow/type_fwd.h"

namespace lance::format {

/// The most values that indices of a type can tell apart; capped at 2^31.
uint64_t NumNameable(const arrow::DataType& index_type);

/// The bytes of a value, which tell it from others of its type.
///
/// \param values text, binary, or a type of fixed width that is not nested
/// \pre 0 <= i < values.length(), and the value is not null
std::string BytesOfValue(const arrow::Array& values, int64_t i);

/// Counts the values that a dictionary column of a file uses, so that no file is written that can
/// only be read in parts: readers give a column one dictionary, and its indices must number all.
/// Indices of 32 bits or more are not counted. Thread-compatible.
class DictionaryCapacity {
 public:
  explicit DictionaryCapacity(const arrow::DictionaryType& type);

  /// Count the values that rows name. Indices beyond the dictionary are left to others.
  ///
  /// \return Invalid saying how many values the index type allows
  arrow::Status CountRows(const arrow::DictionaryArray& rows);

  /// Count one value by its bytes. \return as CountRows
  arrow::Status CountValue(const std::string& bytes);

 private:
  std::string index_type_;
  /// No value: nothing is counted.
  std::optional<uint64_t> max_values_;
  std::unordered_set<std::string> values_;
  /// The dictionary of the last rows, and which of its values were counted.
  std::shared_ptr<arrow::Array> dictionary_;
  std::vector<bool> is_counted_;
};

}  // namespace lance::format
