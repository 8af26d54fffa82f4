#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/index/scalar_index.h"

namespace lance::index {

/// Open a bitmap segment; parameters and errors as OpenScalarIndex.
///
/// Answers kRange, kIn and kIsNull exactly, with the null rows. Source: zonemap-and-indices 6.2
arrow::Result<std::shared_ptr<const ScalarIndex>> OpenBitmapIndex(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run);

/// Write a bitmap segment; parameters and errors as WriteScalarIndex.
arrow::Result<NewScalarIndexFiles> WriteBitmapIndex(const std::shared_ptr<ObjectStore>& store,
                                                    const Uuid& uuid, const NewScalarIndex& request,
                                                    const RunContext& run);

}  // namespace lance::index
