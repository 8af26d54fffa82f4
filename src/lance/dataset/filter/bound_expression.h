#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"
#include "lance/dataset/filter/bound_value.h"
#include "lance/dataset/filter/membership.h"

namespace lance::filter {

/// One node of a filter whose columns and types are known; every node is a three-valued truth.
/// A plain value.
struct BoundExpression {
  /// What the node asks.
  enum class Kind {
    kConstant,        // `constant`; no value: NULL
    kColumn,          // the bool column `column`
    kNot,             // one child
    kAnd,             // two or more children
    kOr,              // two or more children
    kCompareLiteral,  // column op literal
    kCompareColumns,  // column op other_column, of one type, not bool
    kCompareTruths,   // child op child
    kIn,              // column IN (members, and NULL when has_null)
    kIsNull,          // column IS NULL, of any type
    kIsUnknown,       // child IS NULL
    kIsTrue,          // child IS TRUE
    kTruth,           // the only value, of type bool
    kCompareValues,   // values[0] op values[1], of one type; a constant is the second
    kSameValues,      // values[0] IS NOT DISTINCT FROM values[1], likewise
    kInValues,        // the only value IN (constants, and NULL when has_null)
    kIsNullValue      // the only value IS NULL
  };

  Kind kind = Kind::kConstant;
  std::optional<bool> constant;
  int column = -1;  // positions in the list of columns
  int other_column = -1;
  CompareOp op = CompareOp::kEqual;
  std::shared_ptr<arrow::Scalar> literal;               // valid, of the column's type
  std::vector<std::shared_ptr<arrow::Scalar>> members;  // valid, of the column's type
  bool has_null = false;
  std::shared_ptr<const Membership> membership;  // of kIn and kInValues
  std::vector<BoundValue> values;
  /// SQL for people: of kCompareLiteral the literal, of kIn the list, else the whole node.
  std::string text;
  std::vector<BoundExpression> children;
};

}  // namespace lance::filter
