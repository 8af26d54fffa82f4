#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "arrow/status.h"
#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// Keep the index segments that still mean something after rows or columns went: rule K of
/// table-format 5. System indices always stay.
///
/// \return SerializationError when a coverage is corrupt
arrow::Status KeepRelevantIndices(Manifest* manifest);

/// Take fragments out of the coverage of every index that depends on one of the fields: on it, on
/// what is below it, or on what it is below of.
///
/// A zone map or Bloom filter that covered one of them covers nothing then, until it is built again:
/// its file would bring back what it holds of them (zonemap-and-indices 5.3).
///
/// \return SerializationError when a coverage is corrupt
arrow::Status UncoverFragments(const std::set<uint64_t>& fragment_ids,
                               const std::set<int32_t>& field_ids, Manifest* manifest);

/// Let segments that name rows by stable ids cover the new fragments of an Update that consist of
/// rows that moved, where nothing that the segment depends on changed and it covered all fragments
/// that the rows can come from: step 4 of table-format 5.4.
///
/// Rows keep their ids, so that what such a segment says of them stays right.
///
/// \param added the new fragments, with their ids
/// \return SerializationError when a coverage is corrupt
arrow::Status CoverMovedRows(const Update& update, const std::vector<Fragment>& added,
                             Manifest* manifest);

}  // namespace lance::table
