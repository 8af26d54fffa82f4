#pragma once

#include <string>
#include <vector>

#include "lance/table/manifest.h"

namespace lance::table {

// Looking after clustering metadata (contract section 3).

/// One thing that is not as it should be. A plain value.
struct ClusteringFinding {
  /// Errors first.
  enum class Severity { kError, kWarning, kInfo };
  Severity severity = Severity::kError;
  std::string code;
  std::string path;
  std::string message;
};

/// Everything that is worth a word, errors first.
std::vector<ClusteringFinding> FindClusteringProblems(const Manifest& manifest);

/// Take away references to definitions that are not there, and broken definitions of ours.
///
/// \return whether anything changed
bool RepairClustering(Manifest* manifest);

/// Remove the definitions of ours that nothing refers to. \return whether there was one
bool PruneDefinitions(Manifest* manifest);

}  // namespace lance::table
