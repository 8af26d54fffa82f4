#pragma once

#include <string>
#include <utility>

#include "lance/table/commit.h"
#include "lance/transaction.h"

namespace lance {

/// The inside of Transaction. Immutable.
class Transaction::Impl {
 public:
  explicit Impl(table::CommitRequest made);

  const table::CommitRequest commit;  // its retry policy is the committer's
  const std::string operation;
};

/// Show a commit that is yet to be made to the outside.
Transaction WrapTransaction(table::CommitRequest commit);

}  // namespace lance
