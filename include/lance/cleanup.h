#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/session.h"

namespace lance {

class Dataset;

/// Which versions to remove: those that meet every condition that is given. A plain value.
///
/// The newest version stays whatever is asked, and so do the dataset's own, newer ones, tagged ones
/// and those that a branch began at and still needs.
struct CleanupRequest {
  /// Versions that were committed longer ago; no condition at all: two weeks.
  std::optional<std::chrono::microseconds> older_than;
  /// Versions before the newest so many; 1 or more.
  std::optional<uint64_t> retain_versions;
  /// Versions with one of these numbers; empty: with any.
  std::vector<uint64_t> versions;
  /// Also files that no version ever named and that are younger than seven days: what a writer at
  /// work has not committed yet is among them. Only when nobody else writes.
  bool delete_unverified = false;
  /// Fail when a version to remove is tagged; else it stays.
  bool error_if_tagged_old_versions = true;
  /// Say what would be removed, and remove nothing.
  bool dry_run = false;
  /// Most deletions in a second; no value: no bound.
  std::optional<uint64_t> max_deletes_per_second;
};

/// A file that a cleanup removes. A plain value.
struct CleanupFile {
  /// Relative to the table.
  std::string path;
  /// "data", "deletion", "index", "transaction", "manifest" or "temporary_manifest".
  std::string kind;
  /// No version ever named it.
  bool unverified = false;
  /// Its size.
  uint64_t size_bytes = 0;
};

/// A branch that still needs files of the version that it began at. A plain value.
struct CleanupBranch {
  /// Its name.
  std::string name;
  /// The version that therefore stays.
  uint64_t referenced_version = 0;
};

/// What a cleanup did, or would do. A plain value. Fields: docs/guide/json.md.
struct CleanupResult {
  /// Bytes of all files, manifests included.
  uint64_t bytes_removed = 0;
  /// Versions.
  uint64_t old_versions = 0;
  /// Data files, and blobs beside them.
  uint64_t data_files_removed = 0;
  /// Transaction files.
  uint64_t transaction_files_removed = 0;
  /// Files of indices.
  uint64_t index_files_removed = 0;
  /// Deletion files.
  uint64_t deletion_files_removed = 0;
  /// Files that could not be deleted; the next cleanup finds them.
  uint64_t failed_deletes = 0;
  /// Whether nothing was deleted because that was asked.
  bool dry_run = false;
  /// The files.
  std::vector<CleanupFile> files;
  /// The version of the dataset that was cleaned up from.
  uint64_t read_version = 0;
  /// Branches whose beginning stays.
  std::vector<CleanupBranch> referenced_branches;
};

/// Remove old versions, and the files that no version needs any more.
///
/// Files of a version go after its manifest, so that a version that opens has its files whatever
/// stops this call; it can be run again at any time, and beside writers. A shallow clone elsewhere
/// is not known here: cleaning up its source breaks it.
///
/// \return Invalid naming the tags when a version to remove is tagged; NotImplemented +
///   UnsupportedFeature when a version of the table or of a branch uses what this version does not
///   know; an error naming the manifest that cannot be read. Files that could not be deleted are
///   counted
/// Source: table-format 10.6
arrow::Result<CleanupResult> CleanupOldVersions(const Dataset& dataset,
                                                const CleanupRequest& request = {},
                                                const CallOptions& call = {});

/// Read an age as text: whole numbers with units, as 14days, 7d or 2h 30m.
///
/// \return Invalid saying what is wrong
arrow::Result<std::chrono::microseconds> ParseDuration(const std::string& text);

}  // namespace lance
