#include "lance/dataset/filter/value_expression.h"

#include <utility>

#include "arrow/api.h"
#include "lance/dataset/filter/arithmetic.h"
#include "lance/dataset/filter/binder.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/columns.h"
#include "lance/dataset/filter/evaluate.h"
#include "lance/dataset/filter/parser.h"

namespace lance::filter {

/// What an expression was turned into.
struct ValueExpression::Parts {
  std::string sql;
  std::vector<FilterColumn> columns;
  std::vector<std::string> column_names;
  BoundValue value;
};

ValueExpression::ValueExpression(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

arrow::Result<ValueExpression> ValueExpression::Make(std::string_view sql,
                                                     const format::LanceSchema& schema,
                                                     std::shared_ptr<arrow::DataType> type) {
  auto parts = std::make_shared<Parts>();
  ARROW_ASSIGN_OR_RAISE(const auto expression, ParseFilter(sql));
  ARROW_ASSIGN_OR_RAISE(parts->columns, ResolveColumns(sql, schema, expression.get()));
  ARROW_ASSIGN_OR_RAISE(parts->value, BindValueExpression(sql, parts->columns, *expression, type));
  parts->sql = CanonicalSql(*expression);
  for (const FilterColumn& column : parts->columns) parts->column_names.push_back(column.name);
  return ValueExpression(std::move(parts));
}

const std::vector<std::string>& ValueExpression::column_names() const {
  return parts_->column_names;
}

const std::vector<FilterColumn>& ValueExpression::columns() const { return parts_->columns; }

const std::shared_ptr<arrow::DataType>& ValueExpression::type() const { return parts_->value.type; }

arrow::Result<std::shared_ptr<arrow::Array>> ValueExpression::Evaluate(
    const arrow::RecordBatch& batch) const {
  ARROW_ASSIGN_OR_RAISE(const auto arrays, ArraysOf(parts_->columns, batch));
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum value,
                        EvaluateValue(parts_->value, arrays, batch.num_rows()));
  return ToArray(value, batch.num_rows());
}

std::string ValueExpression::ToString() const { return parts_->sql; }

}  // namespace lance::filter
