#pragma once

#include <optional>
#include <string>
#include <utility>

#include "lance/mutate.h"
#include "lance/table/commit.h"
#include "lance/transaction.h"

namespace lance {

/// The inside of Transaction. Immutable.
class Transaction::Impl {
 public:
  Impl(table::CommitRequest made, std::optional<MergeInsertCounts> merged);

  const table::CommitRequest commit;  // its retry policy is the committer's
  const std::string operation;
  const std::optional<MergeInsertCounts> merge_counts;
};

/// Show a commit that is yet to be made to the outside.
Transaction WrapTransaction(table::CommitRequest commit,
                            std::optional<MergeInsertCounts> merge_counts = {});

}  // namespace lance
