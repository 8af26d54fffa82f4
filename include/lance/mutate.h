#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/filter.h"
#include "lance/fragment.h"
#include "lance/transaction.h"
#include "lance/write.h"

namespace lance {

// Changes of rows. Each reads, writes new files and commits once. When another commit meets it in a
// way that can be retried, the whole operation runs again on the newest version, as often and as
// long as the commit options allow. An operation that changes nothing makes no version.

/// What a delete did.
struct DeleteResult {
  /// The version that holds the change.
  Dataset dataset;
  /// Rows that are gone.
  uint64_t num_deleted_rows = 0;
};

/// Delete the rows for which a filter is TRUE.
///
/// Data files stay as they are: fragments get deletion files, and a fragment without rows leaves
/// the table. Source: table-format 5.3.
arrow::Result<DeleteResult> Delete(const Dataset& dataset, const Filter& filter,
                                   const CommitOptions& commit = {}, const CallOptions& call = {});

/// Delete all rows; the schema stays.
arrow::Result<Dataset> Truncate(const Dataset& dataset, const CommitOptions& commit = {},
                                const CallOptions& call = {});

/// Delete rows of one fragment without committing: for a transaction of one's own.
///
/// \return the fragment with its new deletion file, unchanged when nothing matches; no value when
///   no row is left of it; KeyError + NotFound{fragment} for an unknown id
arrow::Result<std::optional<FragmentMetadata>> DeleteFromFragment(const Dataset& dataset,
                                                                  uint64_t id, const Filter& filter,
                                                                  const CallOptions& call = {});

/// What to change in which rows. A plain value.
struct UpdateRequest {
  /// Column to SQL expression over the row before the update, whatever else is set. Values are
  /// converted to the column's type as by CAST.
  std::map<std::string, std::string> updates;
  /// The rows to change; no value: all.
  std::optional<Filter> where;
  /// How to commit.
  CommitOptions commit;
};

/// What an update did.
struct UpdateResult {
  /// The version that holds the change.
  Dataset dataset;
  /// Rows that the filter found; they count also where the new value equals the old.
  uint64_t num_rows_updated = 0;
};

/// Change rows: they are deleted where they are and written again into new fragments, in the order
/// of the table and without a clustering stamp. Source: table-format 5.4, contract section 3.
arrow::Result<UpdateResult> Update(const Dataset& dataset, const UpdateRequest& request,
                                   const CallOptions& call = {});

/// What a merge did.
struct MergeInsertResult {
  /// The version that holds the change.
  Dataset dataset;
  /// Source rows without a match that were inserted.
  uint64_t num_inserted_rows = 0;
  /// Table rows that took the values of a source row.
  uint64_t num_updated_rows = 0;
  /// Table rows that were deleted and not written again.
  uint64_t num_deleted_rows = 0;
};

/// What a merge that is not committed yet will do. A plain value.
struct MergeInsertCounts {
  /// As MergeInsertResult has them.
  uint64_t num_inserted_rows = 0;
  /// As MergeInsertResult has them.
  uint64_t num_updated_rows = 0;
  /// As MergeInsertResult has them.
  uint64_t num_deleted_rows = 0;
};

/// The counts of a transaction from MergeInsertBuilder::ExecuteUncommitted; null for others.
const MergeInsertCounts* merge_insert_counts(const Transaction& transaction);

/// Merges source rows into a table by equality of key columns.
///
/// Keys are equal when all of their columns are: text by its bytes, floats by their bits, lists and
/// structs member by member; a null key is equal to nothing. Rows that an update writes again come
/// first in the new fragments, in the order of the table, then the inserted ones, in the order of
/// the source. Source columns that are missing keep their values in updates and are null in
/// inserts. Thread-compatible. Names are pylance's. Source: table-format 5.4.
class MergeInsertBuilder {
 public:
  /// Match by the columns `on`, at least one.
  MergeInsertBuilder(Dataset dataset, std::vector<std::string> on);

  /// How to commit.
  MergeInsertBuilder& WithCommitOptions(CommitOptions options);
  /// Write matched rows again with the values of the source; with a condition, SQL over `source.x`
  /// and `target.x`, only the pairs for which it is TRUE.
  MergeInsertBuilder& WhenMatchedUpdateAll(std::optional<std::string> condition = {});
  /// Delete matched rows.
  MergeInsertBuilder& WhenMatchedDelete();
  /// Fail when a row matches.
  MergeInsertBuilder& WhenMatchedFail();
  /// Insert source rows that match nothing.
  MergeInsertBuilder& WhenNotMatchedInsertAll();
  /// Delete table rows that match no source row; with a condition over the table's columns, only
  /// those for which it is TRUE.
  MergeInsertBuilder& WhenNotMatchedBySourceDelete(std::optional<Filter> condition = {});

  /// Merge and commit.
  ///
  /// The source's rows are held in memory within the session's budget.
  ///
  /// \return Invalid without any clause, for unknown or missing key columns, for a source row more
  ///   that would change the same table row, and for a match with WhenMatchedFail; CapacityError +
  ///   OverBudget for a source beyond the budget
  arrow::Result<MergeInsertResult> Execute(BatchSource source, const CallOptions& call = {}) const;

  /// Merge, but commit nothing: the transaction knows which rows it changes, so that its commit can
  /// pass changes of other rows. Its files stay when nobody commits it.
  ///
  /// \return as Execute
  arrow::Result<Transaction> ExecuteUncommitted(BatchSource source,
                                                const CallOptions& call = {}) const;

 private:
  enum class WhenMatched { kKeep, kUpdate, kDelete, kFail };

  friend struct MergeRequest;

  Dataset dataset_;
  std::vector<std::string> on_;
  CommitOptions commit_;
  WhenMatched when_matched_ = WhenMatched::kKeep;
  std::optional<std::string> update_condition_;
  bool inserts_ = false;
  bool deletes_unmatched_ = false;
  std::optional<Filter> delete_condition_;
};

}  // namespace lance
