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
  std::vector<BasePath> initial_bases = {};  // id 0: not yet assigned; only of a new table
  /// The data version when there are no fragments to tell it; "": the table's, or the default. Not
  /// part of the stored message.
  std::string data_storage_version = {};
  /// A table that is created gets stable row ids; a table that is there has decided. Not part of
  /// the stored message.
  bool enable_stable_row_ids = false;
  /// Free metadata of a table that is created; a table that is there keeps its own. Not part of the
  /// stored message.
  std::map<std::string, std::string> table_metadata = {};
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

/// The `__lance_frag_reuse` entry that a rewrite leaves behind (table-format 10.5).
struct ReuseEntry {
  IndexMetadata entry;
  /// The one that it was made from and takes the place of; no value: there was none.
  std::optional<Uuid> replaced;
};

/// Move rows; values do not change.
struct Rewrite {
  std::vector<RewriteGroup> groups;
  std::vector<RewrittenIndex> rewritten_indices;
  /// Indices are left as they are, and this entry says where their rows went. Not part of the
  /// stored message.
  std::optional<ReuseEntry> reuse_entry = {};
};

/// Add and remove index segments, by uuid.
struct CreateIndex {
  std::vector<IndexMetadata> new_indices;
  std::vector<IndexMetadata> removed_indices;
};

/// Delete rows (table-format 5.3).
struct Delete {
  /// Complete descriptors with their new deletion files; of each only the deletion file is taken.
  std::vector<Fragment> updated_fragments;
  std::vector<uint64_t> deleted_fragment_ids;  // every row of them is deleted
  std::string predicate;                       // for people; "true": everything
  std::string unknown_fields = {};
};

/// How an Update changed its rows (table-format 5.4).
enum class UpdateMode : uint32_t {
  kRewriteRows = 0,     // deleted where they were, written again in new fragments
  kRewriteColumns = 1,  // new data files of some columns in the same fragments
};

/// Change rows, and perhaps add some (table-format 2.8, 5.4).
struct Update {
  std::vector<uint64_t> removed_fragment_ids;
  std::vector<Fragment> updated_fragments;  // complete descriptors, taken over whole
  std::vector<Fragment> new_fragments;      // id 0
  /// kRewriteColumns: the fields that were written again in the updated fragments.
  std::vector<int32_t> fields_modified;
  /// Fields whose values changed in the rows that moved; when in doubt all of them.
  std::vector<int32_t> fields_for_preserving_frag_bitmap;
  UpdateMode mode = UpdateMode::kRewriteRows;
  /// A KeyExistenceFilter message over the keys that were inserted, as stored.
  std::optional<std::string> inserted_rows;
  /// CompactedSsTable messages as stored; see CompactedShards.
  std::vector<std::string> compacted_sstables;
  /// kRewriteColumns: the changed offsets of each updated fragment, portable Roaring as stored.
  std::map<uint64_t, std::string> updated_offsets;
  std::string unknown_fields = {};
};

/// New schema and fragments: add columns, cast (table-format 5.8).
struct Merge {
  /// All fragments of the read version, then new ones with id 0 or a reserved one.
  std::vector<Fragment> fragments;
  format::LanceSchema schema;  // with its metadata
  /// Whether no column becomes stricter about nulls.
  bool preserves_nullability = false;
  std::string unknown_fields = {};
};

/// New schema over the fields there are: drop, rename, change nullability (table-format 5.7).
struct Project {
  format::LanceSchema schema;  // its metadata is not stored in the message
  bool preserves_nullability = false;
  std::string unknown_fields = {};
};

/// Make an older version the newest (table-format 5.9).
struct Restore {
  uint64_t version = 0;
  std::string unknown_fields = {};
};

/// A data file that replaces columns of one fragment.
struct DataReplacementGroup {
  uint64_t fragment_id = 0;
  DataFile new_file;
};

/// Replace or fill whole columns of some fragments (table-format 5.12).
struct DataReplacement {
  std::vector<DataReplacementGroup> groups;
  std::string unknown_fields = {};
};

/// Add places that files can be in (table-format 5.15).
struct UpdateBases {
  std::vector<BasePath> new_bases;  // id 0: not yet assigned
  std::string unknown_fields = {};
};

/// What a DataOverlay covers of one fragment.
struct OverlaidFragment {
  uint64_t fragment_id = 0;
  std::vector<int32_t> field_ids;
};

/// How far a shard of the memory WAL has been compacted.
struct ShardGeneration {
  std::string shard_id;  // the bytes of its UUID
  uint64_t generation = 0;
};

/// An operation of another writer that this version reads but does not write, kept as it came.
struct ForeignOperation {
  uint32_t field_number = 0;  // in the Transaction message; 0: none at all
  std::string name;           // "Clone", "DataOverlay", ...; "unknown" for an unassigned number
  std::string bytes;          // the operation's message
  std::vector<OverlaidFragment> overlaid;  // DataOverlay
  std::vector<ShardGeneration> shards;     // UpdateMemWalState
};

using Operation =
    std::variant<Append, Overwrite, UpdateConfig, ReserveFragments, Rewrite, CreateIndex, Delete,
                 Update, Merge, Project, Restore, DataReplacement, UpdateBases, ForeignOperation>;

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
