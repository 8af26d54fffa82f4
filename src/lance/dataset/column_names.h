#pragma once

#include <string>

#include "arrow/result.h"
#include "lance/format/schema.h"

namespace lance {

/// Find a top-level column by name: exactly, else ignoring case when unique.
///
/// \return KeyError + NotFound{column} listing near names, or all when none is near,
///   or saying which names are ambiguous
arrow::Result<const format::SchemaField*> ResolveColumn(const format::LanceSchema& schema,
                                                        const std::string& name);

/// Find a column by name, or a member of structs, lists or maps by its path ("s.a", "l.item.p").
///
/// A top-level column of that exact name comes first. In a path a name in backticks is taken
/// literally. Names match exactly, else ignoring case when unique.
///
/// \return KeyError + NotFound{column}
arrow::Result<const format::SchemaField*> ResolveFieldPath(const format::LanceSchema& schema,
                                                           const std::string& path);

}  // namespace lance
