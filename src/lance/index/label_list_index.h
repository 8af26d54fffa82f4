#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/index/scalar_index.h"

namespace lance::index {

/// Open a label list segment, version 0 or 1; parameters and errors as OpenScalarIndex.
///
/// Answers kHasAny and kHasAll exactly; a null among the literals asks for a null item. The null
/// rows, those whose list is null, are known from version 1 on. Source: zonemap-and-indices 6.3
arrow::Result<std::shared_ptr<const ScalarIndex>> OpenLabelListIndex(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run);

/// Write a label list segment; parameters and errors as WriteScalarIndex.
///
/// It is of version 1, or of version 0 when an old part does not know its null lists.
arrow::Result<NewScalarIndexFiles> WriteLabelListIndex(const std::shared_ptr<ObjectStore>& store,
                                                       const Uuid& uuid,
                                                       const NewScalarIndex& request,
                                                       const RunContext& run);

}  // namespace lance::index
