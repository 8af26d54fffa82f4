#pragma once

#include <string>

#include "arrow/compute/type_fwd.h"
#include "arrow/result.h"

namespace lance::filter {

/// Write an Arrow expression over columns by name as SQL, with the meaning that Arrow gives it.
///
/// \return NotImplemented + UnsupportedFeature naming what the dialect has not; Invalid for an
///   expression that names columns by place, or nests too deep
arrow::Result<std::string> SqlOf(const arrow::compute::Expression& expression);

}  // namespace lance::filter
