#pragma once

#include <string>

#include "lance/table/manifest.h"

namespace lance::index {

/// The type of an index segment as its details' type URL names it: "ZoneMap", "BTree", ...; "" when
/// the segment has no details, and the last component as it stands for a type that nobody here
/// knows.
std::string IndexTypeName(const table::IndexMetadata& segment);

/// Whether a segment is a system entry, bound to no column.
bool IsSystemIndex(const table::IndexMetadata& segment);

/// Whether type and version of a segment are among those that this project knows, used or not
/// (zonemap-and-indices 1.4, 1.5). A rewrite leaves alone what an unknown index covers.
bool IsKnownIndex(const table::IndexMetadata& segment);

}  // namespace lance::index
