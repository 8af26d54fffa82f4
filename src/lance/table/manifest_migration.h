#pragma once

#include "arrow/status.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"

namespace lance::table {

/// Give every manifest that is named by its version (V1) its reversed name (V2), newest first.
///
/// Each is copied under its new name before the old one goes, so that no version is ever without a
/// name. When this stops half-way, both schemes are in use: the newest version is then not opened,
/// single versions are, and another run finishes what is left. Nobody may write meanwhile.
///
/// \return Invalid, with both files left alone, when a version has two different manifests
/// Source: table-format 1.3.
arrow::Status MigrateManifestNames(ObjectStore& store, const RunContext& run);

}  // namespace lance::table
