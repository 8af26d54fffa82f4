#pragma once

#include <map>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/dataset.h"

namespace lance {

/// Which map an update changes.
enum class MetadataTarget {
  kConfig,  ///< The table's configuration.
  kTable,   ///< The table's free metadata.
};

/// Changes to one map. A plain value.
struct MetadataUpdate {
  /// Which map.
  MetadataTarget target = MetadataTarget::kConfig;
  /// Keys to set; no value: delete the key.
  std::map<std::string, std::optional<std::string>> values;
  /// Make the map exactly these entries.
  bool replace = false;
  /// How to commit.
  CommitOptions commit;
};

/// Change configuration or metadata in one commit.
///
/// Keys `lance.clustering.*` obey the declaration's rules; `lance.liquid-clustering.*` of the
/// table's metadata belong to the library and are refused. Source: contract sections 2 and 3.
arrow::Result<Dataset> UpdateMetadata(const Dataset& dataset, const MetadataUpdate& update,
                                      const CallOptions& call = {});

}  // namespace lance
