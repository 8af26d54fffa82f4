#pragma once

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/table/clone_proto.h"

namespace lance {

/// What the first version of a clone says of its source. It begins no branch yet.
///
/// \return Invalid for a detached version, which is of no line of versions
arrow::Result<table::CloneOperation> CloneOf(const Dataset& source);

}  // namespace lance
