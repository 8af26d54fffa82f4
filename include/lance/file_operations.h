#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/object_store.h"
#include "lance/transaction.h"

namespace lance {

// Transactions about files that were written by hand: columns of fragments, segments of indices.
// They stand and are refused as those of transaction.h.

/// A data file that replaces columns of one fragment. A plain value.
struct DataReplacementGroup {
  /// The fragment.
  uint64_t fragment_id = 0;
  /// Holds one row for each physical row of the fragment, deleted ones included.
  DataFileInfo new_file;
};
/// Replace whole columns of some fragments, or give them values when they had none.
struct DataReplacementOperation {
  /// Each fragment at most once, each file with the same fields.
  std::vector<DataReplacementGroup> replacements;
};
/// Make a DataReplacement. Source: table-format 5.12.
arrow::Result<Transaction> MakeDataReplacementTransaction(
    const Dataset& dataset, const DataReplacementOperation& operation);

/// Describe a data file below the table's data folder: what a DataReplacement says of it.
///
/// \param path its name
/// \return KeyError + NotFound{column} for a column that the table does not have; NotFound when the
///   file is not there; SerializationError when it is no data file
arrow::Result<DataFileInfo> DescribeDataFile(const Dataset& dataset, const std::string& path,
                                             std::optional<uint32_t> base_id = {},
                                             const CallOptions& call = {});

/// One file of an index segment. A plain value.
struct IndexFileInfo {
  /// Its name below the folder of the segment.
  std::string path;
  /// Its size.
  uint64_t size_bytes = 0;
};
/// One segment of an index as a version describes it. A plain value. Source: table-format 2.5.
struct IndexSegmentInfo {
  /// Its identity, and the name of its folder below `_indices`.
  std::string uuid;
  /// The index that it belongs to.
  std::string name;
  /// Ids of the fields that it answers for.
  std::vector<int32_t> field_ids;
  /// The version that it was built on.
  uint64_t dataset_version = 0;
  /// The fragments that it covers; no value: unknown.
  std::optional<std::vector<uint32_t>> fragment_ids;
  /// The version of its format.
  std::optional<int32_t> index_version;
  /// When it was built.
  std::optional<Timestamp> created_at;
  /// The base path that it is below; no value: the table itself.
  std::optional<uint32_t> base_id;
  /// Its files, as far as they are known.
  std::vector<IndexFileInfo> files;
  /// What kind it is: the type of `details_value`; "": not said.
  std::string details_type_url;
  /// How it was built, serialized.
  std::string details_value;
  /// Ids of fields whose values it holds besides.
  std::vector<int32_t> covering_field_ids;
};
/// The index segments of a version, system indices included.
arrow::Result<std::vector<IndexSegmentInfo>> IndexSegments(const Dataset& dataset);

/// Add and remove segments of indices, whose files are written already.
struct CreateIndexOperation {
  /// Those that come.
  std::vector<IndexSegmentInfo> new_indices;
  /// Those that go; of them only the uuid counts.
  std::vector<IndexSegmentInfo> removed_indices;
};
/// Make a CreateIndex. \return Invalid for a uuid or a fragment id that is none
arrow::Result<Transaction> MakeCreateIndexTransaction(const Dataset& dataset,
                                                      const CreateIndexOperation& operation);

}  // namespace lance
