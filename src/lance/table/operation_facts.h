#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "arrow/result.h"
#include "lance/table/transaction.h"

namespace lance::table {

// What the conflict rules ask of an operation.

/// Ids of the fragments that an operation changes or removes; a rewrite's old fragments.
std::set<uint64_t> TouchedFragments(const Operation& operation);

/// Ids of the fragments that a Delete or an Update removes outright.
std::set<uint64_t> RemovedFragments(const Operation& operation);

/// Ids of the fields that an Update or a DataReplacement writes again in fragments that stay.
std::set<int32_t> WrittenFields(const Operation& operation);

/// Whether no column becomes stricter about nulls; only Merge and Project can say no.
bool PreservesNullability(const Operation& operation);

/// Config keys that an Overwrite or UpdateConfig changes.
struct ConfigChange {
  std::set<std::string> upserted;
  std::set<std::string> deleted;
  bool replaces_all = false;
};

/// \pre the operation is an Overwrite or an UpdateConfig; others change nothing
ConfigChange ConfigChangeOf(const Operation& operation);

/// Names and segments that a CreateIndex changes.
struct IndexChange {
  std::set<std::string> added;
  std::set<std::string> removed;
  std::set<Uuid> removed_segments;

  /// Whether it adds or removes segments of an index.
  bool Writes(const std::string& name) const;
  bool RemovesSameSegmentAs(const IndexChange& other) const;
};

/// Collect them.
IndexChange IndexChangeOf(const CreateIndex& create);

/// Whether a segment covers one of the fragments; one of unknown coverage does, even if there are
/// none.
arrow::Result<bool> CoversAny(const IndexMetadata& index, const std::set<uint64_t>& fragment_ids);

}  // namespace lance::table
