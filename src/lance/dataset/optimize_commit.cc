#include <algorithm>
#include <set>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/optimize_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index/index_type.h"

namespace lance {

namespace {

/// A task of the plan with the result that was given for it.
struct Rewritten {
  const ClusteringCompactionTask::Impl* task;
  const ClusteringRewriteResult::Impl* result;
};

/// Match results to tasks. \return Invalid, each wrong with its own message
arrow::Result<std::vector<Rewritten>> MatchResults(
    const ClusteringCompactionPlan& plan, const std::vector<ClusteringRewriteResult>& results) {
  if (results.empty()) {
    return arrow::Status::Invalid("no results to commit; execute at least one task of the plan");
  }
  std::vector<Rewritten> matched;
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
    matched.push_back({&task, &result.impl()});
  }
  return matched;
}

/// The task's sources are those of the version it was planned on, and no row was lost or invented.
arrow::Status CheckRows(const Rewritten& rewritten, const table::Manifest& snapshot) {
  uint64_t live_rows = 0;
  for (const table::Fragment& source : rewritten.task->sources) {
    const table::Fragment* fragment = snapshot.FindFragment(source.id);
    if (fragment == nullptr || *fragment != source) {
      return arrow::Status::Invalid("fragment ", source.id, " is unknown to version ",
                                    snapshot.version, ", or differs from what task ",
                                    rewritten.task->task_id, " was planned for");
    }
    live_rows += fragment->live_rows();
  }
  if (rewritten.result->rows_out == live_rows) return arrow::Status::OK();
  return arrow::Status::Invalid("task ", rewritten.task->task_id, " wrote ",
                                rewritten.result->rows_out, " rows, its sources have ", live_rows,
                                " live rows");
}

/// Open every output file: it is there, has its size, and its footer says these rows and columns.
arrow::Status CheckOutputs(const Rewritten& rewritten, const Dataset::Impl& snapshot,
                           const RunContext& run) {
  uint64_t rows = 0;
  for (const table::Fragment& fragment : rewritten.result->fragments) {
    rows += fragment.physical_rows;
    const std::string path = "data/" + fragment.files.front().path;
    ARROW_ASSIGN_OR_RAISE(
        const auto file,
        format::DataFileReader::Open(snapshot.store, path, fragment.files.front().size_bytes,
                                     run.stop_token, run.memory_pool));
    if (file->num_rows() != fragment.physical_rows) {
      return arrow::Status::Invalid(path, " has ", file->num_rows(), " rows, its task says ",
                                    fragment.physical_rows);
    }
    ARROW_ASSIGN_OR_RAISE(const auto schema, format::ToArrowSchema(file->schema()));
    if (!schema->Equals(*snapshot.schema, /*check_metadata=*/false)) {
      return arrow::Status::Invalid(path, " has the columns ", schema->ToString(),
                                    ", the table has ", snapshot.schema->ToString());
    }
  }
  if (rows == rewritten.result->rows_out) return arrow::Status::OK();
  return arrow::Status::Invalid("the files of task ", rewritten.task->task_id, " hold ", rows,
                                " rows, the task says ", rewritten.result->rows_out);
}

/// Split off what met another commit: a source that is gone or not what it was.
std::vector<Rewritten> TakeConflicted(const table::Manifest& latest,
                                      std::vector<Rewritten>* rewritten) {
  std::vector<Rewritten> conflicted;
  std::erase_if(*rewritten, [&](const Rewritten& one) {
    const bool is_untouched =
        std::all_of(one.task->sources.begin(), one.task->sources.end(), [&](const auto& source) {
          const table::Fragment* fragment = latest.FindFragment(source.id);
          return fragment != nullptr && *fragment == source;
        });
    if (!is_untouched) conflicted.push_back(one);
    return !is_untouched;
  });
  return conflicted;
}

void DeleteOutputs(const Dataset::Impl& dataset, const std::vector<Rewritten>& rewritten) {
  for (const Rewritten& one : rewritten) DeleteDataFiles(*dataset.store, one.result->fragments);
}

/// Reserve ids for all new fragments in a commit of its own. \return the first of them
arrow::Result<uint64_t> ReserveFragmentIds(const Dataset& dataset, uint32_t num_fragments,
                                           const CommitOptions& options, const RunContext& run,
                                           CompactionResult* result) {
  table::CommitRequest commit;
  commit.transaction = MakeTransaction(
      dataset.version(), table::ReserveFragments{.num_fragments = num_fragments}, options, run);
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  ARROW_ASSIGN_OR_RAISE(const table::LoadedManifest reserved,
                        table::Commit(dataset.impl().manifests(), std::move(commit), run));
  result->versions.push_back(reserved.manifest.version);
  CleanUpAfterCommit(dataset.impl(), reserved.manifest, run);
  return uint64_t{*reserved.manifest.max_fragment_id} - num_fragments + 1;
}

/// One Rewrite with a group per task, new fragments under their reserved ids.
table::CommitRequest MakeRewrite(const ClusteringCompactionPlan& plan,
                                 const std::vector<Rewritten>& rewritten, uint64_t first_id,
                                 const RunContext& run) {
  table::Rewrite rewrite;
  table::CommitRequest commit;
  for (const Rewritten& one : rewritten) {
    table::RewriteGroup group{.old_fragments = one.task->sources,
                              .new_fragments = one.result->fragments};
    for (table::Fragment& fragment : group.new_fragments) fragment.id = first_id++;
    rewrite.groups.push_back(std::move(group));
    commit.clustering.stamp_group_ids.push_back(one.result->group_id);
  }
  commit.clustering.define = plan.impl().layout;
  commit.transaction =
      MakeTransaction(plan.read_version(), std::move(rewrite), plan.options().commit, run);
  return commit;
}

void Count(const std::vector<Rewritten>& rewritten, CompactionResult* result) {
  for (const Rewritten& one : rewritten) {
    result->tasks_committed += 1;
    result->fragments_removed += one.task->sources.size();
    result->fragments_added += one.result->fragments.size();
    result->rows_rewritten += one.result->rows_out;
    result->bytes_read += one.result->bytes_read;
    result->bytes_written += one.result->bytes_written;
    result->reclaimable_bytes += one.task->source_bytes;
    for (const table::Fragment& source : one.task->sources) {
      result->files_removed += source.files.size();
    }
    for (const table::Fragment& fragment : one.result->fragments) {
      result->files_added += fragment.files.size();
    }
  }
}

arrow::Status AllConflicted(const table::Manifest& latest) {
  return WithDetail(
      arrow::Status::AlreadyExists("every task met another commit on its source fragments up to "
                                   "version ",
                                   latest.version, "; plan again"),
      std::make_shared<CommitConflict>(latest.version, "Rewrite", true));
}

/// Indices that do not answer for the new fragments: all but the key columns' zonemaps, which the
/// run refreshes.
void NoteUncovered(const table::Manifest& manifest, const table::LayoutDefinition& layout,
                   const std::vector<Rewritten>& rewritten, CompactionResult* result) {
  const auto is_refreshed = [&](const table::IndexMetadata& segment) {
    return index::IsZonemap(segment) && !segment.field_ids.empty() &&
           std::find(layout.field_ids.begin(), layout.field_ids.end(), segment.field_ids.front()) !=
               layout.field_ids.end();
  };
  uint64_t new_fragments = 0;
  for (const Rewritten& one : rewritten) new_fragments += one.result->fragments.size();
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (index::IsSystemIndex(segment) || is_refreshed(segment)) continue;
    const bool is_listed =
        std::any_of(result->uncovered_indices.begin(), result->uncovered_indices.end(),
                    [&](const UncoveredIndex& listed) { return listed.name == segment.name; });
    if (is_listed) continue;
    result->uncovered_indices.push_back(
        {.name = segment.name,
         .type = index::IndexTypeName(segment),
         .fragments = new_fragments,
         .refresh = index::IsZonemap(segment)
                        ? "create it again; until then seeds or full reads stand in"
                        : "not in this version; the new fragments are read in full"});
  }
}

}  // namespace

