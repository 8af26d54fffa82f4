#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"

namespace lance {

/// A new zonemap. A plain value. Other index types come with a later part.
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

/// Describe the indices, system indices left out.
arrow::Result<std::vector<IndexDescription>> ListIndices(const Dataset& dataset,
                                                         const CallOptions& call = {});

}  // namespace lance
