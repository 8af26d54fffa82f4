#include "lance/dataset/check/referenced_files.h"

#include <algorithm>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_files.h"
#include "lance/dataset/store_with_bases.h"
#include "lance/io/stores.h"
#include "lance/table/base_path.h"

namespace lance::check {
namespace {

std::string_view FolderOf(std::string_view path) { return path.substr(0, path.find('/')); }

/// What orphans are counted by.
struct OrphanCount {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

}  // namespace

ReferencedFiles::ReferencedFiles(OpenedTable table) : table_(std::move(table)) {}

size_t ReferencedFiles::NumberOf(const table::BasePath& base) {
  const auto is_same = [&](const table::BasePath& known) {
    return known.path == base.path && known.is_dataset_root == base.is_dataset_root;
  };
  const auto known = std::ranges::find_if(bases_, is_same);
  if (known != bases_.end()) return static_cast<size_t>(known - bases_.begin()) + 1;
  bases_.push_back({.id = static_cast<uint32_t>(bases_.size() + 1),
                    .is_dataset_root = base.is_dataset_root,
                    .path = base.path});
  return bases_.size();
}

std::optional<ReferencedFiles::Place> ReferencedFiles::FindPlace(
    const table::Manifest& manifest, const VersionLine& line,
    const std::optional<uint32_t>& base_id, const std::string& path) {
  if (!base_id) return Place{line.prefix() + path, 0};
  const auto base = std::ranges::find(manifest.base_paths, *base_id, &table::BasePath::id);
  if (base == manifest.base_paths.end() || !table::CheckBasePath(*base).ok()) return std::nullopt;
  if (base->is_dataset_root) {
    // A branch, or a table that was cloned to itself, names files of the root by its whole place.
    const auto [own, is_new] = is_own_root_.try_emplace(base->path, false);
    if (is_new) {
      const auto opened = table_.session->impl().stores.Open(base->path, table_.storage_options);
      own->second = opened.ok() && opened->uri == table_.uri;
    }
    if (own->second) return Place{path, 0};
  }
  return Place{path, NumberOf(*base)};
}

std::string ReferencedFiles::ShownPath(const Place& place) const {
  if (place.base == 0) return place.path;
  const table::BasePath& base = bases_[place.base - 1];
  // A base that is no root is the folder of the files themselves.
  const size_t slash = base.is_dataset_root ? std::string::npos : place.path.find('/');
  return base.path + "/" + (slash == std::string::npos ? place.path : place.path.substr(slash + 1));
}

std::string ReferencedFiles::PathOf(const table::Manifest& manifest, const VersionLine& line,
                                    const std::optional<uint32_t>& base_id,
                                    const std::string& path) {
  const auto place = FindPlace(manifest, line, base_id, path);
  return place ? ShownPath(*place) : table::BaseFolder(base_id) + path;
}

std::string ReferencedFiles::ShownAs(const table::Manifest& manifest, const VersionLine& line,
                                     const std::string& path_in_store) {
  for (const table::BasePath& base : manifest.base_paths) {
    const std::string folder = table::BaseFolder(base.id);
    if (path_in_store.starts_with(folder)) {
      return PathOf(manifest, line, base.id, path_in_store.substr(folder.size()));
    }
  }
  const auto is_in = [&](const char* folder) { return path_in_store.starts_with(folder); };
  const bool is_file = is_in("data/") || is_in("_deletions/") || is_in("_indices/");
  return is_file ? line.prefix() + path_in_store : path_in_store;
}

void ReferencedFiles::AddOne(const table::Manifest& manifest, const VersionLine& line,
                             const table::NamedFile& file, bool is_looked_for) {
  // CheckIndexEntries says so.
  if (file.kind == Kind::kIndexFile && !CheckObjectPath(file.path).ok()) return;
  const auto place = FindPlace(manifest, line, file.base_id, file.path);
  if (!place) return;
  if (place->base == 0) named_.insert(place->path);
  if (!is_looked_for) return;
  const std::string key = ShownPath(*place) + "\n" + std::to_string(static_cast<int>(file.kind)) +
                          " " + std::to_string(file.size_bytes);
  const auto [found, is_new] = references_.try_emplace(key);
  Reference& reference = found->second;
  if (is_new) {
    reference = {file.kind,        *place,           file.size_bytes,
                 manifest.version, manifest.version, line.branch};
  }
  reference.last_version = std::max(reference.last_version, manifest.version);
  reference.first_version = std::min(reference.first_version, manifest.version);
}

void ReferencedFiles::Add(const table::Manifest& manifest, const VersionLine& line) {
  AddAll(manifest, line, /*is_looked_for=*/true);
}

void ReferencedFiles::AddNamed(const table::Manifest& manifest, const VersionLine& line) {
  AddAll(manifest, line, /*is_looked_for=*/false);
}

void ReferencedFiles::AddAll(const table::Manifest& manifest, const VersionLine& line,
                             bool is_looked_for) {
  table::VisitNamedFiles(
      manifest, [&](const table::NamedFile& file) { AddOne(manifest, line, file, is_looked_for); });
}

bool ReferencedFiles::IsStillThere(const Reference& reference, const StoredTable& stored) const {
  const auto line = stored.lines.find(reference.branch);
  if (line == stored.lines.end()) return true;
  const VersionFile* file = line->second.Find(reference.last_version);
  if (file == nullptr) return true;
  return NotFound::From(table_.store->Head(file->path).status()) == nullptr;
}

arrow::Result<std::optional<uint64_t>> ReferencedFiles::SizeOf(const Reference& reference,
                                                               const StoredTable& stored) {
  const Place& place = reference.place;
  ObjectStore* store = table_.store.get();
  std::string path = place.path;
  if (place.base == 0) {
    const auto found = stored.sizes.find(path);
    if (found != stored.sizes.end()) return found->second;
  } else {
    if (base_store_ == nullptr) base_store_ = StoreWithBases(table_, bases_);
    store = base_store_.get();
    path = table::BaseFolder(static_cast<uint32_t>(place.base)) + path;
  }
  // Not listed is not yet missing: a listing may be older than the file.
  const auto info = store->Head(path);
  if (info.ok()) return info->size_bytes;
  if (NotFound::From(info.status()) != nullptr) return std::optional<uint64_t>();
  return info.status();
}

std::string ReferencedFiles::VersionsOf(const Reference& reference) {
  const std::string line = reference.branch.empty() ? "" : " of branch " + reference.branch;
  if (reference.first_version == reference.last_version) {
    return "version " + std::to_string(reference.first_version) + line + " names it";
  }
  return "versions " + std::to_string(reference.first_version) + " to " +
         std::to_string(reference.last_version) + line + " name it";
}

const FindingKind& ReferencedFiles::MissingKind(Kind kind) {
  switch (kind) {
    case Kind::kData:
      return kDataFileMissing;
    case Kind::kDeletion:
      return kDeletionFileMissing;
    case Kind::kTransaction:
      return kTransactionFileMissing;
    case Kind::kIndexFile:
    case Kind::kIndexFolder:
      break;
  }
  return kIndexFileMissing;
}

arrow::Result<std::unordered_set<std::string>> ReferencedFiles::Check(const StoredTable& stored,
                                                                      const RunContext& run,
                                                                      Findings* findings) {
  std::unordered_set<std::string> damaged;
  std::map<std::string, const Reference*> ordered;
  for (const auto& [key, reference] : references_) ordered.emplace(key, &reference);
  for (const auto& [key, reference] : ordered) {
    if (run.stop_token.IsStopRequested()) return run.stop_token.Poll();
    const std::string shown = ShownPath(reference->place);
    if (reference->kind == Kind::kIndexFolder) {
      // Of a base only single files can be asked for.
      const bool has_files = stored.segment_folders.contains(reference->place.path);
      if (reference->place.base != 0 || has_files || !IsStillThere(*reference, stored)) continue;
      damaged.insert(shown);
      findings->Add(kIndexFileMissing, shown, "the folder is empty or not there, ",
                    VersionsOf(*reference));
      continue;
    }
    const auto size = SizeOf(*reference, stored);
    if (!size.ok()) {
      damaged.insert(shown);
      findings->AddFailure(MissingKind(reference->kind), shown, size.status());
    } else if (!*size && !IsStillThere(*reference, stored)) {
      continue;  // clean-up took the version and its files meanwhile
    } else if (!*size) {
      damaged.insert(shown);
      findings->Add(MissingKind(reference->kind), shown, "the file is not there, ",
                    VersionsOf(*reference));
    } else if (reference->size_bytes != 0 && **size != reference->size_bytes) {
      damaged.insert(shown);
      findings->Add(reference->kind == Kind::kData ? kDataFileSizeWrong : kIndexFileSizeWrong,
                    shown, "the file has ", **size, " bytes, ", VersionsOf(*reference), " with ",
                    reference->size_bytes);
    }
  }
  return damaged;
}

void ReferencedFiles::CheckOrphans(const StoredTable& stored, Findings* findings) const {
  std::map<std::string, OrphanCount> orphans;  // by folder
  for (const auto& [path, size] : stored.sizes) {
    const auto file = RecogniseFile(path);
    if (!file || file->kind == CleanupKind::kTemporary || named_.contains(file->key)) continue;
    const std::string folder(FolderOf(path));
    ++orphans[folder].files;
    orphans[folder].bytes += size;
  }
  if (num_unknown_ > 0) {
    if (orphans.empty()) return;
    findings->Add(kOrphansUnknown, "",
                  "files that no version names are not counted: ", num_unknown_,
                  " manifests cannot be read, and what they name is not known");
    return;
  }
  for (const auto& [folder, count] : orphans) {
    findings->Add(kOrphans, folder, count.files, " files with ", count.bytes,
                  " bytes are named by no version; writers that are at work, failed writes and "
                  "deleted versions leave such; clean-up removes them");
  }
}

}  // namespace lance::check
