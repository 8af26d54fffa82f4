#include "lance/cleanup.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/io/own_files.h"
#include "lance/table/version_notes.h"

namespace lance {
namespace {

/// Versions whose manifests go at once, before the files that only they need. When a cleanup is
/// stopped, the files of so many may stay until they are seven days old.
constexpr size_t kVersionsAtOnce = 64;

void Count(const CleanupFile& file, CleanupKind kind, CleanupResult* result) {
  result->bytes_removed += file.size_bytes;
  switch (kind) {
    case CleanupKind::kData:
      ++result->data_files_removed;
      break;
    case CleanupKind::kDeletion:
      ++result->deletion_files_removed;
      break;
    case CleanupKind::kIndex:
      ++result->index_files_removed;
      break;
    case CleanupKind::kTransaction:
      ++result->transaction_files_removed;
      break;
    case CleanupKind::kManifest:
      ++result->old_versions;
      break;
    case CleanupKind::kTemporary:
      break;
  }
}

/// Carries out what a survey found, or only counts it.
class Removal {
 public:
  Removal(const CleanupPlace& place, const CleanupRequest& request, CleanupSurvey* survey,
          ProgressReporter* progress, const RunContext& run)
      : is_dry_(request.dry_run),
        survey_(survey),
        progress_(progress),
        run_(run),
        store_(place.store),
        pins_(place.store, table::NoteKind::kPin),
        removals_(place.store, table::NoteKind::kRemoval),
        deleter_(place.store, request.max_deletes_per_second, run) {}

  arrow::Result<CleanupResult> Run(const CleanupFindings& findings) {
    progress_->Stage("delete", findings.files.size() + findings.versions.size());
    result_.dry_run = is_dry_;
    if (!is_dry_) ARROW_RETURN_NOT_OK(RemoveStaleNotes());
    auto file = findings.files.begin();
    const auto remove_up_to = [&](uint64_t version) {
      const auto begin = file;
      while (file != findings.files.end() && file->last_version <= version) ++file;
      return RemoveFiles({begin, file});
    };
    ARROW_RETURN_NOT_OK(remove_up_to(0));  // those that no version names
    for (auto next = findings.versions.begin(); next != findings.versions.end();) {
      std::vector<table::VersionEntry> some;
      for (; next != findings.versions.end() && some.size() < kVersionsAtOnce; ++next) {
        some.push_back(next->second);
      }
      const uint64_t last_version = some.back().version;
      ARROW_RETURN_NOT_OK(RemoveVersions(std::move(some)));
      // Now nobody can begin to need what only they name; whoever did before is seen.
      if (!is_dry_) ARROW_RETURN_NOT_OK(survey_->LookAgain());
      ARROW_RETURN_NOT_OK(remove_up_to(last_version));
    }
    if (!is_dry_) RemoveEmptyFolders();
    return std::move(result_);
  }

 private:
  /// Of operations that died.
  arrow::Status RemoveStaleNotes() const {
    ARROW_RETURN_NOT_OK(pins_.RemoveStale(run_));
    return removals_.RemoveStale(run_);
  }

  /// Remove the manifests of versions that nobody claims. While the note is there, nobody begins
  /// to: who would, waits (docs/decisions/0013-notes-of-work.md).
  arrow::Status RemoveVersions(std::vector<table::VersionEntry> versions) {
    if (is_dry_) return RemoveManifests(versions);
    std::set<uint64_t> numbers;
    for (const table::VersionEntry& version : versions) numbers.insert(version.version);
    ARROW_ASSIGN_OR_RAISE(const std::string note, removals_.Leave(numbers, run_));
    arrow::Status removed = survey_->KeepClaimed(&versions);
    if (removed.ok()) removed = RemoveManifests(versions);
    if (!removals_.Remove(note).ok()) ++result_.failed_deletes;
    return removed;
  }

  /// Folders that were made for files that are gone, such as those of index segments.
  void RemoveEmptyFolders() const {
    auto* const folders = dynamic_cast<StoredFolders*>(store_.get());
    if (folders == nullptr) return;
    std::set<std::string> above;
    for (const CleanupFile& file : result_.files) {
      const std::string folder = file.path.substr(0, file.path.rfind('/'));
      if (folder.find('/') != std::string::npos) above.insert(folder);
    }
    for (const std::string& folder : above) folders->RemoveIfEmpty(folder);
  }

  arrow::Status RemoveManifests(const std::vector<table::VersionEntry>& versions) {
    std::vector<std::string> paths;
    for (const table::VersionEntry& version : versions) {
      paths.push_back(table::ManifestPath(version.version, version.naming));
    }
    ARROW_ASSIGN_OR_RAISE(const auto gone, Delete(paths));
    for (size_t i = 0; i < versions.size(); ++i) {
      bool is_gone = gone[i] != 0;
      if (!is_gone) {
        // It may open, so it keeps its files.
        ARROW_ASSIGN_OR_RAISE(const bool is_there, survey_->KeepAfterAll(versions[i]));
        is_gone = !is_there;
      }
      Note({.path = paths[i],
            .kind = std::string(NameOf(CleanupKind::kManifest)),
            .size_bytes = versions[i].size_bytes.value_or(0)},
           CleanupKind::kManifest, is_gone);
    }
    return arrow::Status::OK();
  }

