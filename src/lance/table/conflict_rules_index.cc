#include <algorithm>
#include <set>

#include "lance/table/conflict_rules.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/mem_wal.h"
#include "lance/table/operation_facts.h"

namespace lance::table {
namespace {

/// The CreateIndex of a pair that has one, in either order, and the other operation.
struct IndexPair {
  const CreateIndex* create;
  const Operation* other;
};

IndexPair SortIndexPair(const Operation& ours, const Operation& theirs) {
  if (const auto* create = std::get_if<CreateIndex>(&ours)) return {create, &theirs};
  return {&std::get<CreateIndex>(theirs), &ours};
}

/// i2, i4: an index and a rewrite; the rewrite's index treatment does not know the index.
///
/// Of a rewrite that records itself in a fragment-reuse index nothing shows in the transaction; it
/// is taken for one that does not, which is the stricter reading.
arrow::Result<ConflictVerdict> CheckIndexAndRewrite(const CreateIndex& create,
                                                    const std::set<uint64_t>& old_fragments) {
  for (const IndexMetadata& index : create.new_indices) {
    ARROW_ASSIGN_OR_RAISE(const bool covers, CoversAny(index, old_fragments));
    if (covers) return Retryable("index " + index.name + " covers a rewritten fragment");
  }
  return ConflictVerdict{};
}

/// Values that a new index was built from have been written again.
///
/// \param only_covered whether an index that covers none of the fragments is left alone
arrow::Result<ConflictVerdict> CheckIndexedValues(const IndexPair& pair, bool only_covered) {
  const std::set<int32_t> written = WrittenFields(*pair.other);
  if (written.empty()) return ConflictVerdict{};
  const std::set<uint64_t> touched = TouchedFragments(*pair.other);
  for (const IndexMetadata& index : pair.create->new_indices) {
    ARROW_ASSIGN_OR_RAISE(const bool covers, CoversAny(index, touched));
    const bool depends =
        std::ranges::any_of(index.field_ids, [&](int32_t id) { return written.contains(id); });
    // A written parent field is not in the index's own list, so coverage decides as well.
    if (covers || (depends && !only_covered)) {
      return Retryable("values that index " + index.name + " covers were written again");
    }
  }
  return ConflictVerdict{};
}

}  // namespace

arrow::Result<ConflictVerdict> RuleI1(const Operation& ours, const Operation& theirs) {
  const IndexChange mine = IndexChangeOf(std::get<CreateIndex>(ours));
  const IndexChange other = IndexChangeOf(std::get<CreateIndex>(theirs));
  for (const std::string_view system : {kFragmentReuseName, kMemWalIndex}) {
    const std::string name(system);
    if (mine.Writes(name) && other.Writes(name)) return Retryable("both write index " + name);
  }
  for (const std::string& name : mine.added) {
    if (name == kFragmentReuseName || name == kMemWalIndex) continue;
    if (other.added.contains(name)) return Retryable("both add segments of index " + name);
    if (other.removed.contains(name) && !mine.removed.contains(name)) {
      return Retryable("it removed segments of index " + name);
    }
  }
  for (const std::string& name : other.added) {
    if (mine.removed.contains(name) && !other.removed.contains(name)) {
      return Retryable("it added segments of index " + name);
    }
  }
  return RetryableIf(
      mine.RemovesSameSegmentAs(other) && !(mine.added.empty() && other.added.empty()),
      "both replace one index segment");
}

arrow::Result<ConflictVerdict> RuleI2(const Operation& ours, const Operation& theirs) {
  return CheckIndexAndRewrite(std::get<CreateIndex>(ours), TouchedFragments(theirs));
}

arrow::Result<ConflictVerdict> RuleI3(const Operation& ours, const Operation& theirs) {
  return CheckIndexedValues(SortIndexPair(ours, theirs), /*only_covered=*/false);
}

arrow::Result<ConflictVerdict> RuleI4(const Operation& ours, const Operation& theirs) {
  const auto& create = std::get<CreateIndex>(theirs);
  if (IndexChangeOf(create).Writes(std::string(kFragmentReuseName))) {
    const bool is_trim = create.new_indices.size() == 1 && create.removed_indices.size() == 1;
    return IncompatibleIf(!is_trim, "it changed the fragment-reuse index");
  }
  return CheckIndexAndRewrite(create, TouchedFragments(ours));
}

arrow::Result<ConflictVerdict> RuleM1(const Operation& ours, const Operation& theirs) {
  const CreateIndex& create = *SortIndexPair(ours, theirs).create;
  return RetryableIf(IndexChangeOf(create).Writes(std::string(kMemWalIndex)),
                     "the table changed under a memory WAL");
}

arrow::Result<ConflictVerdict> RuleP(const Operation& ours, const Operation& theirs) {
  // Stricter than the rule, which would take the fragments out of the coverage: an index that is
  // built again is better than one that does not cover them.
  return CheckIndexedValues(SortIndexPair(ours, theirs), /*only_covered=*/true);
}

}  // namespace lance::table
