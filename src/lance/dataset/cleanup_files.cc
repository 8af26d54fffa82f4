#include "lance/dataset/cleanup_files.h"

#include <algorithm>

#include "lance/table/base_path.h"
#include "lance/table/named_files.h"

namespace lance {
namespace {

constexpr std::string_view kData = "data/";
constexpr std::string_view kDeletions = "_deletions/";
constexpr std::string_view kIndices = "_indices/";
constexpr std::string_view kTransactions = "_transactions/";
constexpr std::string_view kVersions = "_versions/";
constexpr std::string_view kManagedBlobs = "_blobs/";
constexpr std::string_view kRowMaps = "_fri/";
constexpr std::string_view kTemporaryPrefix = ".tmp";

std::string_view FileNameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

OwnedFile ByPath(CleanupKind kind, std::string_view path) { return {kind, std::string(path)}; }

std::optional<OwnedFile> RecogniseData(std::string_view path) {
  if (path.ends_with(".lance")) return ByPath(CleanupKind::kData, path);
  // Blobs lie in a folder that is called like their data file without its ".lance".
  if (path.ends_with(".blob")) {
    return OwnedFile{CleanupKind::kData, std::string(path.substr(0, path.rfind('/'))) + ".lance"};
  }
  return std::nullopt;
}

/// An index is its folder.
OwnedFile RecogniseIndex(std::string_view path) {
  const size_t end = path.find('/', kIndices.size());
  return ByPath(CleanupKind::kIndex,
                end == std::string_view::npos ? path : path.substr(0, end + 1));
}

bool IsKey(const table::NamedFile& file) { return file.kind != table::NamedFileKind::kIndexFile; }

/// Call a file of a base path by all that it may be called below the table that it lies in: as one
/// of the table's own, and, where a base is the folder of a table's data or lies in it, by what
/// comes from there on.
void VisitDataOfBase(const std::vector<table::BasePath>& bases, const table::NamedFile& file,
                     const VisitKey& visit) {
  const std::string name = file.path.substr(kData.size());
  visit(file.path);
  visit(name);
  const auto base = std::ranges::find(bases, *file.base_id, &table::BasePath::id);
  if (base == bases.end()) return;
  const std::string root = base->path.substr(0, base->path.find_last_not_of('/') + 1);
  const std::string place = root + (base->is_dataset_root ? "/data/" : "/") + name;
  const std::string folder = "/" + std::string(kData);
  for (size_t at = place.find(folder); at != std::string::npos; at = place.find(folder, at + 1)) {
    visit(place.substr(at + 1));
  }
}

}  // namespace

std::string_view NameOf(CleanupKind kind) {
  switch (kind) {
    case CleanupKind::kData:
      return "data";
    case CleanupKind::kDeletion:
      return "deletion";
    case CleanupKind::kIndex:
      return "index";
    case CleanupKind::kTransaction:
      return "transaction";
    case CleanupKind::kManifest:
      return "manifest";
    case CleanupKind::kTemporary:
      return "temporary_manifest";
  }
  return "";
}

std::optional<OwnedFile> RecogniseFile(std::string_view path) {
  const bool is_temporary = FileNameOf(path).starts_with(kTemporaryPrefix);
  if (path.starts_with(kData)) {
    return is_temporary ? ByPath(CleanupKind::kData, path) : RecogniseData(path);
  }
  if (path.starts_with(kIndices)) return RecogniseIndex(path);
  if (path.starts_with(kDeletions) && (path.ends_with(".arrow") || path.ends_with(".bin"))) {
    return ByPath(CleanupKind::kDeletion, path);
  }
  if (path.starts_with(kTransactions) && path.ends_with(".txn")) {
    return ByPath(CleanupKind::kTransaction, path);
  }
  if (path.starts_with(kVersions) && is_temporary) return ByPath(CleanupKind::kTemporary, path);
  // Tables that use these are refused, so that no version of this one can need them.
  if (path.starts_with(kManagedBlobs) && path.ends_with(".blob")) {
    return ByPath(CleanupKind::kData, path);
  }
  if (path.starts_with(kRowMaps)) return ByPath(CleanupKind::kIndex, path);
  return std::nullopt;
}

void VisitOwnKeys(const table::Manifest& manifest, const VisitKey& visit) {
  table::VisitNamedFiles(manifest, [&](const table::NamedFile& file) {
    if (!file.base_id && IsKey(file)) visit(file.path);
  });
  // A base path may be the table's own place: nobody refuses that.
  VisitKeysElsewhere(manifest, visit);
}

void VisitKeysElsewhere(const table::Manifest& manifest, const VisitKey& visit) {
  table::VisitNamedFiles(manifest, [&](const table::NamedFile& file) {
    if (!file.base_id || !IsKey(file)) return;
    if (file.kind == table::NamedFileKind::kData) {
      VisitDataOfBase(manifest.base_paths, file, visit);
    } else {
      visit(file.path);
    }
  });
}

bool DeletesUnverified(CleanupKind kind, Timestamp modified, const UnverifiedRule& rule) {
  if (modified < rule.cutoff) return true;
  if (!rule.delete_all) return false;
  return kind == CleanupKind::kData || kind == CleanupKind::kIndex || modified < rule.oldest_kept;
}

}  // namespace lance
