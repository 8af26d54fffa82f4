#pragma once

#include <optional>
#include <vector>

#include "lance/dataset/filter/bound_value.h"
#include "lance/dataset/filter/columns.h"
#include "lance/index/predicate.h"

namespace lance::filter {

/// The range of texts that a call about how they begin can be TRUE for: `column LIKE 'a%b'`,
/// starts_with(column, 'a') and regexp_like(column, '^a').
///
/// The call itself asks more, so its rows are fewer than those of the range; nothing is said of
/// rows for which it is FALSE.
///
/// \return no value for another call, a field that is not plain text, and a start that is not
///   known
///
/// Source: zonemap-and-indices 3.1, 3.2-8, 3.3
std::optional<index::Predicate> ToPrefixLeaf(const BoundValue& call,
                                             const std::vector<FilterColumn>& columns);

}  // namespace lance::filter
