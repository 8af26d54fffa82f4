#pragma once

#include <optional>
#include <vector>

#include "lance/dataset/filter/bound_expression.h"
#include "lance/dataset/filter/columns.h"
#include "lance/index/predicate.h"

namespace lance::filter {

/// The range of a field's values for which a comparison of its cast with a constant can be TRUE,
/// where the cast keeps order: `CAST(t AS DATE) = DATE '2020-01-01'`.
///
/// Integers to integers and floats, float to double, timestamps to other units and to dates, dates
/// to timestamps. The range may be somewhat wider than the comparison, so nothing is said of rows
/// for which it is FALSE.
///
/// \param comparison of kind kCompareValues
/// \param op its operator, or the negated one
/// \return no value for all other casts, and constants that no value of the field is near to
std::optional<index::Predicate> ToCastLeaf(const BoundExpression& comparison, CompareOp op,
                                           const std::vector<FilterColumn>& columns);

}  // namespace lance::filter
