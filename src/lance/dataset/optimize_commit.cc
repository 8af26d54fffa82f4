#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/optimize_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/rewrite_commit.h"
#include "lance/dataset/zonemaps.h"

namespace lance {

namespace {

/// A task of the plan with the result that was given for it.
ExecutedRewrite MakeRewrite(const ClusteringCompactionTask::Impl& task,
                            const ClusteringRewriteResult::Impl& result) {
  ExecutedRewrite rewrite{.name = "task " + std::to_string(task.task_id),
                          .sources = &task.sources,
                          .outputs = &result.fragments,
                          .rows_out = result.rows_out,
                          .source_bytes = task.source_bytes,
                          .bytes_read = result.bytes_read,
                          .bytes_written = result.bytes_written,
                          .group_id = result.group_id,
                          .places = result.places};
  for (const table::Fragment& source : task.sources) rewrite.files_removed += source.files.size();
  return rewrite;
}

/// Match results to tasks. \return Invalid, each wrong with its own message
arrow::Result<std::vector<ExecutedRewrite>> MatchResults(
    const ClusteringCompactionPlan& plan, const std::vector<ClusteringRewriteResult>& results) {
  if (results.empty()) {
    return arrow::Status::Invalid("no results to commit; execute at least one task of the plan");
  }
  std::vector<ExecutedRewrite> matched;
  std::set<uint32_t> task_ids;
  std::set<uint64_t> sources;
  for (const ClusteringRewriteResult& result : results) {
    if (result.plan_id() != plan.plan_id()) {
      return arrow::Status::Invalid("a result of plan ", result.plan_id(),
                                    " cannot be committed with plan ", plan.plan_id());
    }
    if (result.task_id() >= plan.tasks().size()) {
      return arrow::Status::Invalid("the plan has no task ", result.task_id(), "; it has ",
                                    plan.tasks().size());
    }
    if (!task_ids.insert(result.task_id()).second) {
      return arrow::Status::Invalid("task ", result.task_id(), " has more than one result");
    }
    const auto& task = plan.tasks()[result.task_id()].impl();
    for (const uint64_t id : task.source_fragment_ids) {
      if (!sources.insert(id).second) {
        return arrow::Status::Invalid("fragment ", id, " is a source of more than one task");
      }
    }
    matched.push_back(MakeRewrite(task, result.impl()));
  }
  return matched;
}

}  // namespace

arrow::Result<Dataset> CommitResults(const Dataset& dataset, const ClusteringCompactionPlan& plan,
                                     const std::vector<ClusteringRewriteResult>& results,
                                     bool owns_outputs, const RunContext& run,
                                     CompactionResult* result) {
  if (plan.table_uri() != dataset.uri()) {
    return arrow::Status::Invalid("the plan is of table ", plan.table_uri(), ", not of ",
                                  dataset.uri());
  }
  ARROW_ASSIGN_OR_RAISE(auto rewrites, MatchResults(plan, results));
  ARROW_ASSIGN_OR_RAISE(const Dataset snapshot,
                        dataset.Checkout(Ref::Version(plan.read_version())));
  if (snapshot.clustering_spec() != plan.spec()) {
    return arrow::Status::Invalid("the plan's layout is not the one that version ",
                                  plan.read_version(), " declared");
  }
  return CommitRewrites(dataset,
                        {.read_version = plan.read_version(),
                         .layout = plan.impl().layout,
                         .options = plan.options().commit,
                         .owns_outputs = owns_outputs},
                        std::move(rewrites), run, result);
}

Dataset FinishWithZonemaps(Dataset dataset, const ClusteringSpec& spec,
                           const ClusteringCompactionOptions& options, const RunContext& run,
                           CompactionResult* result) {
  auto refreshed =
      RefreshZonemaps(dataset, spec, options.rows_per_zone, options.commit, run, &result->zonemaps);
  if (refreshed.ok()) {
    if (refreshed->version() != dataset.version()) {
      result->versions.push_back(refreshed->version());
    }
    return *refreshed;
  }
  // The rewrite stands: fragments that no zonemap covers are pruned by their seeds.
  for (ZonemapOutcome& outcome : result->zonemaps) {
    if (outcome.action != "none") outcome.error = refreshed.status().ToString();
  }
  Warn(run, "zonemap_not_refreshed",
       "the zonemaps of the key columns were not refreshed: " + refreshed.status().ToString());
  return dataset;
}

arrow::Result<CompactionResult> CommitClusteringCompaction(
    const Dataset& dataset, const ClusteringCompactionPlan& plan,
    const std::vector<ClusteringRewriteResult>& results, const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  const auto started = run.clock->Steady();
  CompactionResult result{.dataset = dataset};
  result.tasks_planned = plan.tasks().size();
  result.stopped_by = plan.stopped_by();
  ARROW_ASSIGN_OR_RAISE(Dataset committed, CommitResults(dataset, plan, results,
                                                         /*owns_outputs=*/false, run, &result));
  result.dataset =
      FinishWithZonemaps(std::move(committed), plan.spec(), plan.options(), run, &result);
  result.version = result.versions.back();
  ARROW_ASSIGN_OR_RAISE(
      const PlannerInput input,
      DescribeForPlanner(result.dataset.impl(), plan.options().take_over, run));
  result.remaining = RewritableSize(input.fragments, plan.options());
  result.seconds = std::chrono::duration<double>(run.clock->Steady() - started).count();
  return result;
}

}  // namespace lance
