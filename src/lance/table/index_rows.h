#pragma once

#include "lance/table/manifest.h"

namespace lance::table {

/// Whether an index segment names rows by stable row ids, so that it stays right when rows move
/// (table-format 5.5, 8.2).
///
/// False in tables without such ids, for the types that always store addresses, and for types that
/// nobody here knows.
bool StoresStableRowIds(const IndexMetadata& index, const Manifest& manifest);

}  // namespace lance::table
