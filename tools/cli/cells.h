#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lancectl {

/// The values of an array, ready to be written row by row without a scalar for each. Immutable.
///
/// Lists and structs are written as JSON. Types without a JSON form are texts in it: decimals,
/// dates and times, and floats that are no numbers ("NaN", "Infinity"). A duration is the number
/// that is stored, in the unit of its type.
class Cells {
 public:
  /// Prepare an array; dates and the like are converted to text at once.
  static arrow::Result<Cells> Make(std::shared_ptr<arrow::Array> values);

  /// Write one value as JSON.
  arrow::Status AppendJson(int64_t row, std::string* out) const;

  /// Write one value for people: null is the empty text, a text stands without quotes, a duration
  /// has its unit behind it, and what is nested is JSON.
  arrow::Status AppendText(int64_t row, std::string* out) const;

 private:
  /// How values are written.
  enum class Kind {
    kNull,
    kBool,
    kInteger,
    kFloat,
    kText,        // values_ are strings
    kConverted,   // texts_ are the strings, with suffix_ behind them
    kDictionary,  // children_: the values that the indices mean
    kList,        // children_: the items, from first_item_ on
    kStruct,      // children_: the members
    kOther        // a scalar for each value
  };

  Cells() = default;
  arrow::Status Prepare();
  arrow::Status PrepareText();
  arrow::Status PrepareList();
  arrow::Status PrepareStruct();
  /// A value that is neither null nor nested nor encoded.
  arrow::Status AppendPlain(int64_t row, std::string* out) const;
  arrow::Status AppendListJson(int64_t row, std::string* out) const;
  arrow::Status AppendStructJson(int64_t row, std::string* out) const;

  Kind kind_ = Kind::kOther;
  std::shared_ptr<arrow::Array> values_;
  std::shared_ptr<arrow::Array> texts_;
  std::string suffix_;
  std::vector<Cells> children_;
  std::vector<std::string> names_;  // of members, as JSON
  int64_t first_item_ = 0;
};

/// Write a text as JSON, in quotes; bytes that are no UTF-8 are replaced.
void AppendJsonText(std::string_view text, std::string* out);

}  // namespace lancectl
