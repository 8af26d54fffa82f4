#pragma once

#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"

namespace lance {

/// What to check. A plain value.
struct CheckRequest {};

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

/// Check the clustering metadata of a version: definitions, stamps, declaration.
///
/// \return OK also with findings. Source: contract section 3
arrow::Result<std::vector<Finding>> CheckTable(const Dataset& dataset,
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
