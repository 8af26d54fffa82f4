#pragma once

#include "arrow/status.h"
#include "lance/table/manifest.h"
#include "lance/table/row_sequence.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// Give the fragments of a new version their row ids, and the versions in which their rows were
/// created and last changed (table-format 5.4, 8.5). Tables without stable row ids stay as they
/// are.
///
/// * Rows that an operation adds get ids from `next_row_id` and the new version. New fragments of
///   an Update may come with the ids of the rows that moved, which are the first ones, and with the
///   versions in which these were created; a version that is missing is 1.
/// * Rows that a Rewrite moves come with all three.
/// * Rows whose columns get other files in place are changed by this version.
///
/// \param newest the manifest that `next` follows
/// \return Invalid when a new fragment's sequences do not fit its rows or a Rewrite lacks them;
///   CapacityError when ids are exhausted
arrow::Status KeepRowLineage(const Manifest& newest, const Operation& operation, Manifest* next);

/// A sequence as fragments store it.
StoredSequence StoreInline(const RowIdSequence& ids);
StoredSequence StoreInline(const VersionSequence& versions);

}  // namespace lance::table
