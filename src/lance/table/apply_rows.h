#pragma once

#include "arrow/status.h"
#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance::table {

// Operations that change rows, applied to the manifest that will be committed. Each returns
// AlreadyExists + CommitConflict when a fragment is not as the operation found it, and Invalid when
// the operation does not fit the manifest.

/// Take over the deletion files and drop the fragments without rows (table-format 5.3).
arrow::Status ApplyDelete(const Delete& deletion, Manifest* manifest);

/// Take over changed fragments and add new ones, whose ids are assigned (table-format 5.4). New
/// fragments get no stamp.
arrow::Status ApplyUpdate(const Update& update, Manifest* manifest);

/// Put data files in the place of columns (table-format 5.12).
arrow::Status ApplyDataReplacement(const DataReplacement& replacement, Manifest* manifest);

}  // namespace lance::table
