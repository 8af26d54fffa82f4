#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/optimize_impl.h"
#include "lance/dataset/progress_reporter.h"

namespace lance {

namespace {

/// The budget that is left of one call; it counts over all passes.
void Spend(const CompactionSize& spent, SourceBudget* budget, bool* is_exhausted) {
  const auto subtract = [&](std::optional<uint64_t>* left, uint64_t used) {
    if (!*left) return;
    **left -= std::min(**left, used);
    *is_exhausted |= **left == 0;  // 0 is no budget that a planner takes
  };
  subtract(&budget->max_source_fragments, spent.fragments);
  subtract(&budget->max_source_rows, spent.rows);
  subtract(&budget->max_source_bytes, spent.bytes);
}

arrow::Result<std::vector<ClusteringRewriteResult>> ExecuteAll(
    const std::vector<ClusteringCompactionTask>& tasks, const Dataset& dataset,
    const CallOptions& call) {
  std::vector<ClusteringRewriteResult> results;
  for (const ClusteringCompactionTask& task : tasks) {
    auto result = task.Execute(dataset, call);
    if (!result.ok()) {
      for (const auto& done : results) {
        DeleteDataFiles(*dataset.impl().store, done.impl().fragments);
      }
      return result.status();
    }
    results.push_back(std::move(*result));
  }
  return results;
}

/// One pass after another until a plan is empty or a budget is spent.
class CompactionRun {
 public:
  CompactionRun(const Dataset& dataset, ClusteringCompactionOptions options,
                const CallOptions& call)
      : call_(call),
        run_(dataset.impl().Run(call)),
        options_(std::move(options)),
        result_{.dataset = dataset} {}

  arrow::Result<CompactionResult> Run() {
    const auto started = run_.clock->Steady();
    for (;;) {
      ARROW_ASSIGN_OR_RAISE(const auto plan,
                            PlanClusteringCompaction(result_.dataset, options_, call_));
      spec_ = plan.spec();
      ARROW_ASSIGN_OR_RAISE(const auto tasks,
                            ProgressingTasks(plan, result_.dataset.impl(), run_));
      if (conflicts_ == 0) result_.tasks_planned += tasks.size();
      result_.stopped_by = plan.stopped_by();
      result_.remaining = plan.remaining();
      if (tasks.empty()) break;
      ARROW_RETURN_NOT_OK(RunPass(plan, tasks));
      if (is_exhausted_) {
        ARROW_RETURN_NOT_OK(NoteExhaustion(plan));
        break;
      }
    }
    result_.dataset =
        FinishWithZonemaps(std::move(result_.dataset), spec_, options_, run_, &result_);
    if (!result_.versions.empty()) result_.version = result_.versions.back();
    result_.seconds = std::chrono::duration<double>(run_.clock->Steady() - started).count();
    return std::move(result_);
  }

 private:
  arrow::Status RunPass(const ClusteringCompactionPlan& plan,
                        const std::vector<ClusteringCompactionTask>& tasks) {
    ARROW_ASSIGN_OR_RAISE(const auto results, ExecuteAll(tasks, result_.dataset, call_));
    auto committed =
        CommitResults(result_.dataset, plan, results, /*owns_outputs=*/true, run_, &result_);
    if (!committed.ok()) return ConflictOrFailure(committed.status(), results);
    conflicts_ = 0;
    result_.dataset = std::move(*committed);
    CompactionSize spent;
    for (const ClusteringCompactionTask& task : tasks) {
      spent.fragments += task.source_fragment_ids().size();
      spent.rows += task.source_rows();
      spent.bytes += task.source_bytes();
    }
    Spend(spent, &options_.budget, &is_exhausted_);
    options_.full = false;  // what the call itself wrote is not stale
    return arrow::Status::OK();
  }

  /// After a retryable conflict the next pass plans again on the newest version.
  arrow::Status ConflictOrFailure(const arrow::Status& status,
                                  const std::vector<ClusteringRewriteResult>& results) {
    const auto* conflict = CommitConflict::From(status);
    if (conflict == nullptr && CommitUnknown::From(status) == nullptr) {
      for (const auto& result : results) {
        DeleteDataFiles(*result_.dataset.impl().store, result.impl().fragments);
      }
    }
    if (conflict == nullptr || !conflict->retryable() ||
        ++conflicts_ > options_.commit.max_retries) {
      return status;
    }
    return result_.dataset.Checkout(Ref::Latest(), call_).Value(&result_.dataset);
  }

  /// A budget that is spent to the last row leaves nothing to plan with; say what is left.
  arrow::Status NoteExhaustion(const ClusteringCompactionPlan& plan) {
    ARROW_ASSIGN_OR_RAISE(const PlannerInput input,
                          DescribeForPlanner(result_.dataset.impl(), options_.take_over, run_));
    result_.remaining = RewritableSize(input.fragments, plan.options());
    return arrow::Status::OK();
  }

  CallOptions call_;
  RunContext run_;
  ClusteringCompactionOptions options_;
  ClusteringSpec spec_;
  CompactionResult result_;
  int conflicts_ = 0;
  bool is_exhausted_ = false;
};

}  // namespace

arrow::Result<CompactionResult> CompactFilesWithClustering(
    const Dataset& dataset, const ClusteringCompactionOptions& options, const CallOptions& call) {
  ARROW_RETURN_NOT_OK(CheckCompactionOptions(options));
  ARROW_ASSIGN_OR_RAISE(auto resolved,
                        ResolveCompactionOptions(options, dataset.impl().manifest()));
  // The group target depends on the size of the table, which passes do not change; the budget is
  // resolved once, because what the config says is for the whole call.
  return CompactionRun(dataset, std::move(resolved), call).Run();
}

}  // namespace lance
