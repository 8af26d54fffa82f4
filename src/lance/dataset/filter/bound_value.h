#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::filter {

struct BoundExpression;

/// Computes one value for each row from the values of the arguments; scalars stand for all rows.
/// Without arguments it gets the number of rows, an int64.
using ValueFunction = std::function<arrow::Result<arrow::Datum>(const std::vector<arrow::Datum>&)>;

/// One node of an expression whose columns and types are known, and which gives a value of `type`
/// for each row. A plain value.
struct BoundValue {
  /// What gives the value.
  enum class Kind {
    kConstant,  // `constant`, which may be null
    kColumn,    // the column `column`
    kField,     // the member number `place` of the only argument, a struct
    kElement,   // the element number `place` of the only argument, a list
    kCast,      // the only argument as `type`; with `is_try` NULL for what does not convert
    kCall,      // `function` of the arguments
    kCondition  // `condition`, of type bool
  };

  Kind kind = Kind::kConstant;
  std::shared_ptr<arrow::DataType> type;
  std::shared_ptr<arrow::Scalar> constant;
  int column = -1;  // position in the list of columns
  int64_t place = 0;
  bool is_try = false;
  ValueFunction function;
  std::string name;          // of kCall: the function, in lower case; "": an operator
  bool is_volatile = false;  // of kCall: gives other values each time
  std::vector<BoundValue> arguments;
  std::shared_ptr<const BoundExpression> condition;
  std::string text;  // SQL for people, of kCall and kCast
};

/// A constant of the scalar's type.
BoundValue MakeConstant(std::shared_ptr<arrow::Scalar> scalar);

/// Whether the node or one below it reads a column, or gives other values each time.
bool ReadsColumn(const BoundValue& value);

}  // namespace lance::filter
