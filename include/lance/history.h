#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/clone.h"
#include "lance/dataset.h"

namespace lance {

/// One version of a table. A plain value.
struct VersionInfo {
  /// Its number.
  uint64_t version = 0;
  /// When it was committed.
  Timestamp timestamp;
  /// Counts for people: total_fragments, total_data_files, total_rows.
  std::map<std::string, std::string> metadata;
};

/// List the versions that are there, ascending.
arrow::Result<std::vector<VersionInfo>> ListVersions(const Dataset& dataset,
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
