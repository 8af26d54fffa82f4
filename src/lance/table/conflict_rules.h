#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/table/conflict.h"

namespace lance::table {

// The rules that the cells of the conflict table name: the notes of table-format 4.5. Each takes
// our operation and theirs, and may rely on the kinds of the cells that it stands in.

/// A cell of the conflict table.
using ConflictRule = arrow::Result<ConflictVerdict> (*)(const Operation& ours,
                                                        const Operation& theirs);

/// "The whole operation can be redone", and why.
ConflictVerdict Retryable(std::string reason);
/// "It fails for good", and why.
ConflictVerdict Incompatible(std::string reason);
/// Retryable when the condition holds, else compatible.
ConflictVerdict RetryableIf(bool condition, std::string_view reason);
/// Incompatible when the condition holds, else compatible.
ConflictVerdict IncompatibleIf(bool condition, std::string_view reason);

// conflict_rules.cc: fragments, rows, schema.

/// '.': compatible.
arrow::Result<ConflictVerdict> RulePass(const Operation& ours, const Operation& theirs);
/// 'R': retryable.
arrow::Result<ConflictVerdict> RuleRetry(const Operation& ours, const Operation& theirs);
/// 'X': incompatible.
arrow::Result<ConflictVerdict> RuleFail(const Operation& ours, const Operation& theirs);
/// f: both touch one fragment.
arrow::Result<ConflictVerdict> RuleF(const Operation& ours, const Operation& theirs);
/// a: both delete or update rows of one fragment.
arrow::Result<ConflictVerdict> RuleA(const Operation& ours, const Operation& theirs);
/// a and k2: an update that says which keys it inserted.
arrow::Result<ConflictVerdict> RuleAK2(const Operation& ours, const Operation& theirs);
/// k1: our update says which keys it inserted, theirs may have added the same.
arrow::Result<ConflictVerdict> RuleK1(const Operation& ours, const Operation& theirs);
/// n1: one side supplies values, the other may make a column stricter about nulls.
arrow::Result<ConflictVerdict> RuleN1(const Operation& ours, const Operation& theirs);
/// n1 and k3: their projection drops a field that our update rewrote.
arrow::Result<ConflictVerdict> RuleN1K3(const Operation& ours, const Operation& theirs);
/// d1: we replace columns of a fragment that they deleted.
arrow::Result<ConflictVerdict> RuleD1(const Operation& ours, const Operation& theirs);
/// d2: we replace columns of a fragment that they updated.
arrow::Result<ConflictVerdict> RuleD2(const Operation& ours, const Operation& theirs);
/// d3: we replace a column that they dropped; else n1.
arrow::Result<ConflictVerdict> RuleD3(const Operation& ours, const Operation& theirs);
/// d4: both replace one column of one fragment.
arrow::Result<ConflictVerdict> RuleD4(const Operation& ours, const Operation& theirs);
/// b1: both add the same base path.
arrow::Result<ConflictVerdict> RuleB1(const Operation& ours, const Operation& theirs);

// conflict_rules_overlay.cc: overlays and the memory WAL, which others write.

/// o1: they overlaid fragments that our update changes.
arrow::Result<ConflictVerdict> RuleO1(const Operation& ours, const Operation& theirs);
/// o2: we overlay a fragment that they deleted.
arrow::Result<ConflictVerdict> RuleO2(const Operation& ours, const Operation& theirs);
/// o3: we overlay a fragment that they removed or moved rows out of.
arrow::Result<ConflictVerdict> RuleO3(const Operation& ours, const Operation& theirs);
/// w: both record the compaction of one shard.
arrow::Result<ConflictVerdict> RuleW(const Operation& ours, const Operation& theirs);
/// m2: an index change and the state of the memory WAL.
arrow::Result<ConflictVerdict> RuleM2(const Operation& ours, const Operation& theirs);

// conflict_rules_config.cc: config and metadata.

/// c1: two overwrites.
arrow::Result<ConflictVerdict> RuleC1(const Operation& ours, const Operation& theirs);
/// c2: our overwrite and their config update.
arrow::Result<ConflictVerdict> RuleC2(const Operation& ours, const Operation& theirs);
/// c3: a merge and a config update, in either order.
arrow::Result<ConflictVerdict> RuleC3(const Operation& ours, const Operation& theirs);
/// c4: our config update and their overwrite.
arrow::Result<ConflictVerdict> RuleC4(const Operation& ours, const Operation& theirs);
/// c5: two config updates.
arrow::Result<ConflictVerdict> RuleC5(const Operation& ours, const Operation& theirs);
/// c6: a restore and a config update, in either order.
arrow::Result<ConflictVerdict> RuleC6(const Operation& ours, const Operation& theirs);

// conflict_rules_index.cc: index segments.

/// i1: two index changes.
arrow::Result<ConflictVerdict> RuleI1(const Operation& ours, const Operation& theirs);
/// i2: our index and their rewrite.
arrow::Result<ConflictVerdict> RuleI2(const Operation& ours, const Operation& theirs);
/// i3: an index and a data replacement, in either order.
arrow::Result<ConflictVerdict> RuleI3(const Operation& ours, const Operation& theirs);
/// i4: our rewrite and their index.
arrow::Result<ConflictVerdict> RuleI4(const Operation& ours, const Operation& theirs);
/// m1: an index change and a merge, in either order.
arrow::Result<ConflictVerdict> RuleM1(const Operation& ours, const Operation& theirs);
/// p: our index and values that their update rewrote.
arrow::Result<ConflictVerdict> RuleP(const Operation& ours, const Operation& theirs);

}  // namespace lance::table
