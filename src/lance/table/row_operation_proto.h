#pragma once

#include "arrow/result.h"
#include "lance/table/transaction.h"
#include "lance_table.pb.h"

namespace lance::table {

// Operations that change rows, from and to their messages (table-format 2.8). Each parser returns
// SerializationError naming the part and what is wrong.

/// Take over a Delete.
arrow::Result<Delete> ParseDelete(const lance_pb::table::Delete& message);
/// The inverse of ParseDelete.
void WriteDelete(const Delete& deletion, lance_pb::table::Delete* message);

/// Take over an Update; its bitmaps and filters stay as they are stored.
arrow::Result<Update> ParseUpdate(const lance_pb::table::Update& message);
/// The inverse of ParseUpdate.
void WriteUpdate(const Update& update, lance_pb::table::Update* message);

/// Take over a DataReplacement.
arrow::Result<DataReplacement> ParseDataReplacement(
    const lance_pb::table::DataReplacement& message);
/// The inverse of ParseDataReplacement.
void WriteDataReplacement(const DataReplacement& replacement,
                          lance_pb::table::DataReplacement* message);

}  // namespace lance::table
