#pragma once

#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"

namespace lance {

/// What to check. A plain value.
struct CheckRequest {
  /// Also read every value of the version, and compare statistics with the values.
  bool deep = false;
};

/// One thing that a check found. A plain value.
struct Finding {
  /// "error": something is wrong; "warning": something is lost or will be; "info".
  std::string severity;
  /// A stable name of the kind of finding.
  std::string code;
  /// What it is about, for example "fragment 3".
  std::string path;
  /// The whole sentence.
  std::string message;
};

/// Check a version in full, and of the others that they can be opened and that their files are
/// there.
///
/// Of the version: its manifest (ids, flags, indices, clustering metadata), its files with their
/// sizes, footers and row counts, deletions and row ids; deep also every value, some MiB at a time.
/// Of the table: names of manifests, the version hint, transactions, tags and branches, and files
/// that no version names. Damage never ends a check; storage that fails and the caller do.
///
/// \return OK also with findings: errors first, then warnings, then what is merely worth knowing.
///   docs/guide/check.md explains each code. Source: table-format 11, contract section 3
arrow::Result<std::vector<Finding>> CheckTable(const Dataset& dataset,
                                               const CheckRequest& request = {},
                                               const CallOptions& call = {});

/// As CheckTable, also when the version cannot be opened: the newest that can be is checked in full
/// then.
///
/// \return also what Dataset::Open returns when that is no damage
arrow::Result<std::vector<Finding>> CheckTableAt(const std::string& uri,
                                                 const OpenOptions& options = {},
                                                 const CheckRequest& request = {},
                                                 const CallOptions& call = {});

/// Take away, in one commit, references to definitions that are not there, and broken definitions
/// of ours with their keys. Ids are not used again.
///
/// \return the same dataset when nothing is broken; Invalid naming what only its own provider can
///   mend. Source: contract section 3
arrow::Result<Dataset> RepairTable(const Dataset& dataset, const CommitOptions& commit = {},
                                   const CallOptions& call = {});

/// Remove, in one commit, the definitions of ours that neither the declaration nor a fragment nor
/// an index segment refers to, with their keys.
///
/// \return the same dataset when there is none. Source: contract section 3
arrow::Result<Dataset> PruneClusteringDefinitions(const Dataset& dataset,
                                                  const CommitOptions& commit = {},
                                                  const CallOptions& call = {});

}  // namespace lance
