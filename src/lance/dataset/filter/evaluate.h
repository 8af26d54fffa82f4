#pragma once

#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/dataset/filter/bound_expression.h"

namespace lance::filter {

/// Evaluate a filter over rows with three-valued logic.
///
/// What is computed on the way is held for some thousand rows at a time, however many there are.
///
/// \param columns the arrays of the filter's columns, in the order of ResolveColumns, each of the
///   column's type and `num_rows` long
/// \return true, false or null for each row
arrow::Result<std::shared_ptr<arrow::BooleanArray>> Evaluate(
    const BoundExpression& expression, const std::vector<std::shared_ptr<arrow::Array>>& columns,
    int64_t num_rows, const arrow::StopToken& stop = arrow::StopToken::Unstoppable());

/// Evaluate a value expression over rows.
///
/// \return an array or, when the value is the same for all rows, a scalar, of the node's type
arrow::Result<arrow::Datum> EvaluateValue(const BoundValue& value,
                                          const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                          int64_t num_rows);

}  // namespace lance::filter
