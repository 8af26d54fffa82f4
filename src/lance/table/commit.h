#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/table/clustering_metadata.h"
#include "lance/table/manifest_store.h"
#include "lance/table/rebase.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// The transaction property that holds the line for people of a commit.
inline constexpr std::string_view kCommitMessageProperty = "__lance_commit_message";

/// How often and how long a commit tries. Defaults are the reference's (table-format 4.1).
struct RetryPolicy {
  int max_retries = 20;
  std::chrono::milliseconds timeout{30'000};
  bool is_detached = false;  // CommitDetached, which needs none of it
};

/// Looking after clustering metadata (clustering_repair.h).
enum class ClusteringMaintenance { kNone, kRepair, kPrune };

/// What a commit does to clustering metadata besides its operation. Applied to the newest manifest
/// on every attempt, because ids are allocated against it (contract section 3).
struct ClusteringChange {
  /// Make sure that this layout has a definition: an equal one is taken again, else one is
  /// allocated.
  std::optional<LayoutDefinition> define;
  /// Stamp the operation's new fragments with `define`'s id and these groups: one for Append and
  /// Overwrite, one per group in order for Rewrite. Empty: no stamp.
  std::vector<std::string> stamp_group_ids;
  /// Repair or prune, besides an operation that changes nothing.
  ClusteringMaintenance maintenance = ClusteringMaintenance::kNone;
};

/// One commit. A plain value.
struct CommitRequest {
  /// With an empty uuid it gets a fresh one. The same uuid never lands twice: a second try finds
  /// the first one and returns it.
  Transaction transaction;
  ClusteringChange clustering;
  /// Delete and Update: the rows that they delete or change, so that they can pass changes of other
  /// rows in the same fragments. Without them such a commit is a retryable conflict.
  AffectedRows affected_rows;
  /// Of a new table; an existing table keeps its own.
  NamingScheme naming_of_new_table = NamingScheme::kV2;
  RetryPolicy retry;
};

/// Land a transaction as the next version of the table, rebasing it past concurrent commits; or, if
/// its policy says so, as a detached version.
///
/// Writes transaction files, at most one manifest, and deletion files where rows were rebased;
/// deletes nothing but its own files of attempts that certainly did not land.
///
/// \return the manifest that holds the transaction, or
///   - AlreadyExists + CommitConflict: nothing was stored; `retryable()` tells lost races from
///   clashes
///   - AlreadyExists without detail: creating, and the table is there
///   - UnknownError + CommitUnknown: it may have landed; keep its files
///   - Invalid: the resulting manifest would break a rule (declaration, schema, flags); nothing
///   stored
///   - any other status: nothing was stored
///
/// Thread-safe. Source: table-format 4.1, 4.5, 4.8; contract section 3.
arrow::Result<LoadedManifest> Commit(const ManifestStore& manifests, CommitRequest request,
                                     const RunContext& run);

/// Commit a transaction as a detached version on top of its read version: no conflict is checked,
/// and the newest version of the table stays what it is (table-format 1.3).
///
/// \return as Commit; Invalid when the table names its manifests by version (V1), or when the
///   schema would change although field ids are never used again
arrow::Result<LoadedManifest> CommitDetached(const ManifestStore& manifests, CommitRequest request,
                                             const RunContext& run);

}  // namespace lance::table
