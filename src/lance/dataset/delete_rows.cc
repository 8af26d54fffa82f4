#include <utility>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/row_changes.h"
#include "lance/mutate.h"

namespace lance {

namespace {

arrow::Result<RowDeletions> FindRows(const Dataset& dataset, const Filter& filter,
                                     const CallOptions& call, ProgressReporter* progress) {
  RowDeletions deletions;
  ARROW_RETURN_NOT_OK(VisitRows(dataset, {}, filter, call, [&](const arrow::RecordBatch& batch) {
    deletions.AddAll(*batch.column(0));
    progress->Update(deletions.num_rows());
    return arrow::Status::OK();
  }));
  return deletions;
}

arrow::Result<DeleteResult> DeleteOnce(const Dataset& dataset, const Filter& filter,
                                       const CommitOptions& commit, const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  ARROW_RETURN_NOT_OK(CheckChangeable(dataset.impl()));
  ProgressReporter progress(run, "delete", "rows");
  progress.Stage("find");
  ARROW_ASSIGN_OR_RAISE(const RowDeletions deletions, FindRows(dataset, filter, call, &progress));
  if (deletions.empty()) return DeleteResult{.dataset = dataset};
  progress.Stage("commit");
  ARROW_ASSIGN_OR_RAISE(Dataset committed,
                        CommitDelete(dataset, deletions, filter.sql(), commit, run));
  return DeleteResult{std::move(committed), deletions.num_rows()};
}

/// All fragments go; what was appended meanwhile stays.
arrow::Result<Dataset> TruncateOnce(const Dataset& dataset, const CommitOptions& options,
                                    const RunContext& run) {
  const Dataset::Impl& impl = dataset.impl();
  ARROW_RETURN_NOT_OK(CheckChangeable(impl));
  if (impl.manifest().fragments.empty()) return dataset;
  table::Delete operation{.predicate = "true"};
  for (const table::Fragment& fragment : impl.manifest().fragments) {
    operation.deleted_fragment_ids.push_back(fragment.id);
  }
  table::CommitRequest commit;
  commit.transaction = MakeTransaction(dataset.version(), std::move(operation), options, run);
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  return impl.Commit(std::move(commit), run);
}

}  // namespace

arrow::Result<DeleteResult> Delete(const Dataset& dataset, const Filter& filter,
                                   const CommitOptions& commit, const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  return RetryOnNewest<DeleteResult>(dataset, commit, call, [&](const Dataset& version) {
    return DeleteOnce(version, filter, commit, call);
  });
}

arrow::Result<Dataset> Truncate(const Dataset& dataset, const CommitOptions& commit,
                                const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  return RetryOnNewest<Dataset>(dataset, commit, call, [&](const Dataset& version) {
    return TruncateOnce(version, commit, version.impl().Run(call));
  });
}

arrow::Result<std::optional<FragmentMetadata>> DeleteFromFragment(const Dataset& dataset,
                                                                  uint64_t id, const Filter& filter,
                                                                  const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const RunContext run = dataset.impl().Run(call);
  ARROW_RETURN_NOT_OK(CheckChangeable(dataset.impl()));
  ARROW_ASSIGN_OR_RAISE(const Dataset alone, dataset.impl().OnlyFragment(id));
  ProgressReporter progress(run, "delete", "rows");
  ARROW_ASSIGN_OR_RAISE(const RowDeletions deletions, FindRows(alone, filter, call, &progress));
  if (deletions.empty()) return alone.fragments().front();
  ARROW_ASSIGN_OR_RAISE(auto written, DeletedFragments::Write(alone.impl(), deletions, run));
  written.Keep();
  if (written.updated().empty()) return std::nullopt;
  return MakeFragmentMetadata(written.updated().front());
}

}  // namespace lance