arrow::Result<Dataset> CommitRewrites(const Dataset& dataset, const ClusteringCompactionPlan& plan,
                                      const std::vector<ClusteringRewriteResult>& results,
                                      const RunContext& run, CompactionResult* result) {
  const Dataset::Impl& impl = dataset.impl();
  if (plan.table_uri() != dataset.uri()) {
    return arrow::Status::Invalid("the plan is of table ", plan.table_uri(), ", not of ",
                                  dataset.uri());
  }
  ARROW_ASSIGN_OR_RAISE(auto rewritten, MatchResults(plan, results));
  ARROW_ASSIGN_OR_RAISE(const Dataset snapshot,
                        dataset.Checkout(Ref::Version(plan.read_version())));
  if (snapshot.clustering_spec() != plan.spec()) {
    return arrow::Status::Invalid("the plan's layout is not the one that version ",
                                  plan.read_version(), " declared");
  }
  for (const Rewritten& one : rewritten) {
    ARROW_RETURN_NOT_OK(CheckRows(one, snapshot.impl().manifest()));
    ARROW_RETURN_NOT_OK(CheckOutputs(one, snapshot.impl(), run));
  }
  uint64_t first_id = 0;
  for (bool is_reserved = false;; is_reserved = true) {
    ARROW_ASSIGN_OR_RAISE(const Dataset latest, dataset.Checkout());
    const auto conflicted = TakeConflicted(latest.impl().manifest(), &rewritten);
    DeleteOutputs(impl, conflicted);
    result->tasks_conflicted += conflicted.size();
    if (rewritten.empty()) return AllConflicted(latest.impl().manifest());
    if (!is_reserved) {
      uint64_t num_fragments = 0;
      for (const Rewritten& one : rewritten) num_fragments += one.result->fragments.size();
      ARROW_ASSIGN_OR_RAISE(first_id,
                            ReserveFragmentIds(latest, static_cast<uint32_t>(num_fragments),
                                               plan.options().commit, run, result));
    }
    table::CommitRequest commit = MakeRewrite(plan, rewritten, first_id, run);
    ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(plan.options().commit));
    auto committed = impl.Commit(std::move(commit), run);
    if (committed.ok()) {
      result->versions.push_back(committed->version());
      Count(rewritten, result);
      NoteUncovered(committed->impl().manifest(), plan.impl().layout, rewritten, result);
      return committed;
    }
    const auto* conflict = CommitConflict::From(committed.status());
    if (conflict == nullptr) return committed.status();
    // Whoever was in the way may have touched some of the tasks only.
    ARROW_ASSIGN_OR_RAISE(const Dataset newest, dataset.Checkout());
    auto untouched = rewritten;
    const size_t num_touched = TakeConflicted(newest.impl().manifest(), &untouched).size();
    if (!conflict->retryable() || num_touched == 0) {
      result->tasks_conflicted += rewritten.size();
      DeleteOutputs(impl, rewritten);
      return committed.status();
    }
  }
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
  ARROW_ASSIGN_OR_RAISE(Dataset committed, CommitRewrites(dataset, plan, results, run, &result));
  result.dataset =
      FinishWithZonemaps(std::move(committed), plan.spec(), plan.options(), run, &result);
  result.version = result.versions.back();
  ARROW_ASSIGN_OR_RAISE(
      const PlannerInput input,
      DescribeForPlanner(result.dataset.impl().manifest(), plan.options().take_over));
  result.remaining = RewritableSize(input.fragments, plan.options());
  result.seconds = std::chrono::duration<double>(run.clock->Steady() - started).count();
  return result;
}

}  // namespace lance
