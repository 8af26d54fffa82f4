#pragma once

#include <string>

#include "arrow/result.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// Whether a transaction can pass another one that was committed after its read version.
enum class Compatibility {
  kCompatible,    // apply ours on top
  kRebase,        // look at the rows of the common fragments (table-format 4.7)
  kRetryable,     // redo the whole operation on the new version
  kIncompatible,  // fail for good
};

/// The answer, and the reason for people.
struct ConflictVerdict {
  Compatibility compatibility = Compatibility::kCompatible;
  std::string reason;  // "" when compatible
};

/// Apply the conflict rules of table-format 4.5 to one pair of operations.
///
/// Pure. Where a rule needs more than the transactions hold, the answer is the stricter one, which
/// is always allowed.
///
/// \param ours wants to commit
/// \param theirs is committed at a version above our read version
/// \return SerializationError when an index of ours or theirs has a corrupt coverage, or the
///   memory-WAL state of either is corrupt
arrow::Result<ConflictVerdict> CheckConflict(const Operation& ours, const Operation& theirs);

}  // namespace lance::table