  arrow::Status RemoveFiles(std::vector<DoomedFile> files) {
    std::erase_if(files, [&](const DoomedFile& file) { return !survey_->IsDoomed(file); });
    std::vector<std::string> paths;
    for (const DoomedFile& file : files) paths.push_back(file.path);
    ARROW_ASSIGN_OR_RAISE(const auto gone, Delete(paths));
    for (size_t i = 0; i < files.size(); ++i) {
      Note({.path = files[i].path,
            .kind = std::string(NameOf(files[i].kind)),
            .unverified = files[i].last_version == 0,
            .size_bytes = files[i].size_bytes},
           files[i].kind, gone[i] != 0);
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::vector<char>> Delete(const std::vector<std::string>& paths) {
    if (is_dry_) return std::vector<char>(paths.size(), 1);
    return deleter_.Delete(paths);
  }

  void Note(CleanupFile file, CleanupKind kind, bool is_gone) {
    progress_->Update(++num_done_);
    if (!is_gone) {
      ++result_.failed_deletes;
      return;
    }
    Count(file, kind, &result_);
    result_.files.push_back(std::move(file));
  }

  const bool is_dry_;
  CleanupSurvey* survey_;
  ProgressReporter* progress_;
  const RunContext run_;
  const std::shared_ptr<ObjectStore> store_;
  const table::VersionNotes pins_;
  const table::VersionNotes removals_;
  FileDeleter deleter_;
  uint64_t num_done_ = 0;
  CleanupResult result_;
};

}  // namespace

arrow::Result<CleanupPlace> PlaceOf(const Dataset::Impl& dataset) {
  CleanupPlace place{.store = dataset.opened.store, .branch = dataset.opened.branch};
  ARROW_ASSIGN_OR_RAISE(place.root, RootStore(dataset.opened));
  return place;
}

FileDeleter::FileDeleter(std::shared_ptr<ObjectStore> store, std::optional<uint64_t> max_per_second,
                         const RunContext& run)
    : store_(std::move(store)), run_(run), next_turn_(run.clock->Steady()) {
  if (max_per_second) pause_ = std::chrono::nanoseconds(std::chrono::seconds(1)) / *max_per_second;
}

arrow::Status FileDeleter::AwaitTurn() {
  if (pause_.count() == 0) return arrow::Status::OK();
  std::chrono::nanoseconds wait;
  {
    const std::lock_guard lock(mutex_);
    const auto now = run_.clock->Steady();
    next_turn_ = std::max(next_turn_, now);
    wait = next_turn_ - now;
    next_turn_ += pause_;
  }
  return wait.count() > 0 ? run_.clock->Sleep(wait, run_.stop_token) : arrow::Status::OK();
}

arrow::Result<std::vector<char>> FileDeleter::Delete(const std::vector<std::string>& paths) {
  std::vector<char> gone(paths.size(), 0);  // no bits: threads write beside each other
  const auto remove = [&](int i) -> arrow::Status {
    ARROW_RETURN_NOT_OK(AwaitTurn());
    const auto at = static_cast<size_t>(i);
    gone[at] = store_->Delete(paths[at]).ok() ? 1 : 0;
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(
      ParallelFor(static_cast<int>(paths.size()), run_.num_threads, run_.stop_token, remove));
  return gone;
}

arrow::Result<CleanupResult> CleanUp(const Dataset::Impl& dataset, const CleanupRequest& request,
                                     const RunContext& run) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  ARROW_ASSIGN_OR_RAISE(const CleanupPlace place, PlaceOf(dataset));
  const uint64_t read_version = dataset.manifest().version;
  ProgressReporter progress(run, "cleanup", "files");
  CleanupSurvey survey(place, request, run, &progress);
  ARROW_ASSIGN_OR_RAISE(const CleanupFindings findings, survey.Run(read_version));
  ARROW_ASSIGN_OR_RAISE(CleanupResult result,
                        Removal(place, request, &survey, &progress, run).Run(findings));
  result.read_version = read_version;
  result.referenced_branches = survey.branches();
  if (result.failed_deletes > 0) {
    Warn(run, "cleanup_incomplete",
         std::to_string(result.failed_deletes) + " files could not be deleted; run it again");
  }
  return result;
}

arrow::Result<CleanupResult> CleanupOldVersions(const Dataset& dataset,
                                                const CleanupRequest& request,
                                                const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  auto result = CleanUp(impl, request, impl.Run(call));
  return result.ok() ? std::move(result) : WithContext(result.status(), dataset.uri());
}

}  // namespace lance
