#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "lance/testing/table_session.h"

namespace lance::testing {

/// What an operation starts from.
struct TableHandle {
  /// The session in it sees a store with faults.
  OpenOptions options;
  /// The table, opened before the faults begin; no value: there is none yet.
  std::optional<Dataset> dataset;
};

/// An operation that commits, and what it does when storage works.
///
/// The table that it meets has the columns id (int64 not null), k (int32) and s (utf8), and the
/// rows kBaseRows in two fragments of three rows.
struct FaultyOperation {
  std::string name;
  /// All rows after it, in the order of their ids, with all columns: "1:10:a 2:20:b".
  std::string rows;
  /// The operation. \return the version that it made
  std::function<arrow::Result<Dataset>(const TableHandle& handle)> act;
  /// Changes the table before it is opened; null: nothing.
  std::function<arrow::Status(const Dataset& dataset)> prepare = nullptr;
  /// Commits after the table was opened, which the operation has to pass; null: nothing.
  std::function<arrow::Status(const Dataset& dataset)> rival = nullptr;
  /// There is no table before it.
  bool creates_table = false;
  /// It makes a detached version, and returns the version that it started from.
  bool is_detached = false;
  /// It moves rows in several commits: ids are reserved, rows rewritten, zonemaps refreshed. Once
  /// the rows are rewritten it has succeeded.
  bool is_rewrite = false;
  /// Of a rewrite: whether it ends with the zonemaps, or with the rows.
  bool refreshes_zonemaps = true;
  /// It leaves data files behind when it fails: they are the caller's, who may commit them again.
  bool leaves_files = false;
};

/// How a failing test names it.
inline void PrintTo(const FaultyOperation& operation, std::ostream* out) { *out << operation.name; }

inline constexpr const char* kBaseRows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f";

/// Rows of columns id, k, s: `[[7, 70, "g"]]`.
std::shared_ptr<arrow::Table> BaseRows(const std::string& json);

/// Append rows to the newest version.
arrow::Status AppendRows(const Dataset& dataset, const std::string& json);

/// Make the table of which FaultyOperation speaks.
arrow::Result<Dataset> MakeBaseTable(const OpenOptions& options);

/// Writes, deletes, updates, merges; also past other commits.
std::vector<FaultyOperation> RowOperations();
/// Changes of the schema.
std::vector<FaultyOperation> ColumnOperations();
/// Metadata, clustering, maintenance, indices.
std::vector<FaultyOperation> MetadataOperations();
/// Building, updating and dropping indices that name rows.
std::vector<FaultyOperation> IndexOperations();
/// Operations below the public API: restore, data replacement, detached versions.
std::vector<FaultyOperation> RawOperations();
/// Compaction that keeps the order of rows.
std::vector<FaultyOperation> CompactionOperations();
/// Rewrites of rows that indices name.
std::vector<FaultyOperation> IndexRewriteOperations();
/// What is written first and committed later, and detached versions.
std::vector<FaultyOperation> TransactionOperations();
/// Transactions whose files callers write themselves, and writes to base paths.
std::vector<FaultyOperation> HandMadeOperations();

}  // namespace lance::testing
