#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/base/uuid.h"
#include "lance/clustering.h"
#include "lance/format/schema.h"
#include "lance/object_store.h"

namespace lance::table {

// Plain structs for the messages of table-format 2. Each carries `unknown_fields`: the serialized
// fields of its message that the struct does not name, written back as they came.

/// One data file of a fragment.
struct DataFile {
  std::string path;  // one path component below data/
  std::vector<int32_t> field_ids;
  std::vector<int32_t> column_indices;
  uint32_t major_version = 2;
  uint32_t minor_version = 1;
  uint64_t size_bytes = 0;  // 0: unknown
  std::optional<uint32_t> base_id;
  std::string unknown_fields;

  bool operator==(const DataFile&) const = default;
};

/// Where the deleted offsets of a fragment are.
struct DeletionFile {
  uint32_t file_type = 0;  // 0 Arrow, 1 bitmap
  uint64_t read_version = 0;
  uint64_t id = 0;
  uint64_t num_deleted_rows = 0;  // 0: unknown
  std::optional<uint32_t> base_id;
  std::string unknown_fields;

  bool operator==(const DeletionFile&) const = default;
};

/// A sequence of one value a row of a fragment, as it is stored (table-format 8.5).
struct StoredSequence {
  /// Where it is.
  enum class Place : uint8_t {
    kNone,
    kInline,  // `bytes`: the serialized message; not checked until it is parsed
    kColumn,  // a hidden column of one of the fragment's files
  };
  Place place = Place::kNone;
  std::string bytes;

  bool operator==(const StoredSequence&) const = default;
};

/// A horizontal slice of the table.
struct Fragment {
  uint64_t id = 0;  // 0 in a transaction: not yet assigned
  std::vector<DataFile> files;
  std::optional<DeletionFile> deletion_file;
  uint64_t physical_rows = 0;
  /// Of tables with stable row ids: what each row is called, and in which versions it was written.
  StoredSequence row_ids;
  StoredSequence created_at_versions;
  StoredSequence last_updated_at_versions;
  /// The stamp (contract section 3): the definition it was written under; no value: unstamped.
  std::optional<uint32_t> clustering_id;
  std::map<std::string, std::string> metadata;
  std::string unknown_fields;

  /// Rows that are not deleted; 0 when a forged count says that more are deleted than there are.
  uint64_t live_rows() const {
    const uint64_t deleted = deletion_file ? deletion_file->num_deleted_rows : 0;
    return deleted < physical_rows ? physical_rows - deleted : 0;
  }
  bool operator==(const Fragment&) const = default;
};

/// How many rows of some fragments are not deleted.
uint64_t CountLiveRows(const std::vector<Fragment>& fragments);

/// How many live rows lie before each fragment, and behind these how many there are in all.
std::vector<uint64_t> FirstRowOffsets(const std::vector<Fragment>& fragments);

/// One file of an index segment.
struct IndexFile {
  std::string path;
  uint64_t size_bytes = 0;

  bool operator==(const IndexFile&) const = default;
};

/// One index segment (table-format 2.5).
struct IndexMetadata {
  Uuid uuid;
  std::vector<int32_t> field_ids;
  std::string name;
  uint64_t dataset_version = 0;
  /// Portable Roaring as stored; "": unknown coverage. Not checked until Coverage().
  std::string fragment_bitmap;
  std::string details_type_url;
  std::string details_value;
  bool has_details = false;
  std::optional<int32_t> index_version;
  std::optional<uint64_t> created_at_ms;
  std::optional<uint32_t> base_id;
  std::vector<IndexFile> files;
  std::vector<int32_t> covering_field_ids;
  std::optional<uint32_t> clustering_id;
  std::map<std::string, std::string> metadata;
  std::string unknown_fields;

  /// Parse the bitmap. \return no value: unknown coverage; SerializationError: corrupt
  arrow::Result<std::optional<RoaringBitmap>> Coverage() const;
  bool operator==(const IndexMetadata&) const = default;
};

/// Another place that files of the table can be in (table-format 1.9).
struct BasePath {
  uint32_t id = 0;
  std::optional<std::string> name;
  bool is_dataset_root = false;  // else the folder of the files themselves
  std::string path;              // absolute, or a URI; not checked until a file there is needed
  std::string unknown_fields;

  bool operator==(const BasePath&) const = default;
};

/// The program that wrote a manifest.
struct WriterVersion {
  std::string library;
  std::string version;
  std::optional<std::string> prerelease;
  std::optional<std::string> build_metadata;

  bool operator==(const WriterVersion&) const = default;
};

/// The complete description of one version of the table.
struct Manifest {
  format::LanceSchema schema;
  std::vector<Fragment> fragments;  // ascending ids when written
  uint64_t version = 0;
  Timestamp timestamp{};
  std::string tag;
  uint64_t reader_feature_flags = 0;
  uint64_t writer_feature_flags = 0;
  std::optional<uint32_t> max_fragment_id;  // no value: never had a fragment
  std::string transaction_file;
  std::optional<WriterVersion> writer_version;
  uint64_t next_row_id = 0;
  std::string file_format = "lance";
  std::string data_storage_version;  // "2.1"
  std::map<std::string, std::string> config;
  std::map<std::string, std::string> table_metadata;
  std::vector<BasePath> base_paths;
  std::optional<std::string> branch;
  std::optional<int32_t> max_allocated_field_id;
  std::vector<ClusteringDefinition> clustering;
  uint32_t max_clustering_id = 0;
  std::string unknown_fields;

  /// The index section; kept apart from the message in the file.
  std::vector<IndexMetadata> indices;

  /// Find a fragment, fast in what is sorted as it should be. \return null when it is not there
  const Fragment* FindFragment(uint64_t id) const;
  bool operator==(const Manifest&) const = default;
};

/// A manifest that says the same but for its fragments; the old ones are not copied.
Manifest WithOtherFragments(const Manifest& manifest, std::vector<Fragment> fragments);

}  // namespace lance::table
