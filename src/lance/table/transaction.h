#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lance/table/manifest.h"

namespace lance::table {

/// Add fragments. Ids are 0 until the commit.
struct Append {
  std::vector<Fragment> fragments;
};

/// Replace everything, or create the table.
struct Overwrite {
  std::vector<Fragment> fragments;
  format::LanceSchema schema;
  std::map<std::string, std::string> config_upsert_values;
  /// The data version when there are no fragments to tell it; "": the table's, or the default. Not
  /// part of the stored message.
  std::string data_storage_version = {};
};

/// Changes to one string map. An entry without value deletes the key.
struct UpdateMap {
  std::vector<std::pair<std::string, std::optional<std::string>>> entries;
  bool replace = false;
};

/// Change config, table metadata, schema metadata or field metadata.
struct UpdateConfig {
  std::optional<UpdateMap> config;
  std::optional<UpdateMap> table_metadata;
  std::optional<UpdateMap> schema_metadata;
  std::map<int32_t, UpdateMap> field_metadata;
};

/// Take fragment ids without using them yet.
struct ReserveFragments {
  uint32_t num_fragments = 0;
};

/// Replace fragments by others that hold the same live rows.
struct RewriteGroup {
  std::vector<Fragment> old_fragments;
  std::vector<Fragment> new_fragments;  // with their reserved ids
};

/// A segment that a rewrite replaces.
struct RewrittenIndex {
  Uuid old_uuid;
  Uuid new_uuid;
  std::string details_type_url;
  std::string details_value;
  uint32_t index_version = 0;
  std::vector<IndexFile> files;
};

/// Move rows; values do not change.
struct Rewrite {
  std::vector<RewriteGroup> groups;
  std::vector<RewrittenIndex> rewritten_indices;
};

/// Add and remove index segments, by uuid.
struct CreateIndex {
  std::vector<IndexMetadata> new_indices;
  std::vector<IndexMetadata> removed_indices;
};

/// An operation of another writer that this version reads but does not write, kept as it came.
struct ForeignOperation {
  uint32_t field_number = 0;  // in the Transaction message; 0: none at all
  std::string name;           // "Delete", "Update", ...; "unknown" for a number nobody assigned
  std::string bytes;          // the operation's message
  /// Fragment ids that it changes or removes, for the conflict rules.
  std::vector<uint64_t> touched_fragment_ids;
  /// Field ids whose values it writes in place (Update, DataReplacement).
  std::vector<int32_t> written_field_ids;
  /// Merge and Project: whether they say that no column becomes stricter about nulls.
  bool preserves_nullability = false;
};

using Operation = std::variant<Append, Overwrite, UpdateConfig, ReserveFragments, Rewrite,
                               CreateIndex, ForeignOperation>;

/// The operation's published name, for example "Append".
std::string_view OperationName(const Operation& operation);

/// A change to commit (table-format 2.8).
struct Transaction {
  uint64_t read_version = 0;
  std::string uuid;  // hyphenated, lower case
  std::string tag;
  std::map<std::string, std::string> properties;
  Operation operation;
  std::string unknown_fields;
};

}  // namespace lance::table
