#include <algorithm>
#include <iterator>
#include <utility>

#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/io/stores.h"
#include "lance/table/feature_flags.h"
#include "lance/table/manifest_names.h"
#include "lance/table/tags.h"
#include "lance/table/version_notes.h"

namespace lance {
namespace {

using table::VersionEntry;

constexpr std::chrono::hours kUnverifiedAge{7 * 24};
constexpr std::chrono::hours kDefaultAge{14 * 24};
constexpr size_t kReadAtOnce = 256;  // versions between two reports of progress
constexpr uint64_t kReservedAtOnce = uint64_t{1} << 20;
constexpr uint64_t kBytesBesideKey = 64;  // a node of the map and its share of buckets

/// The folders that have files of a version; never `tree`, which has the branches.
constexpr std::string_view kFolders[] = {"_versions", "_transactions", "_deletions", "_indices",
                                         "_blobs",    "_fri",          "data"};

/// Listed ages count up to a point; what cannot be subtracted is before all time.
Timestamp Before(Timestamp now, std::chrono::microseconds age) {
  const auto since_epoch = now.time_since_epoch();
  if (age > std::chrono::duration_cast<std::chrono::microseconds>(since_epoch)) return Timestamp{};
  return now - age;
}

std::vector<std::string> OwnKeysOf(const table::Manifest& manifest) {
  std::vector<std::string> keys;
  VisitOwnKeys(manifest, [&](std::string key) { keys.push_back(std::move(key)); });
  return keys;
}

}  // namespace

bool CleanupPolicy::Removes(uint64_t version, Timestamp committed) const {
  if (version >= before_version || pinned.contains(version)) return false;
  if (!versions.empty() && !versions.contains(version)) return false;
  return !before_time || (committed != Timestamp{} && committed < *before_time);
}

arrow::Result<CleanupPolicy> MakeCleanupPolicy(const CleanupRequest& request, uint64_t read_version,
                                               const std::vector<VersionEntry>& versions,
                                               Timestamp now) {
  // A detached version has a number behind all others; the newest stays from there, too.
  const uint64_t newest = versions.empty() ? 0 : versions.back().version;
  CleanupPolicy policy{.before_version = std::min(read_version, newest)};
  policy.versions.insert(request.versions.begin(), request.versions.end());
  if (request.older_than && request.older_than->count() < 0) {
    return arrow::Status::Invalid("older_than is ", request.older_than->count(),
                                  " microseconds; allowed: 0 or more");
  }
  if (request.retain_versions && *request.retain_versions == 0) {
    return arrow::Status::Invalid("retain_versions is 0; allowed: 1 or more");
  }
  if (request.max_deletes_per_second && *request.max_deletes_per_second == 0) {
    return arrow::Status::Invalid("the most deletions in a second are 0; allowed: 1 or more");
  }
  const bool has_condition =
      request.older_than || request.retain_versions || !request.versions.empty();
  if (request.older_than) policy.before_time = Before(now, *request.older_than);
  if (!has_condition) policy.before_time = Before(now, kDefaultAge);
  if (request.retain_versions) {
    const uint64_t retained = *request.retain_versions;
    const bool all = retained >= versions.size();
    const uint64_t first_kept = all ? 0 : versions[versions.size() - retained].version;
    policy.before_version = std::min(policy.before_version, first_kept);
  }
  return policy;
}

arrow::Status KeyUses::Add(std::vector<std::string> keys, uint64_t version) {
  const std::lock_guard lock(mutex_);
  for (std::string& key : keys) {
    const uint64_t needed = key.size() + kBytesBesideKey;
    if (run_.memory_budget != nullptr && free_bytes_ < needed) {
      const uint64_t bytes = std::max(needed, kReservedAtOnce);
      ARROW_ASSIGN_OR_RAISE(auto more,
                            run_.memory_budget->Reserve(bytes, "the files that versions name"));
      reserved_.push_back(std::move(more));
      free_bytes_ = bytes;
    }
    const auto [found, is_new] = last_use_.try_emplace(std::move(key), version);
    found->second = std::max(found->second, version);
    if (is_new) free_bytes_ -= std::min(free_bytes_, needed);
  }
  return arrow::Status::OK();
}

std::optional<uint64_t> KeyUses::Find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = last_use_.find(key);
  return found == last_use_.end() ? std::nullopt : std::optional(found->second);
}

