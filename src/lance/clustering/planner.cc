#include "lance/clustering/planner.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lance::clustering {
namespace {

enum class FragmentRole { kStale, kPartial, kBoundary };

/// A fragment and the part it plays in this plan.
struct Candidate {
  const PlannerFragment* fragment = nullptr;
  FragmentRole role = FragmentRole::kBoundary;
  size_t group = 0;  // means something only for a fragment of the current definition
};

uint64_t SaturatingAdd(uint64_t lhs, uint64_t rhs) {
  const uint64_t sum = lhs + rhs;
  return sum < lhs ? std::numeric_limits<uint64_t>::max() : sum;
}

/// What fragments cost, by budget: fragments, rows, bytes.
constexpr std::array<std::string_view, 3> kBudgetNames = {"max_source_fragments", "max_source_rows",
                                                          "max_source_bytes"};
using Amounts = std::array<uint64_t, kBudgetNames.size()>;

Amounts CostOf(const PlannerFragment& fragment) {
  return {1, fragment.live_rows, fragment.size_bytes};
}

/// Adds up what the tasks of a plan take from the budgets (contract section 6 rule 5).
class BudgetMeter {
 public:
  explicit BudgetMeter(const PlannerBudget& budget)
      : allowed_{budget.max_source_fragments, budget.max_source_rows, budget.max_source_bytes} {}

  bool ExceedsAlone(const PlannerFragment& fragment) const {
    return FirstExceeded(fragment, Amounts{}).has_value();
  }

  bool WouldExceed(const PlannerFragment& fragment) const {
    return FirstExceeded(fragment, spent_).has_value();
  }

  /// \pre WouldExceed(fragment)
  StoppedBy ExceededBy(const PlannerFragment& fragment) const {
    const size_t i = *FirstExceeded(fragment, spent_);
    return {std::string(kBudgetNames[i]), *allowed_[i],
            SaturatingAdd(spent_[i], CostOf(fragment)[i]), fragment.id};
  }

  // Where a budget is set, sums cannot wrap: they stay below it. Elsewhere nobody looks at them.
  void Spend(const PlannerFragment& fragment) {
    const Amounts cost = CostOf(fragment);
    for (size_t i = 0; i < cost.size(); ++i) spent_[i] += cost[i];
  }

  void GiveBack(const PlannerFragment& fragment) {
    const Amounts cost = CostOf(fragment);
    for (size_t i = 0; i < cost.size(); ++i) spent_[i] -= cost[i];
  }

 private:
  std::optional<size_t> FirstExceeded(const PlannerFragment& fragment, const Amounts& spent) const {
    const Amounts cost = CostOf(fragment);
    for (size_t i = 0; i < cost.size(); ++i) {
      if (allowed_[i] && cost[i] > *allowed_[i] - spent[i]) return i;
    }
    return std::nullopt;
  }

  std::array<std::optional<uint64_t>, kBudgetNames.size()> allowed_;
  Amounts spent_{};
};

/// Fragments that would be rewritten together, in manifest order.
class OpenTask {
 public:
  void Add(const Candidate& candidate) {
    members_.push_back(candidate);
    live_rows_ = SaturatingAdd(live_rows_, candidate.fragment->live_rows);
  }

  bool empty() const { return members_.empty(); }
  uint64_t live_rows() const { return live_rows_; }
  const std::vector<Candidate>& members() const { return members_; }

  bool CoverageDiffers(const PlannerFragment& fragment) const {
    return !empty() && members_.back().fragment->coverage != fragment.coverage;
  }

