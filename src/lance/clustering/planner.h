#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lance::clustering {

/// What the planner knows of a fragment. A plain value.
struct PlannerFragment {
  uint64_t id = 0;
  bool is_current = false;  // a valid stamp of the current definition
  std::string group_id;     // "": a group of its own
  uint64_t live_rows = 0;
  uint64_t size_bytes = 0;  // as max_source_bytes counts
  bool is_excluded = false;
  std::vector<uint32_t> coverage;  // binding index segments that cover it, ascending
};

/// Hard upper bounds over the tasks of one plan; no value: none.
struct PlannerBudget {
  std::optional<uint64_t> max_source_fragments;
  std::optional<uint64_t> max_source_rows;
  std::optional<uint64_t> max_source_bytes;
};

/// Options of one plan. A plain value.
struct PlannerOptions {
  uint64_t target_rows_per_group = 0;
  double min_merge_ratio = 0.25;
  bool full = false;
  PlannerBudget budget;
};

/// One task: fragments in manifest order.
struct PlannedTask {
  std::vector<uint64_t> fragment_ids;
  uint64_t rows = 0;
  uint64_t bytes = 0;
  bool has_partial_group = false;  // else stale fragments only
};

/// The budget that ended planning early.
struct StoppedBy {
  std::string budget;  // the option's name
  uint64_t allowed = 0;
  uint64_t needed = 0;
  uint64_t next_fragment_id = 0;
};

/// A plan. A plain value.
struct PlannedTasks {
  std::vector<PlannedTask> tasks;
  std::optional<StoppedBy> stopped_by;
  uint64_t spent_fragments = 0;
  uint64_t spent_rows = 0;
  uint64_t spent_bytes = 0;
};

/// Choose the fragments to recluster.
///
/// Pure: the same fragments and options give the same plan, on any machine, with no I/O, clock or
/// random source. O(fragments) time, give or take the sorting of group names.
///
/// \param fragments in manifest order, all of them: group totals always count the whole table
/// Source: contract section 6 "Plan". Vectors: planner.json.
PlannedTasks PlanTasks(std::span<const PlannerFragment> fragments, const PlannerOptions& options);

/// Whether a task brings the table nearer to a layout that no plan would rewrite: it takes in a
/// stale fragment, or more whole groups than it leaves partial ones.
///
/// Rule 3 may cut a group in two at the target. A task of such a half and its neighbour leaves as
/// many partial groups as before, and planning again would find the same task for ever; who plans
/// again by himself leaves it out. Pure.
bool MakesProgress(const PlannedTask& task, std::span<const PlannerFragment> fragments,
                   const PlannerOptions& options);

}  // namespace lance::clustering
