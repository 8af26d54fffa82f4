#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"

namespace lance::filter {

/// Write the only expression of a serialized Substrait ExtendedExpression as SQL.
///
/// \return Invalid for bytes that are none; NotImplemented + UnsupportedFeature naming what the
///   dialect has not
arrow::Result<std::string> SqlOfSubstrait(std::string_view bytes);

}  // namespace lance::filter
