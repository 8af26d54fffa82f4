#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arrow/result.h"
#include "lance/file_operations.h"
#include "lance/transaction.h"

namespace lance {

/// Changes to one map as a transaction stores them. A plain value.
struct StoredMapUpdate {
  /// Keys to set, in their order; no value: delete the key.
  std::vector<std::pair<std::string, std::optional<std::string>>> updates;
  /// Make the map exactly these entries.
  bool replace = false;
};

/// An UpdateConfig as a transaction stores it. A plain value.
struct StoredConfigUpdate {
  /// Of the configuration.
  std::optional<StoredMapUpdate> config;
  /// Of the table's metadata.
  std::optional<StoredMapUpdate> table_metadata;
  /// Of the schema's metadata.
  std::optional<StoredMapUpdate> schema_metadata;
  /// Of the metadata of fields, by id.
  std::map<int32_t, StoredMapUpdate> field_metadata;
};

/// What a transaction does, as callers give it to make one; nothing for a kind without a struct,
/// which Transaction::operation names.
using StoredOperation =
    std::variant<std::monostate, AppendOperation, OverwriteOperation, DeleteOperation,
                 UpdateOperation, MergeOperation, ProjectOperation, RestoreOperation,
                 RewriteOperation, StoredConfigUpdate, UpdateBasesOperation,
                 DataReplacementOperation, CreateIndexOperation>;

/// Look into a transaction. What the structs do not say of it is left out.
///
/// \return NotImplemented + UnsupportedFeature for a schema with types that this version lacks
arrow::Result<StoredOperation> OperationOf(const Transaction& transaction);

}  // namespace lance
