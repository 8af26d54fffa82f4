#pragma once

#include <cstdint>

#include "arrow/status.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// The id that the next new field gets: above all of the schema, of all data files, and of all that
/// were ever handed out where the table keeps count (table-format 6.2, 9.1).
int32_t NextFieldId(const Manifest& manifest);

/// Check the field ids of a new schema against the version before it, and raise the count of ids
/// that were handed out where the table keeps one.
///
/// \param is_overwrite whether every field must be new (table-format 6.2)
/// \return Invalid naming the field whose id was used before, or whose type changed under its id
arrow::Status TakeFieldIds(const Manifest& previous, bool is_overwrite, Manifest* next);

}  // namespace lance::table
