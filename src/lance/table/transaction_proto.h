#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// Check and take over a serialized transaction (table-format 2.8).
///
/// An operation that this version does not write becomes a ForeignOperation with what the conflict
/// rules ask of it; a number that nobody assigned is named "unknown" and is no error.
///
/// \return SerializationError naming the part and what is wrong
arrow::Result<Transaction> ParseTransaction(std::string_view bytes);

/// The inverse of ParseTransaction. Equal transactions give equal bytes.
arrow::Result<std::string> SerializeTransaction(const Transaction& transaction);

}  // namespace lance::table
