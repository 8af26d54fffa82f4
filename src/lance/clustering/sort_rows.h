#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/clustering.h"
#include "lance/encoder.h"

namespace lance::clustering {

/// Rows in curve order. A plain value.
struct SortedRows {
  std::shared_ptr<arrow::Table> table;
  std::vector<uint64_t> permutation;  // row i of `table` was row permutation[i] of the input
};

/// Sort the rows of a table that fits in memory along a space-filling curve.
///
/// Samples the keys, fits the rank model, keys and sorts the rows, gathers all columns. The result
/// depends neither on how the table is chunked nor on the number of threads; how the result is
/// chunked means nothing. Rows with equal curve keys keep their order.
///
/// \param key_columns names in the table's schema, in key order
/// \param spec curve, bits_per_dim and algorithm; its columns and version are not looked at
/// \param positions UInt64, one per row: row addresses of a rewrite, ordinals of a write
/// \return KeyError naming a column that is missing or ambiguous; Invalid when a type, the bits or
///   the positions are refused; CapacityError when a value is too wide to sample
///
/// Holds about the input, the output and 40 bytes a row. Warns "small_clustering_sample" when
/// values are so wide that fewer than 1,024 of them are kept. Source: contract section 4.
arrow::Result<SortedRows> ClusterSort(const arrow::Table& table,
                                      const std::vector<std::string>& key_columns,
                                      const ClusteringSpec& spec,
                                      const arrow::ChunkedArray& positions,
                                      const RunContext& context);

/// Fit a rank model to all rows of a table of key columns. As ClusterSort.
arrow::Result<RankModel> FitRankModel(const arrow::Table& keys, ClusteringAlgorithm algorithm,
                                      const arrow::ChunkedArray& positions,
                                      const RunContext& context);

/// The curve keys of all rows of a table of key columns: FixedSizeBinary, never null.
arrow::Result<std::shared_ptr<arrow::ChunkedArray>> EncodeKeys(const SpaceFillingEncoder& encoder,
                                                               const arrow::Table& keys,
                                                               const RunContext& context);

/// Positions first, first + 1 and so on, as ClusterSort takes them.
arrow::Result<std::shared_ptr<arrow::ChunkedArray>> ConsecutivePositions(uint64_t first,
                                                                         int64_t num_rows);

/// Rows `order` of every column. A column may hold more bytes than the offsets of one array reach.
arrow::Result<std::shared_ptr<arrow::Table>> GatherRows(const arrow::Table& table,
                                                        const std::vector<uint64_t>& order,
                                                        const RunContext& context);

}  // namespace lance::clustering