 private:
  std::vector<Candidate> members_;
  uint64_t live_rows_ = 0;
};

/// Rules 1 and 2: number the groups, add up their rows over the whole manifest, give out the roles.
std::vector<Candidate> ClassifyFragments(std::span<const PlannerFragment> fragments,
                                         const PlannerOptions& options, const BudgetMeter& meter) {
  std::vector<Candidate> candidates(fragments.size());
  std::vector<uint64_t> group_rows;
  std::unordered_map<std::string_view, size_t> group_numbers;
  for (size_t i = 0; i < fragments.size(); ++i) {
    const PlannerFragment& fragment = fragments[i];
    candidates[i].fragment = &fragment;
    if (!fragment.is_current || options.full) continue;
    size_t group = group_rows.size();
    if (!fragment.group_id.empty()) {
      group = group_numbers.emplace(fragment.group_id, group).first->second;
    }
    if (group == group_rows.size()) group_rows.push_back(0);
    group_rows[group] = SaturatingAdd(group_rows[group], fragment.live_rows);
    candidates[i].group = group;
  }
  for (Candidate& candidate : candidates) {
    const PlannerFragment& fragment = *candidate.fragment;
    if (fragment.is_excluded) continue;
    if (!fragment.is_current || options.full) {
      candidate.role = FragmentRole::kStale;
    } else if (group_rows[candidate.group] < options.target_rows_per_group &&
               !meter.ExceedsAlone(fragment)) {
      candidate.role = FragmentRole::kPartial;
    }
  }
  return candidates;
}

/// The partial group with the most rows in the task, the first of equals.
struct LargestGroup {
  size_t group = 0;
  uint64_t rows = 0;
};

std::optional<LargestGroup> FindLargestGroup(const OpenTask& task) {
  std::unordered_map<size_t, uint64_t> rows;
  for (const Candidate& member : task.members()) {
    if (member.role != FragmentRole::kPartial) continue;
    uint64_t& sum = rows[member.group];
    sum = SaturatingAdd(sum, member.fragment->live_rows);
  }
  std::optional<LargestGroup> largest;
  for (const Candidate& member : task.members()) {  // in order, so that the first of equals stays
    if (member.role != FragmentRole::kPartial) continue;
    const uint64_t sum = rows[member.group];
    if (!largest || sum > largest->rows) largest = LargestGroup{member.group, sum};
  }
  return largest;
}

bool IsOf(const Candidate& member, size_t group) {
  return member.role == FragmentRole::kPartial && member.group == group;
}

bool IsWorthIt(const OpenTask& task, const LargestGroup& largest, double min_merge_ratio) {
  const auto& members = task.members();
  const bool has_others = std::any_of(members.begin(), members.end(), [&](const Candidate& member) {
    return !IsOf(member, largest.group);
  });
  const uint64_t other_rows = task.live_rows() - largest.rows;
  return has_others &&
         !(static_cast<double>(other_rows) < min_merge_ratio * static_cast<double>(largest.rows));
}

/// The consecutive parts that are left when a group is taken out, last first.
std::vector<OpenTask> TakeOut(const OpenTask& task, size_t group, BudgetMeter* meter) {
  std::vector<OpenTask> parts(1);
  for (const Candidate& member : task.members()) {
    if (IsOf(member, group)) {
      meter->GiveBack(*member.fragment);
      if (!parts.back().empty()) parts.emplace_back();
    } else {
      parts.back().Add(member);
    }
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

/// Rule 4: what of a closed task is worth rewriting, in manifest order.
std::vector<OpenTask> WorthRewriting(OpenTask closed, double min_merge_ratio, BudgetMeter* meter) {
  std::vector<OpenTask> kept;
  std::vector<OpenTask> to_judge;  // a stack: what comes first in the manifest is on top
  to_judge.push_back(std::move(closed));
  while (!to_judge.empty()) {
    OpenTask task = std::move(to_judge.back());
    to_judge.pop_back();
    if (task.empty()) continue;
    const auto largest = FindLargestGroup(task);
    if (!largest || IsWorthIt(task, *largest, min_merge_ratio)) {
      kept.push_back(std::move(task));
      continue;
    }
    for (OpenTask& part : TakeOut(task, largest->group, meter)) to_judge.push_back(std::move(part));
  }
  return kept;
}

PlannedTask ToPlannedTask(const OpenTask& task) {
  PlannedTask planned;
  planned.rows = task.live_rows();
  for (const Candidate& member : task.members()) {
    planned.fragment_ids.push_back(member.fragment->id);
    planned.bytes = SaturatingAdd(planned.bytes, member.fragment->size_bytes);
    planned.has_partial_group |= member.role == FragmentRole::kPartial;
  }
  return planned;
}

}  // namespace

PlannedTasks PlanTasks(std::span<const PlannerFragment> fragments, const PlannerOptions& options) {
  BudgetMeter meter(options.budget);
  PlannedTasks plan;
  OpenTask open;

  const auto close_task = [&] {
    for (const OpenTask& kept :
         WorthRewriting(std::exchange(open, {}), options.min_merge_ratio, &meter)) {
      plan.tasks.push_back(ToPlannedTask(kept));  // what was not kept gave its budget back
    }
  };

  for (const Candidate& candidate : ClassifyFragments(fragments, options, meter)) {
    const PlannerFragment& fragment = *candidate.fragment;
    if (candidate.role == FragmentRole::kBoundary) {
      close_task();
      continue;
    }
    if (open.CoverageDiffers(fragment)) close_task();
    if (meter.WouldExceed(fragment)) close_task();
    if (meter.WouldExceed(fragment)) {
      plan.stopped_by = meter.ExceededBy(fragment);
      break;
    }
    meter.Spend(fragment);
    open.Add(candidate);
    if (open.live_rows() >= options.target_rows_per_group) close_task();
  }
  close_task();
  for (const PlannedTask& task : plan.tasks) {
    plan.spent_fragments += task.fragment_ids.size();
    plan.spent_rows = SaturatingAdd(plan.spent_rows, task.rows);
    plan.spent_bytes = SaturatingAdd(plan.spent_bytes, task.bytes);
  }
  return plan;
}

bool MakesProgress(const PlannedTask& task, std::span<const PlannerFragment> fragments,
                   const PlannerOptions& options) {
  if (options.full) return true;
  const std::set<uint64_t> in_task(task.fragment_ids.begin(), task.fragment_ids.end());
  std::map<std::string, bool> is_whole;  // by group, of groups that the task touches or not
  uint64_t num_single = 0;               // fragments that are a group of their own
  for (const PlannerFragment& fragment : fragments) {
    const bool is_inside = in_task.contains(fragment.id);
    if (!fragment.is_current) {
      if (is_inside) return true;
    } else if (fragment.group_id.empty()) {
      num_single += is_inside ? 1 : 0;
    } else {
      const auto [entry, is_new] = is_whole.try_emplace(fragment.group_id, is_inside);
      entry->second = entry->second && is_inside;
    }
  }
  const auto num_whole = static_cast<uint64_t>(std::count_if(
      is_whole.begin(), is_whole.end(), [](const auto& group) { return group.second; }));
  const uint64_t num_left = task.rows < options.target_rows_per_group ? 1 : 0;
  return num_whole + num_single > num_left;
}

}  // namespace lance::clustering
