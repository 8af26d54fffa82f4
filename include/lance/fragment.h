#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lance {

/// One data file of a fragment. A plain value.
struct DataFileInfo {
  /// File name below the table's data folder.
  std::string path;
  /// Ids of the fields whose columns it holds.
  std::vector<int32_t> field_ids;
  /// File format version, for example "2.1".
  std::string version;
  /// Size in bytes; 0 when the manifest does not say.
  uint64_t size_bytes = 0;
  /// The base path that it is below; no value: the table itself.
  std::optional<uint32_t> base_id;
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
