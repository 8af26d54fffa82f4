#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::clustering {

/// Rows `order` of a column.
///
/// \param order row numbers, all below the column's length, none twice
/// \param max_array_bytes a column above this size comes back in pieces of about that size at most
///   (one row may be larger), so that 32-bit offsets never overflow: neither in what is made nor on
///   the way there
arrow::Result<std::shared_ptr<arrow::ChunkedArray>> GatherColumn(const arrow::ChunkedArray& column,
                                                                 std::span<const uint64_t> order,
                                                                 int64_t max_array_bytes,
                                                                 arrow::MemoryPool* pool);

}  // namespace lance::clustering
