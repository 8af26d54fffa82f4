#pragma once

#include <vector>

#include "lance/dataset/filter/bound_expression.h"
#include "lance/dataset/filter/columns.h"
#include "lance/index/predicate.h"

namespace lance::filter {

/// What statistics can be asked about a filter: a predicate that is true for every row for which
/// the filter is TRUE.
///
/// NOT is pushed to the leaves, which is exact under three-valued logic; only NOT IN, IS NOT
/// NULL and what is asked of lists keep it. A comparison with NULL is never TRUE, so it becomes
/// kAlwaysFalse.
///
/// Source: zonemap-and-indices 3.1, 3.2.
index::Predicate ToPredicate(const BoundExpression& expression,
                             const std::vector<FilterColumn>& columns);

}  // namespace lance::filter
