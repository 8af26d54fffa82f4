#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "arrow/result.h"
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

}  // namespace lance
