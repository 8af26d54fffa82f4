#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/compaction_impl.h"
#include "lance/dataset/index_coverage.h"
#include "lance/dataset/row_changes.h"
#include "lance/index/index_type.h"
#include "lance/table/base_path.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

/// Why a fragment would be rewritten.
enum class Reason { kNone, kWithNeighbours, kItself };

Reason ReasonFor(const CompactionCandidate& fragment, const ResolvedCompaction& options) {
  const auto deleted = static_cast<double>(fragment.physical_rows - fragment.live_rows);
  const auto rows = static_cast<double>(fragment.physical_rows);
  if (options.materialize_deletions && deleted / rows > options.materialize_deletions_threshold) {
    return Reason::kItself;
  }
  return fragment.physical_rows < options.target_rows_per_fragment ? Reason::kWithNeighbours
                                                                   : Reason::kNone;
}

/// A run of neighbours that may be merged.
struct Bin {
  std::vector<size_t> places;
  Reason first_reason = Reason::kNone;

  bool is_pointless() const {
    return places.empty() || (places.size() == 1 && first_reason == Reason::kWithNeighbours);
  }
};

/// Consecutive candidates that the same index segments cover.
std::vector<Bin> MakeBins(const std::vector<CompactionCandidate>& fragments,
                          const ResolvedCompaction& options) {
  const std::unordered_set<uint64_t> excluded(options.excluded_fragment_ids.begin(),
                                              options.excluded_fragment_ids.end());
  std::vector<Bin> bins;
  Bin open;
  const auto close = [&] {
    if (!open.is_pointless()) bins.push_back(std::move(open));
    open = {};
  };
  for (size_t i = 0; i < fragments.size(); ++i) {
    const CompactionCandidate& fragment = fragments[i];
    const Reason reason =
        excluded.contains(fragment.id) || fragment.is_held_back ? Reason::kNone
                                                                : ReasonFor(fragment, options);
    const bool continues =
        !open.places.empty() && fragments[open.places.back()].covered_by == fragment.covered_by;
    if (reason == Reason::kNone || !continues) close();
    if (reason == Reason::kNone) continue;
    if (open.places.empty()) open.first_reason = reason;
    open.places.push_back(i);
  }
  close();
  return bins;
}

/// Cut where a task has rows enough and what is left has, too.
void Split(const Bin& bin, const std::vector<CompactionCandidate>& fragments, uint64_t target_rows,
           std::vector<std::vector<size_t>>* tasks) {
  uint64_t rows_left = 0;
  for (const size_t place : bin.places) rows_left += fragments[place].live_rows;
  std::vector<size_t> task;
  uint64_t task_rows = 0;
  for (const size_t place : bin.places) {
    task.push_back(place);
    task_rows += fragments[place].live_rows;
    rows_left -= fragments[place].live_rows;
    if (task_rows < target_rows || rows_left < target_rows) continue;
    tasks->push_back(std::move(task));
    task.clear();
    task_rows = 0;
  }
  if (!task.empty()) tasks->push_back(std::move(task));
}

CompactionSize SizeOf(const std::vector<size_t>& task,
                      const std::vector<CompactionCandidate>& fragments) {
  CompactionSize size{.fragments = task.size()};
  for (const size_t place : task) {
    size.rows += fragments[place].live_rows;
    size.bytes += fragments[place].size_bytes;
  }
  return size;
}

void Add(const CompactionSize& part, CompactionSize* whole) {
  whole->fragments += part.fragments;
  whole->rows += part.rows;
  whole->bytes += part.bytes;
}

/// The first bound that an amount of work exceeds.
std::optional<CompactionStop> Exceeded(const SourceBudget& budget, const CompactionSize& size,
                                       uint64_t next_fragment_id) {
  const auto exceeds = [&](const char* name, const std::optional<uint64_t>& allowed,
                           uint64_t needed) -> std::optional<CompactionStop> {
    if (!allowed || needed <= *allowed) return std::nullopt;
    return CompactionStop{name, *allowed, needed, next_fragment_id};
  };
  auto stop = exceeds("max_source_fragments", budget.max_source_fragments, size.fragments);
  if (!stop) stop = exceeds("max_source_rows", budget.max_source_rows, size.rows);
  if (!stop) stop = exceeds("max_source_bytes", budget.max_source_bytes, size.bytes);
  return stop;
}

/// Segments that cover each fragment, by place in the manifest. Entries of the system bind nothing.
arrow::Status FindCoverage(const Dataset::Impl& dataset, const RunContext& run,
                           std::vector<CompactionCandidate>* fragments) {
  const table::Manifest& manifest = dataset.manifest();
  ARROW_ASSIGN_OR_RAISE(const IndexCoverage coverage, CurrentCoverage(dataset, run));
  for (size_t i = 0; i < manifest.indices.size(); ++i) {
    const table::IndexMetadata& segment = manifest.indices[i];
    if (index::IsSystemIndex(segment)) continue;
    const bool holds_back = !index::IsKnownIndex(segment) && !table::HasStableRowIds(manifest);
    for (CompactionCandidate& fragment : *fragments) {
      // One without a bitmap may answer for everything that was there.
      if (coverage[i] && !coverage[i]->Contains(static_cast<uint32_t>(fragment.id))) continue;
      fragment.covered_by.push_back(i);
      fragment.is_held_back |= holds_back;
    }
  }
  return arrow::Status::OK();
}

