#pragma once

#include <string>

#include "lance/index/predicate.h"

namespace lance::filter {

/// The tree as text, with bounds as intervals and columns by their ids:
/// and(c0[1,5], not(c1 in {2})).
std::string Show(const index::Predicate& predicate);

}  // namespace lance::filter
