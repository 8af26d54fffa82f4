#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"

namespace lance {

/// One data file of a fragment. A plain value.
struct DataFileInfo {
  /// File name below the table's data folder.
  std::string path;
  /// Ids of the fields whose columns it holds.
  std::vector<int32_t> field_ids;
  /// The column of the file that each of them is in, -1 for a field without one.
  std::vector<int32_t> column_indices;
  /// File format version, for example "2.1".
  std::string version;
  /// Size in bytes; 0 when the manifest does not say.
  uint64_t size_bytes = 0;
  /// The base path that it is below; no value: the table itself.
  std::optional<uint32_t> base_id;
};

/// Where the deleted rows of a fragment are listed. A plain value. Source: table-format 2.4, 6.
struct DeletionFileInfo {
  /// "array" (sparse) or "bitmap" (dense).
  std::string file_type;
  /// The version that the deletion was made on; a part of the file's name.
  uint64_t read_version = 0;
  /// The other part of its name.
  uint64_t id = 0;
  /// Rows in it; 0: unknown.
  uint64_t num_deleted_rows = 0;
  /// The base path that it is below; no value: the table itself.
  std::optional<uint32_t> base_id;
};

/// Everything that a version says of a fragment, to make one by hand. A plain value.
struct FragmentParts {
  /// 0: given at the commit.
  uint64_t id = 0;
  /// Each holds other columns of the same rows.
  std::vector<DataFileInfo> files;
  /// Rows in its files, deleted ones included.
  uint64_t physical_rows = 0;
  /// The rows that are deleted.
  std::optional<DeletionFileInfo> deletion_file;
  /// Of tables with stable row ids, serialized as stored: what its rows are called.
  std::optional<std::string> row_ids;
  /// As row_ids: the versions that its rows were created in.
  std::optional<std::string> created_at_versions;
  /// As row_ids: the versions that its rows were last changed in.
  std::optional<std::string> last_updated_at_versions;
  /// What the stored message holds besides, as it is.
  std::string unknown_fields;
};

/// One horizontal slice of a table as a version describes it. Immutable.
///
/// The stamp is read-only: only a sorted write or a clustering result sets one.
class FragmentMetadata {
 public:
  /// Unique in the table's history.
  uint64_t id() const;
  /// Rows in its files, deleted ones included.
  uint64_t physical_rows() const;
  /// Rows that are marked deleted.
  uint64_t num_deletions() const;
  /// Live rows.
  uint64_t num_rows() const;
  /// Its data files.
  const std::vector<DataFileInfo>& files() const;
  /// The clustering definition it was written under; 0: unstamped.
  uint32_t clustering_id() const;
  /// The layout version of the stamp; 0: unstamped.
  uint64_t clustering_version() const;
  /// The group of one sorted write or task; "": unstamped.
  const std::string& clustering_group_id() const;
  /// All metadata entries of the fragment.
  const std::map<std::string, std::string>& metadata() const;

  /// Describe a fragment by hand. It has no stamp.
  ///
  /// \return Invalid naming the part and what is allowed there
  static arrow::Result<FragmentMetadata> Make(const FragmentParts& parts);
  /// What it is made of, the stamp left out.
  FragmentParts parts() const;

  /// The bytes of the format's message DataFragment, the stamp included.
  arrow::Result<std::string> Serialize() const;
  /// The inverse of Serialize, of bytes from anywhere.
  ///
  /// \return SerializationError naming the part and what is wrong with it
  static arrow::Result<FragmentMetadata> Parse(std::string_view bytes);

  /// The inside; for the library only.
  struct Impl;
  /// Wrap an inside; for the library only.
  explicit FragmentMetadata(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace lance