arrow::Result<CleanupFindings> CleanupSurvey::Run(uint64_t read_version) {
  ARROW_ASSIGN_OR_RAISE(const auto versions, manifests_.ListVersions());
  ARROW_ASSIGN_OR_RAISE(policy_,
                        MakeCleanupPolicy(request_, read_version, versions, run_.clock->Now()));
  ARROW_RETURN_NOT_OK(ReadBranches());
  progress_->Stage("read", versions.size());
  newest_ = versions.empty() ? 0 : versions.back().version;
  ARROW_RETURN_NOT_OK(ReadVersions(versions));
  ARROW_RETURN_NOT_OK(ReadNew());  // detached ones
  ARROW_ASSIGN_OR_RAISE(const Claims claims, ReadClaims());
  ARROW_RETURN_NOT_OK(CheckTagged(claims));
  for (auto it = removed_.begin(); it != removed_.end();) {
    const bool is_claimed = claims.Has(it->first);
    if (is_claimed) ARROW_RETURN_NOT_OK(KeepAfterAll(it->second).status());
    it = is_claimed ? removed_.erase(it) : std::next(it);
  }
  CleanupFindings findings;
  ARROW_RETURN_NOT_OK(ListFiles(&findings.files));
  // What was committed meanwhile, and the files that it brought along.
  ARROW_RETURN_NOT_OK(ReadNew());
  std::erase_if(findings.files, [&](const DoomedFile& file) { return !IsDoomed(file); });
  std::ranges::sort(findings.files, {}, [](const DoomedFile& file) {
    return std::pair(file.last_version, std::string_view(file.path));
  });
  findings.versions = std::move(removed_);
  return findings;
}

arrow::Result<CleanupSurvey::Claims> CleanupSurvey::ReadClaims() const {
  Claims claims;
  // Pins first: when one is gone, the tag that was made under it is there.
  const table::VersionNotes pins(place_.store, table::NoteKind::kPin);
  ARROW_ASSIGN_OR_RAISE(const auto notes, pins.List(run_));
  for (const table::VersionNote& note : notes) {
    claims.pinned.insert(note.versions.begin(), note.versions.end());
  }
  ARROW_ASSIGN_OR_RAISE(const auto tags, table::TagStore(place_.root).List(run_));
  for (const table::Tag& tag : tags) {
    if (tag.branch.value_or("") == place_.branch) claims.tag_names.emplace(tag.version, tag.name);
  }
  return claims;
}

arrow::Status CleanupSurvey::ReadBranches() {
  ARROW_ASSIGN_OR_RAISE(BranchReferences references,
                        ReadBranchReferences(place_, &branch_manifests_, run_));
  for (const CleanupBranch& branch : references.branches) {
    policy_.pinned.insert(branch.referenced_version);
  }
  branches_ = std::move(references.branches);
  return uses_.Add({references.keys.begin(), references.keys.end()}, kAlways);
}

arrow::Status CleanupSurvey::ReadVersions(const std::vector<VersionEntry>& versions) {
  for (size_t begin = 0; begin < versions.size(); begin += kReadAtOnce) {
    const size_t count = std::min(kReadAtOnce, versions.size() - begin);
    ARROW_RETURN_NOT_OK(
        ParallelFor(static_cast<int>(count), run_.num_threads, run_.stop_token,
                    [&](int i) { return ReadVersion(versions[begin + static_cast<size_t>(i)]); }));
    progress_->Update(begin + count);
  }
  return arrow::Status::OK();
}

arrow::Status CleanupSurvey::ReadVersion(const VersionEntry& entry) {
  const auto loaded = manifests_.LoadEntry(entry, run_);
  // Another cleanup was faster.
  if (NotFound::From(loaded.status()) != nullptr) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(loaded.status());
  const table::Manifest& manifest = loaded->manifest;
  // A feature that we do not know may refer to files in a way that we do not see.
  ARROW_RETURN_NOT_OK(WithContext(table::CheckWritable(manifest),
                                  table::ManifestPath(entry.version, entry.naming)));
  const bool goes = policy_.Removes(entry.version, manifest.timestamp);
  {
    const std::lock_guard lock(mutex_);
    if (goes) {
      removed_.emplace(entry.version,
                       VersionEntry{entry.version, entry.naming, loaded->size_bytes});
    }
    if (!goes && manifest.timestamp != Timestamp{}) {
      oldest_kept_ = std::min(oldest_kept_, manifest.timestamp);
    }
  }
  return uses_.Add(OwnKeysOf(manifest), goes ? entry.version : kAlways);
}

