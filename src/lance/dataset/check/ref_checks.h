#pragma once

#include "arrow/status.h"
#include "lance/base/run_context.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/check/stored_table.h"
#include "lance/object_store.h"

namespace lance::check {

/// Tags and branches: descriptions that can be read, and that name what is there; and notes of
/// operations at work (version_notes.h).
///
/// \param store of the table's root, where all of them are. Source: table-format 1.8.
arrow::Status CheckRefs(ObjectStore& store, const StoredTable& stored, const RunContext& run,
                        Findings* findings);

}  // namespace lance::check
