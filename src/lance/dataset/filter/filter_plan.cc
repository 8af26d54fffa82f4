#include "lance/dataset/filter/filter_plan.h"

#include <utility>

#include "arrow/api.h"
#include "lance/dataset/filter/binder.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/columns.h"
#include "lance/dataset/filter/evaluate.h"
#include "lance/dataset/filter/parser.h"
#include "lance/dataset/filter/to_predicate.h"

namespace lance::filter {

/// What a filter was turned into.
struct BoundFilter::Parts {
  std::string sql;
  std::vector<FilterColumn> columns;
  std::vector<std::string> column_names;
  BoundExpression expression;
  index::Predicate predicate;
};

BoundFilter::BoundFilter(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

arrow::Result<BoundFilter> BoundFilter::Make(std::string_view sql,
                                             const format::LanceSchema& schema) {
  auto parts = std::make_shared<Parts>();
  ARROW_ASSIGN_OR_RAISE(const auto expression, ParseFilter(sql));
  ARROW_ASSIGN_OR_RAISE(parts->columns, ResolveColumns(sql, schema, expression.get()));
  ARROW_ASSIGN_OR_RAISE(parts->expression, BindFilter(sql, parts->columns, *expression));
  parts->sql = CanonicalSql(*expression);
  parts->predicate = ToPredicate(parts->expression, parts->columns);
  for (const FilterColumn& column : parts->columns) parts->column_names.push_back(column.name);
  return BoundFilter(std::move(parts));
}

arrow::Result<BoundFilter> BoundFilter::FromFilter(const Filter& filter,
                                                   const format::LanceSchema& schema) {
  ARROW_RETURN_NOT_OK(filter.problem());
  return Make(filter.sql(), schema);
}

const std::vector<std::string>& BoundFilter::column_names() const { return parts_->column_names; }

const std::vector<FilterColumn>& BoundFilter::columns() const { return parts_->columns; }

arrow::Result<std::shared_ptr<arrow::BooleanArray>> BoundFilter::Evaluate(
    const arrow::RecordBatch& batch, const arrow::StopToken& stop) const {
  ARROW_ASSIGN_OR_RAISE(const auto arrays, ArraysOf(parts_->columns, batch));
  return filter::Evaluate(parts_->expression, arrays, batch.num_rows(), stop);
}

const index::Predicate& BoundFilter::predicate() const { return parts_->predicate; }

std::string BoundFilter::ToString() const { return parts_->sql; }

}  // namespace lance::filter
