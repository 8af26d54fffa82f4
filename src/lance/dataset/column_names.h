#pragma once

#include <string>

#include "arrow/result.h"
#include "lance/format/schema.h"

namespace lance {

/// Find a top-level column by name: exactly, else ignoring case when unique.
///
/// \return KeyError + NotFound{column} listing near names, or saying which names are ambiguous
arrow::Result<const format::SchemaField*> ResolveColumn(const format::LanceSchema& schema,
                                                        const std::string& name);

}  // namespace lance
