#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/cleanup.h"
#include "lance/dataset/cleanup_files.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/table/manifest_store.h"

namespace lance {

/// Where a cleanup works.
struct CleanupPlace {
  std::shared_ptr<ObjectStore> store;  // of the table, or of the branch that is cleaned up
  std::shared_ptr<ObjectStore> root;   // of the table, which has the tags and branches
  std::string branch;                  // "": the main one
};

/// Find the table that a version's branch belongs to (table-format 1.8).
///
/// \return Invalid when nobody can say where that is
arrow::Result<CleanupPlace> PlaceOf(const Dataset::Impl& dataset);

/// Which versions go. Pure.
struct CleanupPolicy {
  std::optional<Timestamp> before_time;
  uint64_t before_version = 0;  // of the dataset, or fewer when the newest so many stay
  std::set<uint64_t> versions;  // empty: any
  std::set<uint64_t> pinned;    // by branches

  /// Whether a version goes unless it is tagged. One without a time is as old as this moment.
  bool Removes(uint64_t version, Timestamp committed) const;
};

/// Make the policy of a request. \return Invalid naming what is out of range
arrow::Result<CleanupPolicy> MakeCleanupPolicy(const CleanupRequest& request, uint64_t read_version,
                                               const std::vector<table::VersionEntry>& versions,
                                               Timestamp now);

/// What branches refer to.
struct BranchReferences {
  std::set<std::string> keys;
  std::vector<CleanupBranch> branches;  // whose parent versions stay
};

/// Read every version of every branch, also of those whose description is gone or not yet there.
///
/// \param seen manifests that need not be read; those that were are added
/// \return NotImplemented + UnsupportedFeature for one with unknown features
arrow::Result<BranchReferences> ReadBranchReferences(const CleanupPlace& place,
                                                     std::set<std::string>* seen,
                                                     const RunContext& run);

/// A file that goes. `last_version`: it is needed up to this one, which goes too; 0: unverified.
struct DoomedFile {
  std::string path;
  std::string key;
  CleanupKind kind = CleanupKind::kData;
  uint64_t size_bytes = 0;
  uint64_t last_version = 0;
};

/// What a cleanup found.
struct CleanupFindings {
  std::map<uint64_t, table::VersionEntry> versions;  // that go
  std::vector<DoomedFile> files;                     // in the order in which they go
};

/// Up to which version each key is referred to. Thread-safe.
class KeyUses {
 public:
  explicit KeyUses(const RunContext& run) : run_(run) {}

  /// \param version kAlways: of a version that stays
  arrow::Status Add(std::vector<std::string> keys, uint64_t version);
  /// \return no value: no version names it
  std::optional<uint64_t> Find(const std::string& key) const;

 private:
  RunContext run_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, uint64_t> last_use_;
  std::vector<MemoryReservation> reserved_;
  uint64_t free_bytes_ = 0;  // of the last reservation
};

/// Looks for what can go: reads all manifests once, lists the files once. Deletes nothing.
class CleanupSurvey {
 public:
  /// Borrows the request and the reporter.
  CleanupSurvey(CleanupPlace place, const CleanupRequest& request, const RunContext& run,
                ProgressReporter* progress)
      : place_(std::move(place)),
        request_(request),
        run_(run),
        progress_(progress),
        manifests_(place_.store),
        uses_(run) {}

  /// \param read_version the version of the dataset
  arrow::Result<CleanupFindings> Run(uint64_t read_version);

  const std::vector<CleanupBranch>& branches() const { return branches_; }

  /// Keep versions that a tag names or a pin holds by now, and take them out of those that go. To
  /// be called when the note of their removal is there, before their manifests go.
  arrow::Status KeepClaimed(std::vector<table::VersionEntry>* versions);
  /// Keep what was referred to since: by commits that restore a version that goes, and by branches
  /// that began on one. To be called between removing manifests and removing files.
  arrow::Status LookAgain();
  /// Keep what a version refers to, because its manifest could not be deleted. \return whether it
  /// is still there
  arrow::Result<bool> KeepAfterAll(const table::VersionEntry& entry);
  /// Whether a file that was doomed still is.
  bool IsDoomed(const DoomedFile& file) const;

 private:
  /// What holds versions besides branches, however old they are.
  struct Claims {
    std::set<uint64_t> pinned;                       // by operations at work
    std::multimap<uint64_t, std::string> tag_names;  // by version

    bool Has(uint64_t version) const {
      return pinned.contains(version) || tag_names.contains(version);
    }
  };

  arrow::Result<Claims> ReadClaims() const;
  arrow::Status ReadBranches();
  arrow::Status ReadVersions(const std::vector<table::VersionEntry>& versions);
  arrow::Status ReadVersion(const table::VersionEntry& entry);
  /// Read what appeared since the last look: newer versions, and detached ones.
  arrow::Status ReadNew();
  /// \return Invalid naming the tags of versions that go, when that is asked for
  arrow::Status CheckTagged(const Claims& claims) const;
  arrow::Status ListFiles(std::vector<DoomedFile>* files) const;
  void Judge(const ObjectInfo& info, const UnverifiedRule& rule,
             std::vector<DoomedFile>* files) const;

  CleanupPlace place_;
  const CleanupRequest& request_;
  RunContext run_;
  ProgressReporter* progress_;
  table::ManifestStore manifests_;
  CleanupPolicy policy_;
  KeyUses uses_;
  std::vector<CleanupBranch> branches_;
  std::set<std::string> branch_manifests_;           // that were read
  std::set<uint64_t> detached_;                      // versions that were read
  uint64_t newest_ = 0;                              // version that was read
  std::mutex mutex_;                                 // guards what follows while manifests are read
  std::map<uint64_t, table::VersionEntry> removed_;  // versions that go
  Timestamp oldest_kept_ = Timestamp::max();
};

/// Deletes files, several at a time, not faster than asked. Counts what failed.
class FileDeleter {
 public:
  FileDeleter(std::shared_ptr<ObjectStore> store, std::optional<uint64_t> max_per_second,
              const RunContext& run);

  /// \return of each path whether it is gone; Cancelled when the call is stopped
  arrow::Result<std::vector<char>> Delete(const std::vector<std::string>& paths);

 private:
  arrow::Status AwaitTurn();

  std::shared_ptr<ObjectStore> store_;
  std::chrono::nanoseconds pause_{0};
  RunContext run_;
  std::mutex mutex_;
  std::chrono::nanoseconds next_turn_;
};

/// Clean up from a version.
arrow::Result<CleanupResult> CleanUp(const Dataset::Impl& dataset, const CleanupRequest& request,
                                     const RunContext& run);

/// Clean up after a commit when the new version's configuration asks for it (`lance.auto_cleanup.*`
/// of table-format 10.6). A failure is a warning: the commit is done.
void CleanUpAfterCommit(const Dataset::Impl& read, const table::Manifest& committed,
                        const RunContext& run);

}  // namespace lance