arrow::Status CleanupSurvey::ReadNew() {
  std::vector<VersionEntry> entries;
  const std::string folder = std::string(table::kVersionsFolder) + "/";
  const auto visit = [&](const std::string& path) {
    const auto name = table::ParseManifestName(std::string_view(path).substr(folder.size()));
    if (!name) return arrow::Status::OK();
    // Detached versions have no place among the others; none is older than the dataset's.
    const bool is_new =
        name->is_detached ? detached_.insert(name->version).second : name->version > newest_;
    if (is_new) entries.push_back({name->version, name->naming, std::nullopt});
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(place_.store->ListPaths(std::string(table::kVersionsFolder), visit));
  for (const VersionEntry& entry : entries) {
    if (!detached_.contains(entry.version)) newest_ = std::max(newest_, entry.version);
  }
  return ReadVersions(entries);
}

arrow::Status CleanupSurvey::KeepClaimed(std::vector<VersionEntry>* versions) {
  ARROW_ASSIGN_OR_RAISE(const Claims claims, ReadClaims());
  for (const VersionEntry& entry : *versions) {
    if (claims.Has(entry.version)) ARROW_RETURN_NOT_OK(KeepAfterAll(entry).status());
  }
  std::erase_if(*versions, [&](const auto& entry) { return claims.Has(entry.version); });
  return arrow::Status::OK();
}

arrow::Status CleanupSurvey::LookAgain() {
  ARROW_RETURN_NOT_OK(ReadNew());
  ARROW_ASSIGN_OR_RAISE(const BranchReferences references,
                        ReadBranchReferences(place_, &branch_manifests_, run_));
  return uses_.Add({references.keys.begin(), references.keys.end()}, kAlways);
}

arrow::Status CleanupSurvey::CheckTagged(const Claims& claims) const {
  if (!request_.error_if_tagged_old_versions) return arrow::Status::OK();
  std::string names;
  for (const auto& [version, name] : claims.tag_names) {
    if (!removed_.contains(version)) continue;
    names += (names.empty() ? "" : ", ") + name + " (version " + std::to_string(version) + ")";
  }
  if (names.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid("versions that would be removed are tagged: ", names,
                                "; delete the tags, or keep tagged versions by "
                                "error_if_tagged_old_versions = false");
}

arrow::Result<bool> CleanupSurvey::KeepAfterAll(const VersionEntry& entry) {
  const auto loaded = manifests_.LoadEntry(entry, run_);
  if (NotFound::From(loaded.status()) != nullptr) return false;
  ARROW_RETURN_NOT_OK(loaded.status());
  if (loaded->manifest.timestamp != Timestamp{}) {
    oldest_kept_ = std::min(oldest_kept_, loaded->manifest.timestamp);
  }
  ARROW_RETURN_NOT_OK(uses_.Add(OwnKeysOf(loaded->manifest), kAlways));
  return true;
}

bool CleanupSurvey::IsDoomed(const DoomedFile& file) const {
  const std::optional<uint64_t> use = uses_.Find(file.key);
  return use ? *use != kAlways : file.last_version == 0;
}

arrow::Status CleanupSurvey::ListFiles(std::vector<DoomedFile>* files) const {
  const UnverifiedRule rule{.cutoff = Before(run_.clock->Now(), kUnverifiedAge),
                            .delete_all = request_.delete_unverified,
                            .oldest_kept = oldest_kept_};
  const auto judge = [&](const ObjectInfo& info) {
    Judge(info, rule, files);
    return arrow::Status::OK();
  };
  auto* const staging = dynamic_cast<StagingFiles*>(place_.store.get());
  for (const std::string_view folder : kFolders) {
    if (run_.stop_token.IsStopRequested()) return run_.stop_token.Poll();
    ARROW_RETURN_NOT_OK(place_.store->List(std::string(folder), judge));
    if (staging != nullptr) ARROW_RETURN_NOT_OK(staging->ListStaging(std::string(folder), judge));
  }
  return arrow::Status::OK();
}

void CleanupSurvey::Judge(const ObjectInfo& info, const UnverifiedRule& rule,
                          std::vector<DoomedFile>* files) const {
  std::optional<OwnedFile> file = RecogniseFile(info.path);
  if (!file) return;
  const std::optional<uint64_t> use = uses_.Find(file->key);
  if (use == kAlways) return;
  if (!use && !DeletesUnverified(file->kind, info.modified, rule)) return;
  files->push_back({.path = info.path,
                    .key = std::move(file->key),
                    .kind = file->kind,
                    .size_bytes = info.size_bytes,
                    .last_version = use.value_or(0)});
}

}  // namespace lance
