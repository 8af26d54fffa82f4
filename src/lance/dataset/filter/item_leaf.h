#pragma once

#include <optional>
#include <vector>

#include "lance/dataset/filter/bound_value.h"
#include "lance/dataset/filter/columns.h"
#include "lance/index/predicate.h"

namespace lance::filter {

/// What a label list can be asked about a call: array_has(column, literal), array_has_any and
/// array_has_all(column, list of literals), under all their names.
///
/// \return no value for another call, what is no field, a literal that is NULL, or one
///   that no item can be
/// Source: zonemap-and-indices 3.1, 6.3
std::optional<index::Predicate> ToItemLeaf(const BoundValue& call,
                                           const std::vector<FilterColumn>& columns);

}  // namespace lance::filter
