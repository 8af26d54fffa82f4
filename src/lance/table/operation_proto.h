#pragma once

#include "arrow/result.h"
#include "lance/table/transaction.h"
#include "lance_table.pb.h"

namespace lance::table {

// Operations that this version writes, from and to their messages. Each parser returns
// SerializationError naming the part and what is wrong.

/// Take over an Append.
arrow::Result<Append> ParseAppend(const lance_pb::table::Append& message);
/// Take over an Overwrite.
arrow::Result<Overwrite> ParseOverwrite(const lance_pb::table::Overwrite& message);
/// Take over an UpdateConfig, also one in the old style, which becomes equivalent new maps.
arrow::Result<UpdateConfig> ParseUpdateConfig(const lance_pb::table::UpdateConfig& message);
/// Take over a Rewrite; the deprecated fragment lists become one group.
arrow::Result<Rewrite> ParseRewrite(const lance_pb::table::Rewrite& message);
/// Take over a CreateIndex.
arrow::Result<CreateIndex> ParseCreateIndex(const lance_pb::table::CreateIndex& message);
/// Take over an operation of another writer with what the conflict rules ask of it.
///
/// \param field_number its number in the Transaction message, 100 to 199
arrow::Result<ForeignOperation> ParseForeignOperation(uint32_t field_number, std::string bytes);

/// Set the operation of a transaction's message.
void WriteOperation(const Operation& operation, lance_pb::table::Transaction* message);

}  // namespace lance::table
