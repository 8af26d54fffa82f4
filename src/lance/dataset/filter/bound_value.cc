#include "lance/dataset/filter/bound_value.h"

#include <algorithm>

#include "arrow/api.h"
#include "lance/dataset/filter/bound_expression.h"

namespace lance::filter {

namespace {

bool ConditionReadsColumn(const BoundExpression& node) {
  return node.column >= 0 || node.other_column >= 0 ||
         std::any_of(node.values.begin(), node.values.end(), ReadsColumn) ||
         std::any_of(node.children.begin(), node.children.end(), ConditionReadsColumn);
}

}  // namespace

BoundValue MakeConstant(std::shared_ptr<arrow::Scalar> scalar) {
  BoundValue value;
  value.type = scalar->type;
  value.constant = std::move(scalar);
  return value;
}

bool ReadsColumn(const BoundValue& value) {
  if (value.kind == BoundValue::Kind::kColumn || value.is_volatile) return true;
  if (value.condition != nullptr) return ConditionReadsColumn(*value.condition);
  return std::any_of(value.arguments.begin(), value.arguments.end(), ReadsColumn);
}

}  // namespace lance::filter
