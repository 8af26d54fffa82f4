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
  kSchema,  ///< The schema's metadata.
  kField,   ///< The metadata of one column.
};

/// Changes to one map. A plain value.
struct MetadataUpdate {
  /// Which map.
  MetadataTarget target = MetadataTarget::kConfig;
  /// For kField: the column's name or the path of a member.
  std::string column;
  /// Keys to set; no value: delete the key.
  std::map<std::string, std::optional<std::string>> values;
  /// For kField, in place of column and values: the entries of several columns, by name or path.
  std::map<std::string, std::map<std::string, std::optional<std::string>>> columns;
  /// Make the map exactly these entries.
  bool replace = false;
  /// How to commit.
  CommitOptions commit;
};

/// Change configuration or metadata in one commit.
///
/// Keys `lance.clustering.*` obey the declaration's rules; `lance.liquid-clustering.*` of the
/// table's metadata belong to the library and are refused. An update that changes nothing makes no
/// version.
///
/// \return KeyError + NotFound{column} for an unknown column; Invalid for a key that is refused
/// Source: table-format 5.11, contract sections 2 and 3.
arrow::Result<Dataset> UpdateMetadata(const Dataset& dataset, const MetadataUpdate& update,
                                      const CallOptions& call = {});

/// The entries of one of the maps. \param column for kField: the column's name or path
arrow::Result<std::map<std::string, std::string>> ReadMetadata(const Dataset& dataset,
                                                               MetadataTarget target,
                                                               const std::string& column = "");

}  // namespace lance
