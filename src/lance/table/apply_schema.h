#pragma once

#include "arrow/status.h"
#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance::table {

// Operations on the schema, on base paths and on whole versions, applied to the manifest that will
// be committed. Each returns Invalid naming what does not fit.

/// Take over files and schema (table-format 5.8). Everything else of a fragment stays as the newest
/// version has it.
///
/// \return AlreadyExists + CommitConflict when a fragment is not as the operation found it
arrow::Status ApplyMerge(const Merge& merge, Manifest* manifest);

/// Take over a schema over the fields there are, and drop the files that hold none of them
/// (table-format 5.7).
arrow::Status ApplyProject(const Project& project, Manifest* manifest);

/// Add base paths; those without id get the smallest one that is free (table-format 5.15).
arrow::Status ApplyUpdateBases(const UpdateBases& update, Manifest* manifest);

/// Turn `manifest` into the version `restored`, keeping what never goes back: version, the highest
/// ids ever used, their mirrors, and sticky flags (table-format 5.9, contract section 3).
arrow::Status ApplyRestore(const Manifest& restored, Manifest* manifest);

}  // namespace lance::table
