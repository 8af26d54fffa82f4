#pragma once

#include "arrow/status.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// Check that the files are there that a version names and the newest one does not: a cleanup by
/// another writer, which was stopped, leaves versions that open and do not read.
///
/// Those in other places, and indices whose files are not listed, are not looked at.
///
/// \return IOError naming the first that is missing
arrow::Status CheckRestoredFiles(ObjectStore& store, const Manifest& restored,
                                 const Manifest& newest, const RunContext& run);

}  // namespace lance::table
