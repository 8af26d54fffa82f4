#pragma once

#include <cstdint>
#include <set>

#include "arrow/status.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// Keep the index segments that still mean something after rows or columns went: rule K of
/// table-format 5. System indices always stay.
///
/// \return SerializationError when a coverage is corrupt
arrow::Status KeepRelevantIndices(Manifest* manifest);

/// Take fragments out of the coverage of every index that depends on one of the fields: on it, on
/// what is below it, or on what it is below of.
///
/// \return SerializationError when a coverage is corrupt
arrow::Status UncoverFragments(const std::set<uint64_t>& fragment_ids,
                               const std::set<int32_t>& field_ids, Manifest* manifest);

}  // namespace lance::table
