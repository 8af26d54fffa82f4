#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/cleanup.h"
#include "lance/clone.h"
#include "lance/dataset.h"
#include "lance/transaction.h"

namespace lance {

/// One version of a table. A plain value.
struct VersionInfo {
  /// Its number.
  uint64_t version = 0;
  /// When it was committed.
  Timestamp timestamp;
  /// Counts for people, named as the reference names them: total_fragments, total_data_files,
  /// total_rows and others.
  std::map<std::string, std::string> metadata;
  /// The tags that name it.
  std::vector<std::string> tags;
};

/// One version and the change that made it. A plain value. Fields: docs/guide/json.md.
///
/// A count without a value is not known: the version before is gone, or the transaction is, or it
/// does not tell.
struct HistoryEntry {
  /// Its number.
  uint64_t version = 0;
  /// When it was committed.
  Timestamp timestamp;
  /// "": the main one.
  std::string branch;
  /// The name of the operation, for example "Append"; "": its transaction cannot be read.
  std::string operation;
  /// The version that the change was made on.
  uint64_t read_version = 0;
  /// The identity of the transaction.
  std::string transaction_uuid;
  /// The line for people.
  std::optional<std::string> message;
  /// The other entries that were kept with the commit.
  std::map<std::string, std::string> properties;
  /// The tags that name the version.
  std::vector<std::string> tags;
  /// Rows that are new.
  std::optional<uint64_t> rows_inserted;
  /// Rows with other values. Without stable row ids an update does not tell them from new rows.
  std::optional<uint64_t> rows_updated;
  /// Rows that are gone.
  std::optional<uint64_t> rows_deleted;
  /// Fragments that are new.
  std::optional<uint64_t> fragments_added;
  /// Fragments that are gone.
  std::optional<uint64_t> fragments_removed;
  /// Bytes of new data files.
  std::optional<uint64_t> bytes_added;
  /// What was committed, to look into with OperationOf; no value: it cannot be read.
  std::optional<Transaction> transaction;
};

/// List the versions that are there, ascending.
arrow::Result<std::vector<VersionInfo>> ListVersions(const Dataset& dataset,
                                                     const CallOptions& call = {});

/// List the versions up to that of a dataset with what made them, newest first.
///
/// \param max_entries most versions; 1 or more
arrow::Result<std::vector<HistoryEntry>> ListHistory(const Dataset& dataset,
                                                     uint64_t max_entries = 100,
                                                     const CallOptions& call = {});

/// Make an older version the newest, under a new number: rows, schema, configuration and indices
/// return; row ids and numbers of definitions go on behind what was used since.
///
/// \param old_version the version to restore
/// \return as commits; Invalid when that version is from before what later versions depend on
/// Source: table-format 5.9
arrow::Result<Dataset> Restore(const Dataset& old_version, const CommitOptions& options = {},
                               const CallOptions& call = {});

/// Name all manifests so that the newest sorts first (V2), as new tables do from the start.
///
/// Manifests that are named by their version (V1) get their new name, newest first. It can be run
/// any number of times. When it stops half-way the newest version is not opened any more, until it
/// was run again on a dataset opened by version. Nobody may write to the table meanwhile.
///
/// \return the same version; Invalid when a version has two different manifests.
/// Source: table-format 1.3
arrow::Result<Dataset> MigrateManifestPathsV2(const Dataset& dataset, const CallOptions& call = {});

}  // namespace lance
