#pragma once

#include <vector>

#include "google/protobuf/repeated_field.h"
#include "lance/table/mem_wal.h"
#include "lance_table.pb.h"

namespace lance::table {

/// Take over records of compacted shards.
std::vector<ShardGeneration> ShardsOf(
    const google::protobuf::RepeatedPtrField<lance_pb::table::CompactedSsTable>& messages);

}  // namespace lance::table
