#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/filter.h"

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

/// Which filters to try, and how much of what they skip to read. A plain value.
struct VerifyPruningRequest {
  /// Try this one; no value: generated ones, over the columns that have statistics.
  std::optional<Filter> filter;
  /// How many to generate.
  uint64_t num_generated_filters = 100;
  /// Of the generated filters and of the sample.
  uint64_t seed = 0;
  /// The share of skipped zones that is read, above 0 to 1.
  double sample_fraction = 1.0;
};

/// What reading skipped rows showed. A plain value.
struct VerifyPruningResult {
  /// Filters that were tried.
  uint64_t num_filters = 0;
  /// Zones that they skip in whole or in part, added up.
  uint64_t zones_pruned = 0;
  /// Zones of these that were read.
  uint64_t zones_reread = 0;
  /// Live rows in them.
  uint64_t rows_reread = 0;
  /// Rows that pass a filter and are skipped, one finding for each fragment and filter; must be
  /// empty.
  std::vector<Finding> missed;
};

/// Read what zonemaps and seeds let a scan skip, and look for rows that pass the filter.
///
/// \return OK also when rows are missed; Invalid for a wrong request or filter
arrow::Result<VerifyPruningResult> VerifyPruning(const Dataset& dataset,
                                                 const VerifyPruningRequest& request = {},
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
