#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/check/stored_table.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/manifest.h"
#include "lance/table/named_files.h"

namespace lance::check {

/// The files that versions name, each once. Thread-compatible.
class ReferencedFiles {
 public:
  /// \param table to open other base paths, and to know those that are the table's own root
  explicit ReferencedFiles(OpenedTable table);

  /// Add what a version names. \param line that it belongs to
  void Add(const table::Manifest& manifest, const VersionLine& line);
  /// Add what is named by a version that need not be whole: it is only no orphan.
  void AddNamed(const table::Manifest& manifest, const VersionLine& line);
  /// A version whose manifest cannot be read: what it names is not known.
  void AddUnknown() { ++num_unknown_; }

  /// Look for all files and compare their sizes with what is stated.
  ///
  /// \return paths, as PathOf gives them, of what is missing or has another size
  arrow::Result<std::unordered_set<std::string>> Check(const StoredTable& stored,
                                                       const RunContext& run, Findings* findings);

  /// Count what lies below the root and is named by no version. \pre Check
  void CheckOrphans(const StoredTable& stored, Findings* findings) const;

  /// How a file is called in findings.
  ///
  /// \param path relative to the line's root, or to that of its base
  std::string PathOf(const table::Manifest& manifest, const VersionLine& line,
                     const std::optional<uint32_t>& base_id, const std::string& path);

  /// How a file is called in findings that a version's store knows by this path. Other texts stay.
  std::string ShownAs(const table::Manifest& manifest, const VersionLine& line,
                      const std::string& path_in_store);

 private:
  using Kind = table::NamedFileKind;
  struct Place {
    std::string path;  // below the table's root, or below `base`
    size_t base = 0;   // 0: the table's root; else of bases_, counted from 1
  };
  struct Reference {
    Kind kind = Kind::kData;
    Place place;
    uint64_t size_bytes = 0;  // 0: not stated
    uint64_t first_version = 0;
    uint64_t last_version = 0;
    std::string branch;  // of the first version
  };

  /// Where a file is; no value when its base is not there, which is another finding.
  std::optional<Place> FindPlace(const table::Manifest& manifest, const VersionLine& line,
                                 const std::optional<uint32_t>& base_id, const std::string& path);
  size_t NumberOf(const table::BasePath& base);
  std::string ShownPath(const Place& place) const;
  void AddAll(const table::Manifest& manifest, const VersionLine& line, bool is_looked_for);
  void AddOne(const table::Manifest& manifest, const VersionLine& line,
              const table::NamedFile& file, bool is_looked_for);
  arrow::Result<std::optional<uint64_t>> SizeOf(const Reference& reference,
                                                const StoredTable& stored);
  /// Whether a version that names a missing file has not been cleaned up since it was listed.
  bool IsStillThere(const Reference& reference, const StoredTable& stored) const;
  static std::string VersionsOf(const Reference& reference);
  static const FindingKind& MissingKind(Kind kind);

  OpenedTable table_;
  std::vector<table::BasePath> bases_;       // ids as they are numbered here, from 1
  std::map<std::string, bool> is_own_root_;  // by path of a base
  std::shared_ptr<ObjectStore> base_store_;
  std::unordered_map<std::string, Reference> references_;  // by shown path, kind and size
  std::unordered_set<std::string> named_;                  // paths below the root
  uint64_t num_unknown_ = 0;
};

}  // namespace lance::check
