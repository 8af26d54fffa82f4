#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrow/status.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// Stamp the new fragments of an Append, Overwrite or Rewrite (contract section 3).
///
/// \param group_ids one for Append and Overwrite, one per group in order for Rewrite; empty: no
/// stamp \return Invalid when their number is another
arrow::Status StampNewFragments(uint32_t clustering_id, uint64_t version,
                                const std::vector<std::string>& group_ids, Operation* operation);

/// Take the stamps off the new fragments.
///
/// The id in a stamp depends on the version that a commit builds on, so what must be equal between
/// two attempts of one commit is the operation without its stamps.
void ClearStamps(Operation* operation);

}  // namespace lance::table
