#include "lance/table/conflict_rules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "lance/table/operation_facts.h"

namespace lance::table {
namespace {

/// The first fragment that both sets hold.
std::optional<uint64_t> CommonFragment(const std::set<uint64_t>& lhs,
                                       const std::set<uint64_t>& rhs) {
  const auto found = std::ranges::find_if(lhs, [&](uint64_t id) { return rhs.contains(id); });
  return found == lhs.end() ? std::nullopt : std::optional<uint64_t>(*found);
}

std::string NameOfFragment(uint64_t id) { return "fragment " + std::to_string(id); }

/// Whether there is anything to rebase; what only removes whole fragments is redone.
bool HasUpdatedFragments(const Operation& operation) {
  if (const auto* deletion = std::get_if<Delete>(&operation)) {
    return !deletion->updated_fragments.empty();
  }
  return !std::get<Update>(operation).updated_fragments.empty();
}

/// The first field that a projection drops.
std::optional<int32_t> DroppedField(const std::set<int32_t>& field_ids, const Project& project) {
  for (const int32_t id : field_ids) {
    if (id >= 0 && project.schema.FindById(id) == nullptr) return id;
  }
  return std::nullopt;
}

bool MovesRows(const Update& update) {
  return update.mode == UpdateMode::kRewriteRows && !update.new_fragments.empty();
}

}  // namespace

ConflictVerdict Retryable(std::string reason) {
  return {Compatibility::kRetryable, std::move(reason)};
}

ConflictVerdict Incompatible(std::string reason) {
  return {Compatibility::kIncompatible, std::move(reason)};
}

ConflictVerdict RetryableIf(bool condition, std::string_view reason) {
  return condition ? Retryable(std::string(reason)) : ConflictVerdict{};
}

ConflictVerdict IncompatibleIf(bool condition, std::string_view reason) {
  return condition ? Incompatible(std::string(reason)) : ConflictVerdict{};
}

arrow::Result<ConflictVerdict> RulePass(const Operation&, const Operation&) {
  return ConflictVerdict{};
}

arrow::Result<ConflictVerdict> RuleRetry(const Operation&, const Operation&) {
  return Retryable("the two never go together");
}

arrow::Result<ConflictVerdict> RuleFail(const Operation&, const Operation&) {
  return Incompatible("the two never go together");
}

arrow::Result<ConflictVerdict> RuleF(const Operation& ours, const Operation& theirs) {
  const auto common = CommonFragment(TouchedFragments(ours), TouchedFragments(theirs));
  if (!common) return ConflictVerdict{};
  return Retryable("both change " + NameOfFragment(*common));
}

arrow::Result<ConflictVerdict> RuleA(const Operation& ours, const Operation& theirs) {
  const std::set<uint64_t> touched = TouchedFragments(ours);
  const auto removed = CommonFragment(touched, RemovedFragments(theirs));
  if (removed) return Retryable("it removed " + NameOfFragment(*removed));
  const auto common = CommonFragment(touched, TouchedFragments(theirs));
  if (!common) return ConflictVerdict{};
  std::string reason = "both change rows of " + NameOfFragment(*common);
  if (!HasUpdatedFragments(ours)) return Retryable(std::move(reason));
  return ConflictVerdict{Compatibility::kRebase, std::move(reason)};
}

arrow::Result<ConflictVerdict> RuleAK2(const Operation& ours, const Operation& theirs) {
  // Filters of inserted keys are not compared, because this version writes none: of two the
  // stricter answer is given.
  if (std::holds_alternative<Update>(theirs) && std::get<Update>(ours).inserted_rows) {
    return Retryable("it may have inserted the same keys");
  }
  return RuleA(ours, theirs);
}

arrow::Result<ConflictVerdict> RuleK1(const Operation& ours, const Operation&) {
  return RetryableIf(std::get<Update>(ours).inserted_rows.has_value(),
                     "it may have added the same keys");
}

arrow::Result<ConflictVerdict> RuleN1(const Operation& ours, const Operation& theirs) {
  return RetryableIf(!PreservesNullability(ours) || !PreservesNullability(theirs),
                     "a column may have become not nullable while values were added");
}

arrow::Result<ConflictVerdict> RuleN1K3(const Operation& ours, const Operation& theirs) {
  const auto dropped = DroppedField(WrittenFields(ours), std::get<Project>(theirs));
  if (dropped) return Retryable("it dropped field " + std::to_string(*dropped));
  return RuleN1(ours, theirs);
}

arrow::Result<ConflictVerdict> RuleD1(const Operation& ours, const Operation& theirs) {
  const auto removed = CommonFragment(TouchedFragments(ours), RemovedFragments(theirs));
  if (!removed) return ConflictVerdict{};
  return Incompatible("it removed " + NameOfFragment(*removed));
}

arrow::Result<ConflictVerdict> RuleD2(const Operation& ours, const Operation& theirs) {
  ARROW_ASSIGN_OR_RAISE(ConflictVerdict removed, RuleD1(ours, theirs));
  if (removed.compatibility != Compatibility::kCompatible) return removed;
  const auto common = CommonFragment(TouchedFragments(ours), TouchedFragments(theirs));
  if (!common) return ConflictVerdict{};
  const std::set<int32_t> written = WrittenFields(theirs);
  const bool shares_field =
      std::ranges::any_of(WrittenFields(ours), [&](int32_t id) { return written.contains(id); });
  return RetryableIf(shares_field || MovesRows(std::get<Update>(theirs)),
                     "it changed values of " + NameOfFragment(*common));
}

arrow::Result<ConflictVerdict> RuleD3(const Operation& ours, const Operation& theirs) {
  const auto dropped = DroppedField(WrittenFields(ours), std::get<Project>(theirs));
  if (dropped) return Incompatible("it dropped field " + std::to_string(*dropped));
  return RuleN1(ours, theirs);
}

arrow::Result<ConflictVerdict> RuleD4(const Operation& ours, const Operation& theirs) {
  for (const DataReplacementGroup& mine : std::get<DataReplacement>(ours).groups) {
    for (const DataReplacementGroup& other : std::get<DataReplacement>(theirs).groups) {
      if (mine.fragment_id != other.fragment_id) continue;
      const auto& written = other.new_file.field_ids;
      if (std::ranges::find_first_of(mine.new_file.field_ids, written) ==
          mine.new_file.field_ids.end()) {
        continue;
      }
      return Retryable("both replace one column of " + NameOfFragment(mine.fragment_id));
    }
  }
  return ConflictVerdict{};
}

arrow::Result<ConflictVerdict> RuleB1(const Operation& ours, const Operation& theirs) {
  for (const BasePath& mine : std::get<UpdateBases>(ours).new_bases) {
    for (const BasePath& other : std::get<UpdateBases>(theirs).new_bases) {
      if ((mine.id != 0 && mine.id == other.id) || mine.path == other.path ||
          (mine.name && mine.name == other.name)) {
        return Incompatible("both add base path " + mine.path);
      }
    }
  }
  return ConflictVerdict{};
}

}  // namespace lance::table
