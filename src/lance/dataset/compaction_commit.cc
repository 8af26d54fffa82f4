#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/compaction_impl.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/row_changes.h"

namespace lance {

namespace {

ExecutedRewrite MakeExecuted(const RewriteResult::Impl& result, size_t place) {
  ExecutedRewrite rewrite{.name = "compaction result " + std::to_string(place),
                          .sources = &result.sources,
                          .outputs = &result.outputs,
                          .rows_out = result.rows_out,
                          .bytes_read = result.bytes_read};
  for (const table::Fragment& source : result.sources) {
    rewrite.files_removed += source.files.size() + (source.deletion_file ? 1 : 0);
    for (const table::DataFile& file : source.files) rewrite.source_bytes += file.size_bytes;
  }
  for (const table::Fragment& output : result.outputs) {
    for (const table::DataFile& file : output.files) rewrite.bytes_written += file.size_bytes;
  }
  return rewrite;
}

/// All results read one version, and no fragment is replaced twice.
arrow::Status CheckTogether(const std::vector<RewriteResult>& results) {
  if (results.empty()) {
    return arrow::Status::Invalid("no results to commit; execute at least one task of the plan");
  }
  std::set<uint64_t> sources;
  for (const RewriteResult& result : results) {
    if (result.read_version() != results.front().read_version()) {
      return arrow::Status::Invalid("results of versions ", results.front().read_version(), " and ",
                                    result.read_version(),
                                    " cannot be committed together; allowed: those of one plan");
    }
    if (result.defers_index_remap() != results.front().defers_index_remap()) {
      return arrow::Status::Invalid(
          "results with and without defer_index_remap cannot be committed together");
    }
    for (const table::Fragment& source : result.impl().sources) {
      if (sources.insert(source.id).second) continue;
      return arrow::Status::Invalid("fragment ", source.id, " is replaced by two results");
    }
  }
  return arrow::Status::OK();
}

arrow::Result<CompactionResult> CommitTogether(const Dataset& dataset,
                                               const std::vector<RewriteResult>& results,
                                               const CommitOptions& commit, bool owns_outputs,
                                               const RunContext& run) {
  CompactionResult result{.dataset = dataset};
  result.mode = ToString(results.front().impl().mode);
  std::vector<ExecutedRewrite> rewrites;
  for (const RewriteResult& one : results) {
    rewrites.push_back(MakeExecuted(one.impl(), rewrites.size()));
  }
  ARROW_ASSIGN_OR_RAISE(result.dataset,
                        CommitRewrites(dataset,
                                       {.read_version = results.front().read_version(),
                                        .options = commit,
                                        .defers_index_remap = results.front().defers_index_remap(),
                                        .owns_outputs = owns_outputs},
                                       std::move(rewrites), run, &result));
  result.version = result.versions.back();
  return result;
}

/// Execute all tasks; when one fails, the files of the others are deleted again.
arrow::Result<std::vector<RewriteResult>> ExecuteAll(const CompactionPlan& plan,
                                                     const Dataset& dataset,
                                                     const CallOptions& call) {
  std::vector<RewriteResult> results;
  for (const CompactionTask& task : plan.tasks()) {
    auto result = task.Execute(dataset, call);
    if (!result.ok()) {
      for (const RewriteResult& done : results) DiscardResult(dataset, done);
      return result.status();
    }
    results.push_back(*std::move(result));
  }
  return results;
}

arrow::Result<CompactionResult> CompactOnce(const Dataset& dataset,
                                            const CompactionOptions& options,
                                            const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const CompactionPlan plan, PlanCompaction(dataset, options, call));
  CompactionResult result{.dataset = dataset, .mode = ToString(plan.impl().resolved.mode)};
  if (!plan.tasks().empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto results, ExecuteAll(plan, dataset, call));
    auto committed = CommitTogether(dataset, results, options.commit, /*owns_outputs=*/true,
                                    dataset.impl().Run(call));
    if (!committed.ok()) {
      if (CommitUnknown::From(committed.status()) == nullptr) {
        for (const RewriteResult& one : results) DiscardResult(dataset, one);
      }
      return committed.status();
    }
    result = *std::move(committed);
  }
  result.tasks_planned = plan.tasks().size();
  result.stopped_by = plan.stopped_by();
  result.remaining = plan.remaining();
  return result;
}

}  // namespace

uint64_t RewriteResult::read_version() const { return impl_->read_version; }
const std::vector<FragmentMetadata>& RewriteResult::original_fragments() const {
  return impl_->original_fragments;
}
const std::vector<FragmentMetadata>& RewriteResult::new_fragments() const {
  return impl_->new_fragments;
}
CompactionMetrics RewriteResult::metrics() const {
  return {.fragments_removed = impl_->sources.size(),
          .fragments_added = impl_->outputs.size(),
          .files_removed = MakeExecuted(*impl_, 0).files_removed,
          .files_added = impl_->outputs.size()};
}

bool RewriteResult::defers_index_remap() const { return impl_->defers_index_remap; }

void DiscardResult(const Dataset& dataset, const RewriteResult& result) {
  DeleteDataFiles(*dataset.impl().store, result.impl().outputs);
}

arrow::Result<CompactionResult> CommitCompaction(const Dataset& dataset,
                                                 const std::vector<RewriteResult>& results,
                                                 const CommitOptions& commit,
                                                 const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  ARROW_RETURN_NOT_OK(CheckCompactionOptions({.commit = commit}));
  ARROW_RETURN_NOT_OK(CheckTogether(results));
  const RunContext run = dataset.impl().Run(call);
  const auto started = run.clock->Steady();
  ARROW_ASSIGN_OR_RAISE(CompactionResult result, CommitTogether(dataset, results, commit,
                                                                /*owns_outputs=*/false, run));
  result.tasks_planned = results.size();
  result.seconds = std::chrono::duration<double>(run.clock->Steady() - started).count();
  return result;
}

arrow::Result<CompactionResult> Compact(const Dataset& dataset, const CompactionRequest& request,
                                        const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  if (const auto* clustering = std::get_if<ClusteringCompactionOptions>(&request)) {
    return CompactFilesWithClustering(dataset, *clustering, call);
  }
  const auto& options = std::get<CompactionOptions>(request);
  const RunContext run = dataset.impl().Run(call);
  const auto started = run.clock->Steady();
  ARROW_ASSIGN_OR_RAISE(
      CompactionResult result,
      RetryOnNewest<CompactionResult>(dataset, options.commit, call, [&](const Dataset& version) {
        return CompactOnce(version, options, call);
      }));
  result.seconds = std::chrono::duration<double>(run.clock->Steady() - started).count();
  return result;
}

}  // namespace lance
