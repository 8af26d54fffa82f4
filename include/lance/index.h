#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset.h"

namespace lance {

/// A new zonemap, the only type that is built. A plain value.
struct CreateIndexRequest {
  /// The column; one that a zonemap can order.
  std::string column;
  /// "": `<column>_idx`.
  std::string name;
  /// Replace an index of that name.
  bool replace = true;
  /// No value: 8,192.
  std::optional<uint64_t> rows_per_zone;
  /// How to commit.
  CommitOptions commit;
};

/// One index of a table. A plain value.
struct IndexDescription {
  /// Its name.
  std::string name;
  /// "ZoneMap", "BTree", ... as its stored type says.
  std::string index_type;
  /// Columns; "#<id>" for a field that has left the schema.
  std::vector<std::string> field_names;
  /// Independently built parts.
  uint64_t num_segments = 0;
  /// Live rows of fragments that it answers for.
  uint64_t num_rows_indexed = 0;
  /// Live rows of the others.
  uint64_t num_unindexed_rows = 0;
  /// Fragments that it does not answer for.
  uint64_t num_unindexed_fragments = 0;
  /// Bytes of its files, as far as the manifest says.
  uint64_t total_size_bytes = 0;
  /// The clustering definition it was built under; 0: none.
  uint32_t clustering_id = 0;
  /// Whether this version of the library uses it.
  bool usable = false;
};

/// Build a zonemap over all fragments and commit it.
arrow::Result<Dataset> CreateIndex(const Dataset& dataset, const CreateIndexRequest& request,
                                   const CallOptions& call = {});

/// Take an index of any kind off the table; its files stay for older versions.
///
/// \return KeyError + NotFound{index} naming those that are there
arrow::Result<Dataset> DropIndex(const Dataset& dataset, const std::string& name,
                                 const CommitOptions& commit = {}, const CallOptions& call = {});

/// Which indices to bring up to date. A plain value.
struct OptimizeIndicesRequest {
  /// Names; empty: all that this version builds. Of the others the observer is warned.
  std::vector<std::string> index_names;
  /// How to commit.
  CommitOptions commit;
};

/// Let zonemaps answer for fragments that they do not cover yet, each as one segment, in one
/// commit.
///
/// \return the same dataset when all are up to date; KeyError + NotFound{index}; NotImplemented
///   naming an index that was asked for and is of another kind
/// Source: zonemap-and-indices 5.3
arrow::Result<Dataset> OptimizeIndices(const Dataset& dataset,
                                       const OptimizeIndicesRequest& request = {},
                                       const CallOptions& call = {});

/// What the zonemaps of a column say, one row for each zone, by fragment and place.
///
/// \return columns fragment_id, zone_start, zone_length (uint64), min, max (the column's type,
///   null: unknown), null_count, nan_count (uint32); KeyError + NotFound{index} when it has none
arrow::Result<std::shared_ptr<arrow::Table>> LoadZones(const Dataset& dataset,
                                                       const std::string& column,
                                                       const CallOptions& call = {});

/// Describe the indices, system indices left out.
arrow::Result<std::vector<IndexDescription>> ListIndices(const Dataset& dataset,
                                                         const CallOptions& call = {});

}  // namespace lance
