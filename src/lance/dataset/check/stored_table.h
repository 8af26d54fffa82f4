#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "arrow/result.h"
#include "lance/object_store.h"
#include "lance/table/manifest_names.h"
#include "lance/table/ref_names.h"

namespace lance::check {

/// A manifest as it lies on storage. A plain value.
struct VersionFile {
  std::string path;  // relative to the table's root
  uint64_t size_bytes = 0;
  table::ManifestName name;
};

/// A line of versions: the main one, or a branch. A plain value.
struct VersionLine {
  std::string branch;                      // "": the main one
  std::vector<VersionFile> versions;       // ascending; detached ones last
  std::vector<std::string> unknown_names;  // paths of manifests whose names say no version
  std::optional<uint64_t> hint_size_bytes;

  /// What its paths begin with: "", or "tree/{branch}/".
  std::string prefix() const { return branch.empty() ? "" : table::BranchFolder(branch) + "/"; }
  /// Find a version. \return null when it is not there
  const VersionFile* Find(uint64_t version) const;
};

/// What lies on storage below a table's root. Immutable; one listing.
///
/// Versions are listed before everything else, so that what a version names is listed, too, even
/// when writers go on meanwhile.
struct StoredTable {
  std::map<std::string, VersionLine> lines;  // by branch
  /// Sizes of all files but manifests, by path.
  std::unordered_map<std::string, uint64_t> sizes;
  /// Folders of index segments that have files, as SegmentFolderOf gives them.
  std::unordered_set<std::string> segment_folders;

  /// Whether a line counts: the main one, and branches that have a description.
  bool IsListed(const VersionLine& line) const;

  static arrow::Result<StoredTable> List(ObjectStore& store);
};

/// The folder of the index segment that a file is in, for example "_indices/{uuid}/"; "" for other
/// files.
std::string SegmentFolderOf(std::string_view path);

}  // namespace lance::check
