#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance {

/// The rows below `num_rows` that are not deleted.
RowRanges RowsWithout(const RoaringBitmap& deleted, uint64_t num_rows);

/// The rows of a fragment that are not deleted.
arrow::Result<RowRanges> LiveRows(ObjectStore& store, const table::Fragment& fragment,
                                  const RunContext& run);

/// Write the deletion file that a fragment has when more of its rows are deleted.
///
/// \param rows offsets to delete, none of them deleted before
/// \return the fragment with its new deletion file; no value when no row is left
arrow::Result<std::optional<table::Fragment>> DeleteRows(ObjectStore& store,
                                                         const table::Fragment& fragment,
                                                         const RoaringBitmap& rows,
                                                         uint64_t read_version,
                                                         const RunContext& run);

/// Delete the deletion file of a fragment that no version refers to; a failure is ignored, cleanup
/// finds what stays.
void DropDeletionFile(ObjectStore& store, const table::Fragment& fragment);

}  // namespace lance
