#pragma once

#include "arrow/result.h"
#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// Replace a rewrite's old fragments by its new ones, and its rewritten index segments
/// (table-format 5.5, a table of row addresses). The new fragments come last; the caller sorts.
///
/// \pre the new fragments have their ids
///
/// \return AlreadyExists + CommitConflict when an old fragment is gone or has changed; Invalid when
///   groups overlap or an index segment covers only a part of a group
arrow::Status ApplyRewrite(const Rewrite& rewrite, Manifest* manifest);

}  // namespace lance::table
