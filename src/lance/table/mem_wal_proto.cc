#include "lance/table/mem_wal_proto.h"

#include "lance/table/wire_proto.h"

namespace lance::table {

namespace pb = lance_pb::table;

std::vector<ShardGeneration> ShardsOf(
    const google::protobuf::RepeatedPtrField<pb::CompactedSsTable>& messages) {
  std::vector<ShardGeneration> shards;
  for (const auto& message : messages) {
    shards.push_back({.shard_id = message.shard_id().uuid(), .generation = message.generation()});
  }
  return shards;
}

arrow::Result<std::vector<ShardGeneration>> CompactedShards(const Operation& operation) {
  if (const auto* foreign = std::get_if<ForeignOperation>(&operation)) return foreign->shards;
  std::vector<ShardGeneration> shards;
  const auto* update = std::get_if<Update>(&operation);
  if (update == nullptr) return shards;
  for (const std::string& bytes : update->compacted_sstables) {
    pb::CompactedSsTable message;
    ARROW_RETURN_NOT_OK(ParseMessage(bytes, "Update.compacted_sstables", &message));
    shards.push_back({.shard_id = message.shard_id().uuid(), .generation = message.generation()});
  }
  return shards;
}

arrow::Result<std::vector<ShardGeneration>> CompactedShards(const IndexMetadata& index) {
  pb::MemWalIndexDetails message;
  ARROW_RETURN_NOT_OK(ParseMessage(index.details_value, "MemWalIndexDetails", &message));
  return ShardsOf(message.compacted_sstables());
}

}  // namespace lance::table
