#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// Rows that an operation deletes or changes, by fragment: offsets that were live at its read
/// version. Empty: nobody knows.
using AffectedRows = std::map<uint64_t, RoaringBitmap>;

/// What a rebase reads from.
struct RebaseInput {
  const Manifest& read;    // the version that the operation was made on
  const Manifest& newest;  // the version that it is to follow
  const AffectedRows& affected;
};

/// Put a Delete or an Update on top of a newer version whose deletes and updates hit other rows of
/// the same fragments: their deletions and ours become one deletion file (table-format 4.7).
///
/// \param written gets the paths of the deletion files that were written, also on failure
/// \return AlreadyExists + a retryable CommitConflict when they hit a row of ours, or changed a
///   fragment in another way
arrow::Result<Operation> RebaseRows(ObjectStore& store, const Operation& ours,
                                    const RebaseInput& input, const RunContext& run,
                                    std::vector<std::string>* written);

}  // namespace lance::table
