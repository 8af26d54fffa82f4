#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/optimize_impl.h"
#include "lance/dataset/zonemaps.h"
#include "lance/json.h"

namespace lance {

namespace {

constexpr uint64_t kGroupTargetInFragments = 32;  // contract section 6 "Options"

std::string Sha256Hex(const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += {kDigits[digest[i] >> 4], kDigits[digest[i] & 15]};
  }
  return hex;
}

/// Over table, version, declaration and options: equal inputs give equal ids.
std::string PlanId(const ClusteringCompactionPlan::Impl& plan) {
  const ClusteringCompactionOptions& options = plan.options;
  const auto number = [](const std::optional<uint64_t>& value) {
    return (value ? std::to_string(*value) : "-") + "\n";
  };
  std::string text = plan.table_uri + "\n" + std::to_string(plan.read_version) + "\n";
  text += ToJson(std::optional(plan.spec)) + "\n";
  text += number(options.target_rows_per_fragment) + number(options.target_rows_per_group) +
          number(options.max_bytes_per_file) + number(options.budget.max_source_fragments) +
          number(options.budget.max_source_rows) + number(options.budget.max_source_bytes) +
          number(options.rows_per_zone) + std::to_string(options.min_merge_ratio) +
          (options.full ? "f" : "-") + (options.take_over ? "t" : "-") +
          (options.index_policy == IndexPolicy::kStrict ? "s" : "");
  return Sha256Hex(text);
}

clustering::PlannerOptions MakePlannerOptions(const ClusteringCompactionOptions& resolved) {
  return {.target_rows_per_group = *resolved.target_rows_per_group,
          .min_merge_ratio = resolved.min_merge_ratio,
          .full = resolved.full,
          .budget = {.max_source_fragments = resolved.budget.max_source_fragments,
                     .max_source_rows = resolved.budget.max_source_rows,
                     .max_source_bytes = resolved.budget.max_source_bytes}};
}

CompactionSize SizeOf(const clustering::PlannedTasks& planned) {
  return {.fragments = planned.spent_fragments,
          .rows = planned.spent_rows,
          .bytes = planned.spent_bytes};
}

}  // namespace

arrow::Status CheckNotZero(const std::optional<uint64_t>& value, const char* name) {
  if (value != 0u) return arrow::Status::OK();
  return arrow::Status::Invalid(name, " is 0; allowed: 1 or more, or unset");
}

arrow::Status TakeFromConfig(const table::Manifest& manifest, const char* name,
                             std::optional<uint64_t>* option) {
  const std::string key = std::string("lance.compaction.") + name;
  const auto entry = manifest.config.find(key);
  if (option->has_value() || entry == manifest.config.end()) return arrow::Status::OK();
  uint64_t value = 0;
  const std::string& text = entry->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) {
    return arrow::Status::Invalid("config key ", key, " is \"", text.substr(0, 64),
                                  "\"; allowed: a decimal number, 1 or more");
  }
  *option = value;
  return arrow::Status::OK();
}

arrow::Status CheckCompactionOptions(const ClusteringCompactionOptions& options) {
  ARROW_RETURN_NOT_OK(CheckNotZero(options.target_rows_per_fragment, "target_rows_per_fragment"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.target_rows_per_group, "target_rows_per_group"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.max_bytes_per_file, "max_bytes_per_file"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.budget.max_source_fragments, "max_source_fragments"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.budget.max_source_rows, "max_source_rows"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.budget.max_source_bytes, "max_source_bytes"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.rows_per_zone, "rows_per_zone"));
  if (!std::isfinite(options.min_merge_ratio) || options.min_merge_ratio < 0) {
    return arrow::Status::Invalid("min_merge_ratio is ", options.min_merge_ratio,
                                  "; allowed: a finite number, 0 or more");
  }
  if (options.commit.detached) {
    return arrow::Status::Invalid(
        "a rewrite takes several commits, which stand on each other; allowed: detached = false");
  }
  return MakeRetryPolicy(options.commit).status();
}

