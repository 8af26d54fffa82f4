#pragma once

#include <cstdint>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::clustering {

/// The stable order of rows by their curve keys.
///
/// \param keys FixedSizeBinary, not null
/// \return row numbers in sorted order; rows with equal keys keep their order
arrow::Result<std::vector<uint64_t>> SortByKey(const arrow::ChunkedArray& keys);

}  // namespace lance::clustering
