#include "lance/table/conflict.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "lance/table/operation_facts.h"

namespace lance::table {
namespace {

/// Kinds of operation, in the order of the columns below.
enum Kind {
  kAppend,
  kDelete,
  kUpdate,
  kOverwrite,
  kCreateIndex,
  kRewrite,
  kMerge,
  kProject,
  kRestore,
  kReserve,
  kUpdateConfig,
  kDataReplacement,
  kMemWal,
  kClone,
  kUpdateBases,
  kOverlay,
  kNumKnownKinds,
};

/// What a cell of the table says. Letters with a number are the notes of table-format 4.5.
enum class Rule { kOk, kR, kX, kN1, kF, kC1, kC2, kC3, kC4, kC5, kC6, kI1, kI2, kI3, kI4, kM1, kP };
using enum Rule;

using Row = std::array<Rule, kNumKnownKinds>;

/// One row of the table for each operation that we commit.
struct OperationRow {
  Kind ours;
  Row theirs;
};

// clang-format off
constexpr OperationRow kRows[] = {
    // theirs:      Append Delete Update Overwrite CreateIndex Rewrite Merge Project Restore Reserve UpdConfig DataRepl MemWal Clone UpdBases Overlay
    {kAppend,       {kOk,  kOk,   kOk,   kX,       kOk,        kOk,    kN1,  kN1,    kX,     kOk,    kOk,      kOk,     kX,    kOk,  kOk,     kOk}},
    {kOverwrite,    {kOk,  kOk,   kOk,   kC1,      kOk,        kOk,    kOk,  kOk,    kOk,    kOk,    kC2,      kOk,     kX,    kOk,  kOk,     kOk}},
    {kCreateIndex,  {kOk,  kOk,   kP,    kX,       kI1,        kI2,    kM1,  kOk,    kX,     kOk,    kOk,      kI3,     kX,    kOk,  kOk,     kOk}},
    {kRewrite,      {kOk,  kF,    kF,    kX,       kI4,        kF,     kR,   kOk,    kX,     kOk,    kOk,      kF,      kOk,   kOk,  kOk,     kF}},
    {kReserve,      {kOk,  kOk,   kOk,   kX,       kOk,        kOk,    kOk,  kOk,    kX,     kOk,    kOk,      kOk,     kOk,   kOk,  kOk,     kOk}},
    {kUpdateConfig, {kOk,  kOk,   kOk,   kC4,      kOk,        kOk,    kC3,  kOk,    kC6,    kOk,    kC5,      kOk,     kOk,   kOk,  kOk,     kOk}},
};
// clang-format on

/// Kinds of foreign operations by their number in the Transaction message.
struct ForeignColumn {
  uint32_t field_number;
  Kind kind;
};

constexpr ForeignColumn kForeignColumns[] = {
    {101, kDelete},          {105, kMerge},  {106, kRestore}, {108, kUpdate},      {109, kProject},
    {111, kDataReplacement}, {112, kMemWal}, {113, kClone},   {114, kUpdateBases}, {115, kOverlay},
};

/// The column of an operation; kNumKnownKinds: nobody knows it.
struct KindOf {
  Kind operator()(const Append&) const { return kAppend; }
  Kind operator()(const Overwrite&) const { return kOverwrite; }
  Kind operator()(const UpdateConfig&) const { return kUpdateConfig; }
  Kind operator()(const ReserveFragments&) const { return kReserve; }
  Kind operator()(const Rewrite&) const { return kRewrite; }
  Kind operator()(const CreateIndex&) const { return kCreateIndex; }
  Kind operator()(const ForeignOperation& foreign) const {
    const auto found =
        std::ranges::find(kForeignColumns, foreign.field_number, &ForeignColumn::field_number);
    return found == std::end(kForeignColumns) ? kNumKnownKinds : found->kind;
  }
};

constexpr std::string_view kReuseIndex = "__lance_frag_reuse";
constexpr std::string_view kMemWalIndex = "__lance_mem_wal";

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

/// n1: ours supplies values, and theirs may have made a column stricter about nulls.
ConflictVerdict CheckNullability(const Operation& theirs) {
  const auto& foreign = std::get<ForeignOperation>(theirs);
  return RetryableIf(!foreign.preserves_nullability, "it may have made a column not nullable");
}

/// f: both touch one fragment.
ConflictVerdict CheckFragments(const Operation& ours, const Operation& theirs) {
  const std::set<uint64_t> touched = TouchedFragments(ours);
  for (const uint64_t id : TouchedFragments(theirs)) {
    if (touched.contains(id)) return Retryable("both change fragment " + std::to_string(id));
  }
  return {};
}

/// A key that one side sets and the other sets or deletes; "": none.
std::string CollidingKey(const ConfigChange& ours, const ConfigChange& theirs) {
  for (const std::string& key : ours.upserted) {
    if (theirs.upserted.contains(key) || theirs.deleted.contains(key)) return key;
  }
  for (const std::string& key : theirs.upserted) {
    if (ours.deleted.contains(key)) return key;
  }
  // A replacement deletes whatever the other side set.
  if (ours.replaces_all && !theirs.upserted.empty()) return *theirs.upserted.begin();
  if (theirs.replaces_all && !ours.upserted.empty()) return *ours.upserted.begin();
  return "";
}

ConflictVerdict CheckConfigKeys(const Operation& ours, const Operation& theirs) {
  const std::string key = CollidingKey(ConfigChangeOf(ours), ConfigChangeOf(theirs));
  return IncompatibleIf(!key.empty(), "both change config key " + key);
}

/// c1: two overwrites.
ConflictVerdict CheckOverwrites(const Operation& ours, const Operation& theirs) {
  ConflictVerdict keys = CheckConfigKeys(ours, theirs);
  if (keys.compatibility != Compatibility::kCompatible) return keys;
  return Retryable("both overwrite the table");
}

bool TouchesSchemaOrFields(const UpdateConfig& update) {
  return update.schema_metadata.has_value() || !update.field_metadata.empty();
}

/// c4: our UpdateConfig met an overwrite.
ConflictVerdict CheckAgainstOverwrite(const Operation& ours, const Operation& theirs) {
  if (TouchesSchemaOrFields(std::get<UpdateConfig>(ours))) {
    return Incompatible("it replaced the schema whose metadata would change");
  }
  return CheckConfigKeys(ours, theirs);
}

bool TouchesSameKey(const std::optional<UpdateMap>& lhs, const std::optional<UpdateMap>& rhs) {
  if (!lhs || !rhs) return false;
  if (lhs->replace || rhs->replace) return true;
  return std::ranges::any_of(lhs->entries, [&](const auto& entry) {
    return std::ranges::any_of(rhs->entries,
                               [&](const auto& other) { return other.first == entry.first; });
  });
}

/// c5: two updates of config or metadata.
ConflictVerdict CheckUpdates(const Operation& ours, const Operation& theirs) {
  const auto& mine = std::get<UpdateConfig>(ours);
  const auto& other = std::get<UpdateConfig>(theirs);
  if (TouchesSameKey(mine.table_metadata, other.table_metadata)) {
    return Incompatible("both change the same table metadata");
  }
  if (mine.schema_metadata && other.schema_metadata) {
    return Incompatible("both change schema metadata");
  }
  for (const auto& [field_id, map] : mine.field_metadata) {
    if (other.field_metadata.contains(field_id)) {
      return Incompatible("both change metadata of field " + std::to_string(field_id));
    }
  }
  return CheckConfigKeys(ours, theirs);
}

/// i1: two index changes.
ConflictVerdict CheckIndexChanges(const Operation& ours, const Operation& theirs) {
  const IndexChange mine = IndexChangeOf(std::get<CreateIndex>(ours));
  const IndexChange other = IndexChangeOf(std::get<CreateIndex>(theirs));
  for (const std::string_view system : {kReuseIndex, kMemWalIndex}) {
    const std::string name(system);
    if (mine.Writes(name) && other.Writes(name)) return Retryable("both write index " + name);
  }
  for (const std::string& name : mine.added) {
    if (name == kReuseIndex || name == kMemWalIndex) continue;
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

/// i4: our rewrite met an index change.
arrow::Result<ConflictVerdict> CheckRewriteAgainstIndex(const Operation& ours,
                                                        const Operation& theirs) {
  const auto& create = std::get<CreateIndex>(theirs);
  if (IndexChangeOf(create).Writes(std::string(kReuseIndex))) {
    const bool is_trim = create.new_indices.size() == 1 && create.removed_indices.size() == 1;
    return IncompatibleIf(!is_trim, "it changed the fragment-reuse index");
  }
  return CheckIndexAndRewrite(create, TouchedFragments(ours));
}

/// i3 and p: values that our new index was built from have been written again.
///
/// Stricter than p, which would take the fragments out of the coverage: a rebuilt index is better
/// than one that does not cover them.
arrow::Result<ConflictVerdict> CheckIndexedValues(const Operation& ours, const Operation& theirs) {
  const auto& foreign = std::get<ForeignOperation>(theirs);
  if (foreign.written_field_ids.empty()) return ConflictVerdict{};
  const std::set<uint64_t> touched = TouchedFragments(theirs);
  const std::set<int32_t> written(foreign.written_field_ids.begin(),
                                  foreign.written_field_ids.end());
  for (const IndexMetadata& index : std::get<CreateIndex>(ours).new_indices) {
    // A written parent field is not in the index's own list, so coverage alone decides as well.
    ARROW_ASSIGN_OR_RAISE(const bool covers, CoversAny(index, touched));
    const bool depends =
        std::ranges::any_of(index.field_ids, [&](int32_t id) { return written.contains(id); });
    if (covers || depends) return Retryable("it wrote values that index " + index.name + " covers");
  }
  return ConflictVerdict{};
}

arrow::Result<ConflictVerdict> ApplyRule(Rule rule, const Operation& ours,
                                         const Operation& theirs) {
  switch (rule) {
    case kOk:
      return ConflictVerdict{};
    case kR:
      return Retryable("the two never go together");
    case kX:
      return Incompatible("the two never go together");
    case kN1:
      return CheckNullability(theirs);
    case kF:
      return CheckFragments(ours, theirs);
    case kC1:
      return CheckOverwrites(ours, theirs);
    case kC2:
      return CheckConfigKeys(ours, theirs);
    case kC3:
      return RetryableIf(TouchesSchemaOrFields(std::get<UpdateConfig>(ours)),
                         "it changed the schema whose metadata would change");
    case kC4:
      return CheckAgainstOverwrite(ours, theirs);
    case kC5:
      return CheckUpdates(ours, theirs);
    case kC6:
      return IncompatibleIf(TouchesSchemaOrFields(std::get<UpdateConfig>(ours)),
                            "it restored another schema");
    case kI1:
      return CheckIndexChanges(ours, theirs);
    case kI2:
      return CheckIndexAndRewrite(std::get<CreateIndex>(ours), TouchedFragments(theirs));
    case kI3:
    case kP:
      return CheckIndexedValues(ours, theirs);
    case kI4:
      return CheckRewriteAgainstIndex(ours, theirs);
    case kM1:
      return RetryableIf(
          IndexChangeOf(std::get<CreateIndex>(ours)).Writes(std::string(kMemWalIndex)),
          "it changed the table under a memory WAL");
  }
  return Incompatible("no rule is known");
}

}  // namespace

arrow::Result<ConflictVerdict> CheckConflict(const Operation& ours, const Operation& theirs) {
  const Kind column = std::visit(KindOf{}, theirs);
  if (column == kNumKnownKinds) return Incompatible("its operation is not known");
  const auto row = std::ranges::find(kRows, std::visit(KindOf{}, ours), &OperationRow::ours);
  if (row == std::end(kRows)) return Incompatible("this version does not commit our operation");
  return ApplyRule(row->theirs[column], ours, theirs);
}

}  // namespace lance::table
