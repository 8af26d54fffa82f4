#include <algorithm>
#include <set>

#include "lance/table/conflict_rules.h"
#include "lance/table/mem_wal.h"
#include "lance/table/operation_facts.h"

namespace lance::table {
namespace {

/// w: the shards that both sides compacted.
ConflictVerdict CompareShards(const std::vector<ShardGeneration>& ours,
                              const std::vector<ShardGeneration>& theirs) {
  ConflictVerdict verdict;
  for (const ShardGeneration& mine : ours) {
    for (const ShardGeneration& other : theirs) {
      if (mine.shard_id != other.shard_id) continue;
      if (other.generation >= mine.generation) {
        return Incompatible("it compacted the same shard of the memory WAL as far as we do");
      }
      verdict = Retryable("it compacted the same shard of the memory WAL");
    }
  }
  return verdict;
}

bool WritesMemWal(const CreateIndex& create) {
  return IndexChangeOf(create).Writes(std::string(kMemWalIndex));
}

/// Whether an overlay covers a field that an update rewrote in one of its fragments.
bool CoversRewrittenField(const ForeignOperation& overlay, const Update& update) {
  return std::ranges::any_of(overlay.overlaid, [&](const OverlaidFragment& overlaid) {
    if (std::ranges::find(update.updated_fragments, overlaid.fragment_id, &Fragment::id) ==
        update.updated_fragments.end()) {
      return false;
    }
    return std::ranges::find_first_of(overlaid.field_ids, update.fields_modified) !=
           overlaid.field_ids.end();
  });
}

/// Which rows an update moves is not in its message, so any row of the fragment may be covered.
bool MovesCoveredRows(const Update& update, const Operation& overlay) {
  if (update.mode != UpdateMode::kRewriteRows || update.new_fragments.empty()) return false;
  const std::set<uint64_t> touched = TouchedFragments(Operation(update));
  return std::ranges::any_of(TouchedFragments(overlay),
                             [&](uint64_t id) { return touched.contains(id); });
}

}  // namespace

arrow::Result<ConflictVerdict> RuleO1(const Operation& ours, const Operation& theirs) {
  const auto& update = std::get<Update>(ours);
  const bool conflicts = update.mode == UpdateMode::kRewriteColumns
                             ? CoversRewrittenField(std::get<ForeignOperation>(theirs), update)
                             : MovesCoveredRows(update, theirs);
  return RetryableIf(conflicts, "it overlaid values that we change");
}

arrow::Result<ConflictVerdict> RuleO2(const Operation& ours, const Operation& theirs) {
  const std::set<uint64_t> removed = RemovedFragments(theirs);
  const bool conflicts = std::ranges::any_of(TouchedFragments(ours),
                                             [&](uint64_t id) { return removed.contains(id); });
  return RetryableIf(conflicts, "it removed a fragment that we overlay");
}

arrow::Result<ConflictVerdict> RuleO3(const Operation& ours, const Operation& theirs) {
  if (MovesCoveredRows(std::get<Update>(theirs), ours)) {
    return Retryable("it moved rows of a fragment that we overlay");
  }
  return RuleO2(ours, theirs);
}

arrow::Result<ConflictVerdict> RuleW(const Operation& ours, const Operation& theirs) {
  ARROW_ASSIGN_OR_RAISE(const auto mine, CompactedShards(ours));
  ARROW_ASSIGN_OR_RAISE(const auto other, CompactedShards(theirs));
  return CompareShards(mine, other);
}

arrow::Result<ConflictVerdict> RuleM2(const Operation& ours, const Operation& theirs) {
  if (const auto* create = std::get_if<CreateIndex>(&ours)) {
    // Its rebase would merge both states; nothing of ours writes this index.
    if (WritesMemWal(*create)) return Retryable("it changed the state of the memory WAL");
    return Incompatible("it changed the state of the memory WAL");
  }
  const auto& create = std::get<CreateIndex>(theirs);
  ARROW_ASSIGN_OR_RAISE(const auto mine, CompactedShards(ours));
  for (const IndexMetadata& index : create.new_indices) {
    if (index.name != kMemWalIndex) continue;
    ARROW_ASSIGN_OR_RAISE(const auto other, CompactedShards(index));
    return CompareShards(mine, other);
  }
  return ConflictVerdict{};
}

}  // namespace lance::table
