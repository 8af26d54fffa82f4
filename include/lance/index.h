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

/// The kinds of indices that scans use.
enum class IndexType {
  kZoneMap,      ///< Least and greatest value and nulls of runs of rows.
  kBTree,        ///< All values in order, each with its row.
  kBitmap,       ///< The rows of each value; for columns of few values.
  kLabelList,    ///< The rows of each item of a list column.
  kBloomFilter,  ///< Which values runs of rows may hold. Used, not built.
  kOther,        ///< Any other. Not used, not built.
};

/// A new index. A plain value.
struct CreateIndexRequest {
  /// The column, or a member of structs by its path ("s.a").
  std::string column;
  /// What to build.
  IndexType type = IndexType::kZoneMap;
  /// "": `<column>_idx`, or with `_2`, `_3` ... behind it the first that no index of another kind
  /// or column has.
  std::string name;
  /// Replace an index of that name on that column, of any kind.
  bool replace = true;
  /// Off: an index that covers nothing yet; OptimizeIndices fills it.
  bool train = true;
  /// The fragments to cover; no value: all.
  std::optional<std::vector<uint64_t>> fragment_ids;
  /// Of zonemaps. No value: 8,192.
  std::optional<uint64_t> rows_per_zone;
  /// Of zonemaps: whether writers put the statistics of new rows into their data files. No value:
  /// yes.
  std::optional<bool> use_seeds;
  /// The folder of the index's files, as a UUID; "": a new one.
  std::string uuid;
  /// How to commit.
  CommitOptions commit;
};

/// One independently built part of an index. A plain value.
struct IndexSegmentDescription {
  /// The name of its folder.
  std::string uuid;
  /// Fragments that it says it covers, gone ones included; no value: it does not say.
  std::optional<std::vector<uint64_t>> fragment_ids;
  /// The version that it was built from, or the oldest of those it was merged from.
  uint64_t dataset_version = 0;
  /// The version of its format.
  int32_t index_version = 0;
  /// When it was written, in milliseconds since 1970.
  std::optional<uint64_t> created_at_ms;
  /// Where it is, when not with the table.
  std::optional<uint32_t> base_id;
  /// Bytes of its files, as far as the manifest says.
  uint64_t size_bytes = 0;
};

/// One index of a table. A plain value.
struct IndexDescription {
  /// Its name.
  std::string name;
  /// "ZoneMap", "BTree", ... as its stored type says.
  std::string index_type;
  /// Columns, or paths to members of structs; "#<id>" for a field that has left the schema.
  std::vector<std::string> field_names;
  /// Their field ids.
  std::vector<int32_t> field_ids;
  /// How the manifest names its type.
  std::string type_url;
  /// Independently built parts.
  uint64_t num_segments = 0;
  /// The same, one by one.
  std::vector<IndexSegmentDescription> segments;
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

/// Build an index and commit it.
///
/// \return AlreadyExists when the name is taken and may not be replaced; Invalid when an index of
///   another column has it, or for a column that this kind of index cannot hold; NotImplemented for
///   a kind that is not built; KeyError + NotFound{column, fragment}
/// Source: zonemap-and-indices 5.2
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
  /// How many of the newest segments of an index to merge with what is new; 0: what is new becomes
  /// a segment of its own. Of tables with stable row ids more are merged, those that know rows
  /// that have changed. No value: 1, and all of a zonemap.
  std::optional<uint64_t> num_segments_to_merge;
  /// Build what is there again from the table.
  bool retrain = false;
  /// How to commit.
  CommitOptions commit;
};

/// Let indices answer for fragments that they do not cover yet, in one commit.
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

/// Statistics of one index as a JSON object with the reference's keys: index_type, name,
/// num_segments, segments and more; docs/guide/indices.md. Opens its segments.
///
/// \return KeyError + NotFound{index}
arrow::Result<std::string> IndexStatistics(const Dataset& dataset, const std::string& name,
                                           const CallOptions& call = {});

}  // namespace lance