arrow::Status Describe(const Dataset::Impl& dataset, const table::Fragment& fragment,
                       CompactionCandidate* candidate) {
  candidate->id = fragment.id;
  candidate->physical_rows = fragment.physical_rows;
  if (fragment.physical_rows == 0) {
    return arrow::Status::Invalid("the manifest of version ", dataset.manifest().version,
                                  " does not say how many rows fragment ", fragment.id, " has");
  }
  candidate->live_rows = fragment.live_rows();
  for (const table::DataFile& file : fragment.files) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t size, table::SizeOf(*dataset.store, file));
    candidate->size_bytes += size;
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<CompactionCandidate>> DescribeFragments(const Dataset::Impl& dataset,
                                                                  const RunContext& run) {
  const auto& fragments = dataset.manifest().fragments;
  std::vector<CompactionCandidate> candidates(fragments.size());
  for (size_t i = 0; i < fragments.size(); ++i) {
    ARROW_RETURN_NOT_OK(Describe(dataset, fragments[i], &candidates[i]));
  }
  ARROW_RETURN_NOT_OK(FindCoverage(dataset, run, &candidates));
  return candidates;
}

}  // namespace

PlannedCompaction GroupFragments(const std::vector<CompactionCandidate>& fragments,
                                 const ResolvedCompaction& options) {
  std::vector<std::vector<size_t>> tasks;
  for (const Bin& bin : MakeBins(fragments, options)) {
    Split(bin, fragments, options.target_rows_per_fragment, &tasks);
  }
  PlannedCompaction planned;
  CompactionSize spent;
  for (std::vector<size_t>& task : tasks) {
    Add(SizeOf(task, fragments), &spent);
    planned.stopped_by = Exceeded(options.budget, spent, fragments[task.front()].id);
    if (planned.stopped_by) break;
    planned.tasks.push_back(std::move(task));
  }
  return planned;
}

CompactionTask MakeCompactionTask(uint64_t read_version, std::vector<table::Fragment> sources,
                                  ResolvedCompaction options) {
  auto task = std::make_shared<CompactionTask::Impl>();
  task->read_version = read_version;
  for (const table::Fragment& source : sources) {
    task->fragments.push_back(MakeFragmentMetadata(source));
  }
  task->sources = std::move(sources);
  task->options = std::move(options);
  return CompactionTask(std::move(task));
}

arrow::Result<CompactionPlan> PlanCompaction(const Dataset& dataset,
                                             const CompactionOptions& options,
                                             const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  ARROW_RETURN_NOT_OK(call.stop_token.Poll());
  ARROW_RETURN_NOT_OK(CheckCompactionOptions(options));
  ARROW_RETURN_NOT_OK(CheckChangeable(dataset.impl()));
  const table::Manifest& manifest = dataset.impl().manifest();
  auto plan = std::make_shared<CompactionPlan::Impl>();
  plan->read_version = dataset.version();
  ARROW_ASSIGN_OR_RAISE(plan->resolved, ResolveCompaction(options, manifest));
  plan->options = AsOptions(plan->resolved);
  plan->options.commit = options.commit;
  ARROW_ASSIGN_OR_RAISE(const auto candidates,
                        DescribeFragments(dataset.impl(), dataset.impl().Run(call)));
  ResolvedCompaction unbounded = plan->resolved;
  unbounded.budget = {};
  for (const auto& task : GroupFragments(candidates, unbounded).tasks) {
    Add(SizeOf(task, candidates), &plan->remaining);
  }
  PlannedCompaction planned = GroupFragments(candidates, plan->resolved);
  for (const auto& places : planned.tasks) {
    Add(SizeOf(places, candidates), &plan->totals);
    std::vector<table::Fragment> sources;
    for (const size_t place : places) sources.push_back(manifest.fragments[place]);
    plan->tasks.push_back(
        MakeCompactionTask(plan->read_version, std::move(sources), plan->resolved));
  }
  plan->remaining.fragments -= plan->totals.fragments;
  plan->remaining.rows -= plan->totals.rows;
  plan->remaining.bytes -= plan->totals.bytes;
  plan->stopped_by = std::move(planned.stopped_by);
  return CompactionPlan(std::move(plan));
}

uint64_t CompactionTask::read_version() const { return impl_->read_version; }
const std::vector<FragmentMetadata>& CompactionTask::fragments() const { return impl_->fragments; }

uint64_t CompactionPlan::read_version() const { return impl_->read_version; }
const std::vector<CompactionTask>& CompactionPlan::tasks() const { return impl_->tasks; }
CompactionSize CompactionPlan::totals() const { return impl_->totals; }
CompactionSize CompactionPlan::remaining() const { return impl_->remaining; }
const std::optional<CompactionStop>& CompactionPlan::stopped_by() const {
  return impl_->stopped_by;
}
const CompactionOptions& CompactionPlan::options() const { return impl_->options; }

}  // namespace lance
