#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/table/feature_flags.h"
#include "lance/table/manifest_file.h"
#include "lance/table/manifest_names.h"

namespace lance {
namespace {

constexpr std::string_view kTree = "tree";
constexpr std::string_view kDescriptions = "_refs/branches";
constexpr std::string_view kVersionsPart = "/_versions/";
// A description has a few hundred bytes; a larger file is none.
constexpr uint64_t kMaxDescriptionBytes = 1 << 20;

/// A manifest below `tree`.
struct BranchManifest {
  ObjectInfo file;
  std::string branch;
};

/// The branch whose manifest a path is. \return no value: it is none
std::optional<std::string> BranchOfManifest(std::string_view path) {
  const size_t versions = path.rfind(kVersionsPart);
  const size_t begin = kTree.size() + 1;
  if (versions == std::string_view::npos || versions < begin) return std::nullopt;
  if (!table::ParseManifestName(path.substr(versions + kVersionsPart.size()))) return std::nullopt;
  return std::string(path.substr(begin, versions - begin));
}

arrow::Result<std::vector<BranchManifest>> ListBranchManifests(const CleanupPlace& place) {
  std::vector<BranchManifest> manifests;
  ARROW_RETURN_NOT_OK(place.root->List(std::string(kTree), [&](const ObjectInfo& info) {
    auto branch = BranchOfManifest(info.path);
    if (branch && *branch != place.branch) manifests.push_back({info, *std::move(branch)});
    return arrow::Status::OK();
  }));
  return manifests;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(ObjectStore& store, const ObjectInfo& file,
                                                        const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto read,
                        store.Get(file.path, {{0, file.size_bytes}}, run.stop_token));
  return read.front();
}

/// What a branch's version needs elsewhere; nothing when it is gone meanwhile.
arrow::Result<std::vector<std::string>> ReadKeys(ObjectStore& store, const ObjectInfo& file,
                                                 const RunContext& run) {
  std::vector<std::string> keys;
  const auto bytes = ReadWhole(store, file, run);
  if (NotFound::From(bytes.status()) != nullptr) return keys;
  ARROW_RETURN_NOT_OK(WithContext(bytes.status(), file.path));
  const auto decoded = table::DecodeManifestFile(AsBytes(std::string_view(**bytes)));
  if (!decoded.ok()) return InFile(decoded.status(), file.path);
  ARROW_RETURN_NOT_OK(WithContext(table::CheckWritable(decoded->manifest), file.path));
  VisitKeysElsewhere(decoded->manifest, [&](std::string key) { keys.push_back(std::move(key)); });
  return keys;
}

/// Where a branch began. \return no value: on another branch than ours
std::optional<uint64_t> ParentVersionOn(std::string_view text, const std::string& ours) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto parent = json.find("parentBranch");
  const bool has_parent = parent != json.end() && parent->is_string();
  if ((has_parent ? parent->get<std::string>() : "") != ours) return std::nullopt;
  const auto version = json.find("parentVersion");
  if (version == json.end() || !version->is_number_unsigned()) return std::nullopt;
  return version->get<uint64_t>();
}

/// Branches that began on ours, by the name of the file that describes them.
arrow::Result<std::map<std::string, uint64_t>> ReadParentVersions(const CleanupPlace& place,
                                                                  const RunContext& run) {
  std::vector<ObjectInfo> files;
  ARROW_RETURN_NOT_OK(place.root->List(std::string(kDescriptions), [&](const ObjectInfo& info) {
    if (info.size_bytes <= kMaxDescriptionBytes) files.push_back(info);
    return arrow::Status::OK();
  }));
  std::map<std::string, uint64_t> parents;
  for (const ObjectInfo& file : files) {
    const auto bytes = ReadWhole(*place.root, file, run);
    if (NotFound::From(bytes.status()) != nullptr) continue;
    ARROW_RETURN_NOT_OK(WithContext(bytes.status(), file.path));
    const auto version = ParentVersionOn(std::string_view(**bytes), place.branch);
    if (version) parents.emplace(file.path.substr(kDescriptions.size() + 1), *version);
  }
  return parents;
}

/// The file name of a branch's description without its folder (table-format 1.8).
std::string DescriptionOf(const std::string& branch) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string name;
  for (const char letter : branch) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x80 && letter != '/') {
      name += letter;
    } else {
      name += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return name + ".json";
}

}  // namespace

arrow::Result<BranchReferences> ReadBranchReferences(const CleanupPlace& place,
                                                     const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto manifests, ListBranchManifests(place));
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
  for (const std::string& branch : needing) {
    const auto parent = parents.find(DescriptionOf(branch));
    if (parent != parents.end()) references.branches.push_back({branch, parent->second});
  }
  return references;
}

}  // namespace lance
