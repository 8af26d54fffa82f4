#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"
#include "lance/dataset/filter/bound_expression.h"
#include "lance/dataset/filter/bound_value.h"
#include "lance/dataset/filter/columns.h"
#include "lance/dataset/filter/functions.h"

namespace lance::filter {

/// What the place of an expression says about it. A plain value.
struct ValuePlace {
  /// What literals are converted to, for the sake of the column `column`; null: their own type.
  std::shared_ptr<arrow::DataType> literal_type;
  std::string column;
  /// Whether it is the whole expression: only there is a literal beside a column of the column's
  /// type, as in the reference.
  bool is_whole = false;
};

/// Binds the expressions that give values; whoever derives from it binds the conditions in them.
/// Borrows everything; thread-compatible.
class ValueBinder {
 public:
  ValueBinder(std::string_view sql, const std::vector<FilterColumn>& columns)
      : sql_(sql), columns_(columns) {}
  virtual ~ValueBinder() = default;

  /// Bind a whole expression, converted to `type` unless that is null.
  arrow::Status BindRoot(const Expression& expression, const std::shared_ptr<arrow::DataType>& type,
                         BoundValue* out) const;

 protected:
  virtual arrow::Status BindCondition(const Expression& expression, BoundExpression* out) const = 0;

  arrow::Status BindValue(const Expression& expression, const ValuePlace& place,
                          BoundValue* out) const;
  /// Bind two expressions that are compared: to one type that compares.
  arrow::Status BindPair(const Expression& left, const Expression& right, BoundValue* left_out,
                         BoundValue* right_out) const;
  /// Bind the operand and the members of an IN list to one type.
  arrow::Status BindList(const Expression& in, std::vector<BoundValue>* out) const;
  /// Bind a LIKE, without its NOT.
  arrow::Status BindPattern(const Expression& like, BoundValue* out) const;

  /// An error at the place of a node.
  arrow::Status Problem(const Expression& place, const std::string& message) const;
  /// An error for what this version lacks, at the place of a node.
  arrow::Status NotSupported(const Expression& place, const std::string& message) const;
  /// Add the place to the status of a conversion.
  arrow::Status AtPlace(const Expression& place, const arrow::Status& status) const;

  const FilterColumn& ColumnOf(const Expression& expression) const {
    return columns_[static_cast<size_t>(expression.column_index)];
  }

 private:
  arrow::Status BindLiteral(const Expression& expression, const ValuePlace& place,
                            BoundValue* out) const;
  arrow::Status BindColumn(const Expression& expression, BoundValue* out) const;
  /// Decode a dictionary, and widen a half float, which Arrow cannot compute with.
  arrow::Status MakePlain(const Expression& expression, BoundValue* value) const;
  arrow::Status BindField(const Expression& expression, BoundValue* out) const;
  arrow::Status BindElement(const Expression& expression, BoundValue* out) const;
  arrow::Status BindArray(const Expression& expression, BoundValue* out) const;
  arrow::Status BindNegative(const Expression& expression, const ValuePlace& place,
                             BoundValue* out) const;
  arrow::Status BindArithmetic(const Expression& expression, const ValuePlace& place,
                               BoundValue* out) const;
  arrow::Status BindCast(const Expression& expression, BoundValue* out) const;
  arrow::Status BindArrowCast(const Expression& expression, BoundValue* out) const;
  arrow::Status BindCall(const Expression& expression, BoundValue* out) const;
  /// get_field(x, 'name'), which is x.name.
  arrow::Status BindGetField(const Expression& expression, BoundValue* out) const;
  /// Turn what is bound as the only argument of `out` into its member.
  arrow::Status FinishField(const Expression& expression, const Expression& parent,
                            const std::string& name, BoundValue* out) const;
  arrow::Status BindTruth(const Expression& expression, BoundValue* out) const;

  arrow::Status BindOperands(const Expression& left, const Expression& right, bool converts,
                             const ValuePlace& place, BoundValue* left_out,
                             BoundValue* right_out) const;
  arrow::Status FinishCall(const Expression& expression, arrow::Result<FunctionCall> call,
                           BoundValue* out) const;
  arrow::Status CastTo(const Expression& place, const std::shared_ptr<arrow::DataType>& type,
                       bool is_try, BoundValue* value) const;
  ValuePlace PlaceBeside(const Expression& expression, const BoundValue& value) const;

  std::string_view sql_;
  const std::vector<FilterColumn>& columns_;
};

}  // namespace lance::filter
