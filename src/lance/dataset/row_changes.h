#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/scan.h"

namespace lance {

/// The rows of a version that one operation deletes. Thread-compatible.
class RowDeletions {
 public:
  /// Delete a row that the version has.
  void Add(uint64_t address);
  /// Delete rows by their addresses, an array of uint64 without nulls.
  void AddAll(const arrow::Array& addresses);
  /// Delete a row that is written again, as the next one that is.
  void Move(uint64_t address);
  /// Move rows by their addresses, an array of uint64 without nulls.
  void MoveAll(const arrow::Array& addresses);

  bool empty() const { return num_rows_ == 0; }
  /// Rows that were added, each of which must be added once.
  uint64_t num_rows() const { return num_rows_; }
  /// The addresses of the rows that are written again, in the order of Move.
  const std::vector<uint64_t>& moved() const { return moved_; }
  /// Deleted offsets by fragment id, without what was deleted before.
  const std::map<uint64_t, RoaringBitmap>& by_fragment() const { return by_fragment_; }

 private:
  std::map<uint64_t, RoaringBitmap> by_fragment_;
  std::vector<uint64_t> moved_;
  uint64_t num_rows_ = 0;
};

/// What deletions make of the fragments of a version: files are written, nothing is committed.
///
/// Files are deleted again unless Keep or KeepNamed was called.
class DeletedFragments {
 public:
  /// Write deletion files that hold what is deleted already and `deletions`.
  static arrow::Result<DeletedFragments> Write(const Dataset::Impl& dataset,
                                               const RowDeletions& deletions,
                                               const RunContext& run);
  DeletedFragments(DeletedFragments&&) = default;
  DeletedFragments& operator=(DeletedFragments&&) = default;
  ~DeletedFragments();

  /// Fragments with their new deletion files.
  const std::vector<table::Fragment>& updated() const { return updated_; }
  /// Ids of fragments that have no row left.
  const std::vector<uint64_t>& removed() const { return removed_; }
  void Keep() { store_.reset(); }
  /// Keep the files that the version names that holds the change: a commit that was rebased has
  /// written others in their place (table-format 4.7).
  void KeepNamed(const table::Manifest& landed);

 private:
  DeletedFragments() = default;

  std::shared_ptr<ObjectStore> store_;
  std::vector<table::Fragment> updated_;
  std::vector<uint64_t> removed_;
};

/// How data files of changed rows are written: as an append does, but in the order given.
arrow::Result<FragmentWriterOptions> ChangedRowsOptions(const Dataset::Impl& dataset);

/// Check that this version may write to the table at all.
arrow::Status CheckChangeable(const Dataset::Impl& dataset);

/// Read rows with the address of each in a last column `_rowaddr`, blobs as payloads.
arrow::Status VisitRows(const Dataset& dataset, std::vector<std::string> columns,
                        const std::optional<Filter>& filter, const CallOptions& call,
                        const std::function<arrow::Status(const arrow::RecordBatch&)>& visit);

/// Write the deletion files of an Update that moves rows, or only adds and removes some, and make
/// its commit. Commits nothing; its files stay.
///
/// \param new_fragments are deleted again when that fails
/// \param changed_fields ids of the fields whose values changed
arrow::Result<table::CommitRequest> MakeChangedRowsCommit(
    const Dataset& dataset, const RowDeletions& deletions,
    std::vector<table::Fragment> new_fragments, std::vector<int32_t> changed_fields,
    const CommitOptions& options, const RunContext& run);

/// Commit an Update that moves rows, or only adds and removes some.
///
/// New files are deleted again when it certainly did not land. Rows that moved keep their stable
/// ids.
///
/// \param new_fragments the moved rows in their order, then those that are new
/// \param changed_fields ids of the fields whose values changed
arrow::Result<Dataset> CommitChangedRows(const Dataset& dataset, const RowDeletions& deletions,
                                         std::vector<table::Fragment> new_fragments,
                                         std::vector<int32_t> changed_fields,
                                         const CommitOptions& options, const RunContext& run);

/// Commit a Delete.
arrow::Result<Dataset> CommitDelete(const Dataset& dataset, const RowDeletions& deletions,
                                    std::string predicate, const CommitOptions& options,
                                    const RunContext& run);

/// Run an operation on a version and, when its commit met another in a way that can be retried,
/// again on the newest one (table-format 4.1: at most 10 times, 30 s).
template <typename Result>
arrow::Result<Result> RetryOnNewest(
    const Dataset& dataset, const CommitOptions& options, const CallOptions& call,
    const std::function<arrow::Result<Result>(const Dataset&)>& run);

/// Decides whether and when an operation runs again. Thread-compatible.
class OperationRetry {
 public:
  OperationRetry(const Dataset& dataset, const CommitOptions& options, const CallOptions& call);
  ~OperationRetry();

  /// After a failure: wait, and give the version to try again on.
  ///
  /// \return the failure when it is final, or the limits are reached
  arrow::Result<Dataset> Again(const arrow::Status& failure);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

template <typename Result>
arrow::Result<Result> RetryOnNewest(
    const Dataset& dataset, const CommitOptions& options, const CallOptions& call,
    const std::function<arrow::Result<Result>(const Dataset&)>& run) {
  OperationRetry retry(dataset, options, call);
  auto result = run(dataset);
  while (!result.ok()) {
    ARROW_ASSIGN_OR_RAISE(const Dataset newest, retry.Again(result.status()));
    result = run(newest);
  }
  return result;
}

}  // namespace lance
