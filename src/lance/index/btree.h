#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/index/scalar_index.h"

namespace lance::index {

/// Open a BTree segment: its lookup is read whole, of its pages only where they are.
///
/// \return NotImplemented for a version above 1; SerializationError for files that do not fit each
///   other, or whose lookup is out of order
/// Source: zonemap-and-indices 1.5, 6.1
arrow::Result<std::shared_ptr<const ScalarIndex>> OpenBTree(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run);

/// Write a BTree segment, as WriteScalarIndex: old parts are merged in the order of their values,
/// new rows are sorted, beyond the memory budget on disk.
///
/// Source: zonemap-and-indices 5.2 to 5.6, 6.1
arrow::Result<NewScalarIndexFiles> WriteBTree(const std::shared_ptr<ObjectStore>& store,
                                              const Uuid& uuid, const NewScalarIndex& request,
                                              const RunContext& run);

}  // namespace lance::index
