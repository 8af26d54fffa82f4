#include <map>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/table/branches.h"
#include "lance/table/feature_flags.h"
#include "lance/table/manifest_file.h"
#include "lance/table/manifest_names.h"
#include "lance/table/ref_names.h"
#include "lance/table/whole_file.h"

namespace lance {
namespace {

constexpr std::string_view kTree = "tree";

/// A manifest below `tree`.
struct BranchManifest {
  ObjectInfo file;
  std::string branch;
};

arrow::Result<std::vector<BranchManifest>> ListBranchManifests(const CleanupPlace& place) {
  std::vector<BranchManifest> manifests;
  ARROW_RETURN_NOT_OK(place.root->List(std::string(kTree), [&](const ObjectInfo& info) {
    auto found = table::ParseVersionsPath(info.path);
    if (!found || !table::ParseManifestName(found->file_name)) return arrow::Status::OK();
    if (found->branch != place.branch) manifests.push_back({info, std::move(found->branch)});
    return arrow::Status::OK();
  }));
  return manifests;
}

/// What a branch's version needs elsewhere; nothing when it is gone meanwhile.
arrow::Result<std::vector<std::string>> ReadKeys(ObjectStore& store, const ObjectInfo& file,
                                                 const RunContext& run) {
  std::vector<std::string> keys;
  const auto bytes = table::ReadWhole(store, file.path, file.size_bytes, run);
  if (NotFound::From(bytes.status()) != nullptr) return keys;
  ARROW_RETURN_NOT_OK(WithContext(bytes.status(), file.path));
  const auto decoded = table::DecodeManifestFile(AsBytes(std::string_view(**bytes)));
  if (!decoded.ok()) return InFile(decoded.status(), file.path);
  ARROW_RETURN_NOT_OK(WithContext(table::CheckWritable(decoded->manifest), file.path));
  VisitKeysElsewhere(decoded->manifest, [&](std::string key) { keys.push_back(std::move(key)); });
  return keys;
}

/// Where the branches that began on ours did, by their names.
arrow::Result<std::map<std::string, uint64_t>> ReadParentVersions(const CleanupPlace& place,
                                                                  const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto branches, table::BranchStore(place.root).List(run));
  std::map<std::string, uint64_t> parents;
  for (const table::Branch& branch : branches) {
    if (branch.parent_branch.value_or("") == place.branch) {
      parents.emplace(branch.name, branch.parent_version);
    }
  }
  return parents;
}

}  // namespace

arrow::Result<BranchReferences> ReadBranchReferences(const CleanupPlace& place,
                                                     std::set<std::string>* seen,
                                                     const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto manifests, ListBranchManifests(place));
  std::erase_if(manifests,
                [&](const auto& manifest) { return seen->contains(manifest.file.path); });
  BranchReferences references;
  if (manifests.empty()) return references;
  ARROW_ASSIGN_OR_RAISE(const auto parents, ReadParentVersions(place, run));
  std::mutex mutex;
  std::set<std::string> needing;  // branches that need files elsewhere
  const auto read = [&](int i) -> arrow::Status {
    const BranchManifest& manifest = manifests[static_cast<size_t>(i)];
    ARROW_ASSIGN_OR_RAISE(const auto keys, ReadKeys(*place.root, manifest.file, run));
    const std::lock_guard lock(mutex);
    if (!keys.empty()) needing.insert(manifest.branch);
    references.keys.insert(keys.begin(), keys.end());
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(
      ParallelFor(static_cast<int>(manifests.size()), run.num_threads, run.stop_token, read));
  for (const BranchManifest& manifest : manifests) seen->insert(manifest.file.path);
  for (const std::string& branch : needing) {
    const auto parent = parents.find(branch);
    if (parent != parents.end()) references.branches.push_back({branch, parent->second});
  }
  return references;
}

}  // namespace lance
