#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/index_coverage.h"
#include "lance/dataset/rewrite_commit.h"
#include "lance/index/scalar_index.h"
#include "lance/table/row_moves.h"
#include "lance/table/transaction.h"

namespace lance {

/// What a rewrite does to indices: segments that it puts in the place of old ones, or the entry
/// that records where the rows went. No version refers to them yet.
///
/// Files are deleted again unless a commit landed with them, or may have. Thread-compatible.
class RewrittenIndices {
 public:
  explicit RewrittenIndices(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}
  RewrittenIndices(const RewrittenIndices&) = delete;
  RewrittenIndices& operator=(const RewrittenIndices&) = delete;
  ~RewrittenIndices();

  /// Let indices follow: by writing every segment that covers a source again
  /// (zonemap-and-indices 10.2, 7), or, when the rewrite defers that, by a record.
  ///
  /// A segment that covers only a part of a group, or that cannot be read, is left out with a
  /// warning: the new fragments are then not covered by it.
  ///
  /// \param latest the version whose segments count
  /// \param first_id of the new fragments
  /// \return a failure of the storage, out of memory, cancelled
  arrow::Status Write(const Dataset::Impl& latest, const RewriteCommit& job,
                      const std::vector<ExecutedRewrite>& rewrites, uint64_t first_id,
                      const RunContext& run);

  /// Put them into the transaction.
  void AddTo(table::Rewrite* rewrite) const;

  /// Files of what a version names stay, those of the others go.
  void KeepThoseOf(const table::Manifest& landed);
  /// All files stay: nobody knows whether the commit landed.
  void KeepAll();

 private:
  arrow::Status Record(const Dataset::Impl& latest, const std::vector<ExecutedRewrite>& rewrites,
                       const std::vector<table::MovedGroup>& groups, const RunContext& run);
  arrow::Status Remap(const Dataset::Impl& latest, const table::RowMoves& moves,
                      const IndexCoverage& coverage, const RunContext& run);
  arrow::Status RemapOne(const Dataset::Impl& latest, const table::IndexMetadata& segment,
                         const index::RowMapping& mapping, const RunContext& run);

  std::shared_ptr<ObjectStore> store_;
  std::vector<table::RewrittenIndex> segments_;
  std::optional<table::ReuseEntry> record_;
};

/// Note the indices that do not answer for new fragments, by the version that holds them.
///
/// \param new_ids of the fragments
void NoteUncovered(const table::Manifest& manifest, const RewriteCommit& job,
                   const RoaringBitmap& new_ids, CompactionResult* result);

}  // namespace lance
