#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/object_store.h"

namespace lance::testing {

/// What a version holds, as text that two runs of the same operations share.
struct TableState {
  /// "1:10:a 2:20:b", in the order of the first column.
  std::string rows;
  /// Rows, schema, maps, definitions, fragments and indices; no names of files, ids or times.
  std::string whole;
};

/// Read everything of a version. \return a failure when any of it cannot be read
arrow::Result<TableState> StateOf(const Dataset& dataset);

/// Every object that a version refers to: manifest, transaction, data, deletions, indices.
arrow::Result<std::set<std::string>> PathsOf(const Dataset& dataset);

/// The detached versions of a table.
arrow::Result<std::vector<uint64_t>> DetachedVersions(ObjectStore& store);

/// A store in memory with the same objects.
arrow::Result<std::shared_ptr<ObjectStore>> CopyToMemory(ObjectStore& store);

}  // namespace lance::testing
