#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Show a transaction that was read. It stamps nothing: a stamp names a definition of the table
/// that the bytes came from, as it was then.
Transaction WrapStored(table::Transaction transaction);

/// A transaction of one operation on the version of a dataset.
arrow::Result<Transaction> MakeOperationTransaction(const Dataset& dataset,
                                                    table::Operation operation);

/// Fragments that get their ids at the commit. Whoever made them by hand has no stamp to give.
std::vector<table::Fragment> NewFragmentsOf(const std::vector<FragmentMetadata>& shown);

}  // namespace lance
