#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/index/scalar_index.h"

namespace lance::index {

/// Open a bloom filter segment; parameters and errors as OpenScalarIndex.
///
/// Answers equality and kIn with the rows of the zones that may hold a value, and kIsNull, exactly
/// when the file has a null bitmap. Source: zonemap-and-indices 6.3
arrow::Result<std::shared_ptr<const ScalarIndex>> OpenBloomFilterIndex(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run);

}  // namespace lance::index
