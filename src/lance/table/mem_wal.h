#pragma once

#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// The index entry that holds its state.
inline constexpr std::string_view kMemWalIndex = "__lance_mem_wal";

// The memory WAL is carried along, not used: only the conflict rules look into its state.

/// The shards whose compaction an operation records: of an Update or an UpdateMemWalState.
///
/// \return SerializationError when an Update's records are corrupt
arrow::Result<std::vector<ShardGeneration>> CompactedShards(const Operation& operation);

/// The shards that an entry `__lance_mem_wal` of the index section records (table-format 2.5).
///
/// \return SerializationError when its details are corrupt
arrow::Result<std::vector<ShardGeneration>> CompactedShards(const IndexMetadata& index);

}  // namespace lance::table