arrow::Result<ClusteringCompactionOptions> ResolveCompactionOptions(
    const ClusteringCompactionOptions& options, const table::Manifest& manifest) {
  ClusteringCompactionOptions resolved = options;
  ARROW_RETURN_NOT_OK(
      TakeFromConfig(manifest, "target_rows_per_fragment", &resolved.target_rows_per_fragment));
  ARROW_RETURN_NOT_OK(TakeFromConfig(manifest, "max_bytes_per_file", &resolved.max_bytes_per_file));
  SourceBudget& budget = resolved.budget;
  ARROW_RETURN_NOT_OK(
      TakeFromConfig(manifest, "max_source_fragments", &budget.max_source_fragments));
  ARROW_RETURN_NOT_OK(TakeFromConfig(manifest, "max_source_rows", &budget.max_source_rows));
  ARROW_RETURN_NOT_OK(TakeFromConfig(manifest, "max_source_bytes", &budget.max_source_bytes));
  if (!resolved.target_rows_per_fragment) {
    resolved.target_rows_per_fragment = kDefaultTargetRowsPerFragment;
  }
  if (!resolved.target_rows_per_group) {
    const uint64_t live_rows = table::CountLiveRows(manifest.fragments);
    const uint64_t target = *resolved.target_rows_per_fragment;
    const uint64_t by_fragments = target > UINT64_MAX / kGroupTargetInFragments
                                      ? UINT64_MAX
                                      : target * kGroupTargetInFragments;
    resolved.target_rows_per_group = std::max(by_fragments, live_rows / 4);
  }
  return resolved;
}

CompactionSize RewritableSize(const std::vector<clustering::PlannerFragment>& fragments,
                              const ClusteringCompactionOptions& resolved) {
  clustering::PlannerOptions options = MakePlannerOptions(resolved);
  options.budget = {};
  return SizeOf(clustering::PlanTasks(fragments, options));
}

arrow::Result<std::vector<ClusteringCompactionTask>> ProgressingTasks(
    const ClusteringCompactionPlan& plan, const Dataset::Impl& dataset, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const PlannerInput input,
                        DescribeForPlanner(dataset, plan.options().take_over, run));
  std::vector<ClusteringCompactionTask> tasks;
  for (const ClusteringCompactionTask& task : plan.tasks()) {
    const clustering::PlannedTask planned{.fragment_ids = task.source_fragment_ids(),
                                          .rows = task.source_rows()};
    if (clustering::MakesProgress(planned, input.fragments, MakePlannerOptions(plan.options()))) {
      tasks.push_back(task);
    }
  }
  return tasks;
}

arrow::Result<ClusteringCompactionPlanner> ClusteringCompactionPlanner::Make(
    ClusteringCompactionOptions options) {
  ARROW_RETURN_NOT_OK(CheckCompactionOptions(options));
  return ClusteringCompactionPlanner(std::move(options));
}

namespace {

arrow::Status CheckDeclared(const Dataset& dataset) {
  if (dataset.clustering_spec()) return arrow::Status::OK();
  const std::string& problem = dataset.properties().clustering_problem;
  if (!problem.empty()) {
    return arrow::Status::Invalid("the table's clustering declaration cannot be used: ", problem);
  }
  return arrow::Status::Invalid(
      "the table declares no clustering; declare it with SetClustering. Ordinary compaction "
      "(CompactFiles) merges fragments and keeps the order of rows");
}

ClusteringCompactionTask MakeTask(const ClusteringCompactionPlan::Impl& plan,
                                  const table::Manifest& manifest,
                                  const clustering::PlannedTask& planned, uint32_t task_id) {
  auto task = std::make_shared<ClusteringCompactionTask::Impl>();
  task->plan_id = plan.plan_id;
  task->task_id = task_id;
  task->read_version = plan.read_version;
  for (const uint64_t id : planned.fragment_ids) {
    task->sources.push_back(*manifest.FindFragment(id));
  }
  task->source_fragment_ids = planned.fragment_ids;
  task->source_rows = planned.rows;
  task->source_bytes = planned.bytes;
  task->reason = planned.has_partial_group ? "merge_partial" : "stale";
  task->spec = plan.spec;
  task->layout = plan.layout;
  task->target_rows_per_fragment = *plan.options.target_rows_per_fragment;
  task->max_bytes_per_file = plan.options.max_bytes_per_file.value_or(kDefaultMaxBytesPerFile);
  task->rows_per_zone = plan.options.rows_per_zone;
  return ClusteringCompactionTask(std::move(task));
}

/// What is rewritable beyond the plan's tasks.
CompactionSize Beyond(const CompactionSize& all, const CompactionSize& planned) {
  const auto rest = [](uint64_t whole, uint64_t part) { return whole - std::min(whole, part); };
  return {.fragments = rest(all.fragments, planned.fragments),
          .rows = rest(all.rows, planned.rows),
          .bytes = rest(all.bytes, planned.bytes)};
}

}  // namespace

