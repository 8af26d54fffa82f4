#pragma once

#include <memory>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/commit.h"

namespace lance::table {

/// Check what every transaction that is to be committed must have. \return Invalid naming it
arrow::Status CheckTransaction(const Transaction& transaction);

/// A serialized transaction without what may differ between attempts of one commit.
arrow::Result<std::string> IdentityOf(Transaction transaction);

/// UnknownError + CommitUnknown: the commit may or may not have landed.
arrow::Status OutcomeUnknown(const Transaction& transaction, const std::string& reason);

/// What one attempt of a commit is made of. Borrows everything.
struct CommitParts {
  const Manifest& basis;
  const Transaction& transaction;
  const ClusteringChange& clustering;
  const Manifest* restored = nullptr;  // of a Restore
  uint64_t detached_version = 0;       // 0: the next version of the table
};

/// Everything that one attempt writes.
struct PreparedCommit {
  Manifest manifest;
  std::string transaction;  // serialized
  std::shared_ptr<arrow::Buffer> manifest_bytes;
};

/// Build what an attempt writes: stamps, manifest, checks of clustering metadata. Pure but for the
/// clock (table-format 4.8, contract section 3).
arrow::Result<PreparedCommit> PrepareCommit(const CommitParts& parts, const RunContext& run);

/// The inline transaction of a manifest that was just written; no value: too large for one.
std::optional<std::string> InlinedTransaction(std::string serialized);

/// How a transaction's file is put: what the manifest holds as well need not be durable at once.
PutMode ModeOfTransactionFile(const std::string& serialized);

}  // namespace lance::table