arrow::Result<ClusteringCompactionPlan> ClusteringCompactionPlanner::Plan(
    const Dataset& dataset, const CallOptions& call) const {
  ARROW_RETURN_NOT_OK(call.stop_token.Poll());
  ARROW_RETURN_NOT_OK(CheckDeclared(dataset));
  const table::Manifest& manifest = dataset.impl().manifest();
  auto plan = std::make_shared<ClusteringCompactionPlan::Impl>();
  plan->table_uri = dataset.uri();
  plan->read_version = dataset.version();
  plan->spec = *dataset.clustering_spec();
  plan->layout = table::LayoutOf(plan->spec, manifest.schema);
  ARROW_ASSIGN_OR_RAISE(plan->options, ResolveCompactionOptions(options_, manifest));
  plan->plan_id = PlanId(*plan);
  ARROW_ASSIGN_OR_RAISE(const IndexCoverage coverage,
                        CurrentCoverage(dataset.impl(), dataset.impl().Run(call)));
  ARROW_ASSIGN_OR_RAISE(PlannerInput input,
                        DescribeForPlanner(manifest, coverage, plan->options.take_over));
  const auto planned = clustering::PlanTasks(input.fragments, MakePlannerOptions(plan->options));
  for (const clustering::PlannedTask& task : planned.tasks) {
    plan->tasks.push_back(
        MakeTask(*plan, manifest, task, static_cast<uint32_t>(plan->tasks.size())));
  }
  if (plan->options.index_policy == IndexPolicy::kStrict) {
    ARROW_RETURN_NOT_OK(CheckNothingUncovered(*plan, manifest, coverage));
  }
  plan->totals = SizeOf(planned);
  plan->remaining = Beyond(RewritableSize(input.fragments, plan->options), plan->totals);
  if (planned.stopped_by) {
    plan->stopped_by =
        CompactionStop{planned.stopped_by->budget, planned.stopped_by->allowed,
                       planned.stopped_by->needed, planned.stopped_by->next_fragment_id};
  }
  plan->left_out = std::move(input.left_out);
  ARROW_ASSIGN_OR_RAISE(const auto refreshes,
                        PlanZonemapRefresh(manifest, plan->spec, plan->options.rows_per_zone));
  for (const ZonemapRefresh& refresh : refreshes) {
    const bool is_extended = refresh.action == "none" && !plan->tasks.empty();
    plan->zonemaps.push_back({.column = refresh.column,
                              .action = is_extended ? "extend" : refresh.action,
                              .covered_fragments = refresh.covered_fragments});
  }
  return ClusteringCompactionPlan(std::move(plan));
}

arrow::Result<ClusteringCompactionPlan> PlanClusteringCompaction(
    const Dataset& dataset, const ClusteringCompactionOptions& options, const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const auto planner, ClusteringCompactionPlanner::Make(options));
  return planner.Plan(dataset, call);
}

const std::string& ClusteringCompactionTask::plan_id() const { return impl_->plan_id; }
uint32_t ClusteringCompactionTask::task_id() const { return impl_->task_id; }
const std::vector<uint64_t>& ClusteringCompactionTask::source_fragment_ids() const {
  return impl_->source_fragment_ids;
}
uint64_t ClusteringCompactionTask::source_rows() const { return impl_->source_rows; }
uint64_t ClusteringCompactionTask::source_bytes() const { return impl_->source_bytes; }
const std::string& ClusteringCompactionTask::reason() const { return impl_->reason; }

const std::string& ClusteringCompactionPlan::plan_id() const { return impl_->plan_id; }
uint64_t ClusteringCompactionPlan::read_version() const { return impl_->read_version; }
const ClusteringSpec& ClusteringCompactionPlan::spec() const { return impl_->spec; }
const std::vector<ClusteringCompactionTask>& ClusteringCompactionPlan::tasks() const {
  return impl_->tasks;
}
CompactionSize ClusteringCompactionPlan::totals() const { return impl_->totals; }
CompactionSize ClusteringCompactionPlan::remaining() const { return impl_->remaining; }
const std::optional<CompactionStop>& ClusteringCompactionPlan::stopped_by() const {
  return impl_->stopped_by;
}
const std::vector<LeftOutFragment>& ClusteringCompactionPlan::left_out() const {
  return impl_->left_out;
}
const std::vector<ZonemapOutcome>& ClusteringCompactionPlan::zonemaps() const {
  return impl_->zonemaps;
}
const ClusteringCompactionOptions& ClusteringCompactionPlan::options() const {
  return impl_->options;
}
const std::string& ClusteringCompactionPlan::table_uri() const { return impl_->table_uri; }

}  // namespace lance
