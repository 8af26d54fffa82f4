#include "lance/table/manifest_store.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/table/feature_flags.h"
#include "lance/table/manifest_file.h"
#include "lance/table/manifest_names.h"
#include "lance/table/transaction_proto.h"
#include "lance/table/version_hint.h"
#include "lance/table/whole_file.h"

namespace lance::table {
namespace {

constexpr int kMaxLooksAtNewest = 10;

std::string_view TextOf(const arrow::Buffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(bytes.size())};
}

arrow::Status NoSuchVersion(uint64_t version) {
  const std::string name = std::to_string(version);
  return NotFoundError("version", name, "version " + name + " is not there");
}

/// Look at the manifest of a version under one naming scheme. \return no value: not there
arrow::Result<std::optional<VersionEntry>> HeadManifest(ObjectStore& store, uint64_t version,
                                                        NamingScheme naming) {
  const auto info = store.Head(ManifestPath(version, naming));
  if (info.ok()) return VersionEntry{version, naming, info->size_bytes};
  if (NotFound::From(info.status()) != nullptr) return std::optional<VersionEntry>();
  return info.status();
}

/// List a folder, with the sizes where the listing tells them anyway.
arrow::Status ListManifests(
    ObjectStore& store, const std::string& folder,
    const std::function<void(const std::string&, std::optional<uint64_t>)>& visit) {
  if (store.HasCheapListing()) {
    return store.ListPaths(folder, [&](const std::string& path) {
      visit(path, std::nullopt);
      return arrow::Status::OK();
    });
  }
  return store.List(folder, [&](const ObjectInfo& info) {
    visit(info.path, info.size_bytes);
    return arrow::Status::OK();
  });
}

arrow::Result<Transaction> LoadTransactionFile(ObjectStore& store, const std::string& file_name,
                                               const RunContext& run) {
  ARROW_RETURN_NOT_OK(CheckFileName(file_name, "transaction_file"));
  const std::string path = TransactionPath(file_name);
  ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadWhole(store, path, std::nullopt, run));
  auto transaction = ParseTransaction(TextOf(*bytes));
  if (!transaction.ok()) return InFile(transaction.status(), path);
  return transaction;
}

}  // namespace

arrow::Result<std::vector<VersionEntry>> ManifestStore::ListVersions() const {
  std::vector<VersionEntry> versions;
  bool has_v1 = false;
  bool has_v2 = false;
  const std::string folder(kVersionsFolder);
  const auto visit = [&](const std::string& path, std::optional<uint64_t> size_bytes) {
    if (!path.starts_with(folder + "/")) return;
    const auto name = ParseManifestName(std::string_view(path).substr(folder.size() + 1));
    if (!name || name->is_detached) return;
    (name->naming == NamingScheme::kV1 ? has_v1 : has_v2) = true;
    versions.push_back({name->version, name->naming, size_bytes});
  };
  ARROW_RETURN_NOT_OK(ListManifests(*store_, folder, visit));
  if (has_v1 && has_v2) {
    return arrow::Status::Invalid(
        "_versions holds manifests named by version and by reversed version; allowed: one scheme. "
        "To finish a migration, open a single version and call MigrateManifestPathsV2");
  }
  std::ranges::sort(versions, {}, &VersionEntry::version);
  return versions;
}

arrow::Result<LoadedManifest> ManifestStore::LoadEntry(const VersionEntry& entry,
                                                       const RunContext& run) const {
  const std::string path = ManifestPath(entry.version, entry.naming);
  const auto bytes = ReadWhole(*store_, path, entry.size_bytes, run);
  if (!bytes.ok()) {
    if (NotFound::From(bytes.status()) != nullptr) return NoSuchVersion(entry.version);
    return InFile(bytes.status(), path);
  }
  auto file = DecodeManifestFile(AsBytes(TextOf(**bytes)));
  if (!file.ok()) return InFile(file.status(), path);
  return LoadedManifest{.manifest = std::move(file->manifest),
                        .naming = entry.naming,
                        .size_bytes = static_cast<uint64_t>((*bytes)->size()),
                        .inline_transaction = std::move(file->inline_transaction)};
}

arrow::Result<std::optional<VersionEntry>> ManifestStore::FindVersion(uint64_t version) const {
  if (version == 0) return std::optional<VersionEntry>();
  ARROW_ASSIGN_OR_RAISE(auto entry, HeadManifest(*store_, version, NamingScheme::kV2));
  if (entry || version >= kFirstDetachedVersion) return entry;
  return HeadManifest(*store_, version, NamingScheme::kV1);
}

arrow::Result<std::optional<VersionEntry>> ManifestStore::FindNewestByHint(
    const RunContext& run) const {
  const std::optional<uint64_t> hinted = ReadVersionHint(*store_, run);
  if (!hinted) return std::optional<VersionEntry>();
  ARROW_ASSIGN_OR_RAISE(const auto start, FindVersion(*hinted));
  if (!start) return start;
  VersionEntry newest = *start;
  for (uint64_t version = *hinted + 1; version <= *hinted + kMaxHintAge + 1; ++version) {
    if (version >= kFirstDetachedVersion) break;
    ARROW_ASSIGN_OR_RAISE(const auto entry, HeadManifest(*store_, version, start->naming));
    if (!entry) continue;
    // Behind a gap, which clean-up leaves, there may be more than a walk would ever meet.
    if (version != newest.version + 1) return std::optional<VersionEntry>();
    newest = *entry;
  }
  if (newest.version > *hinted + kMaxHintAge) return std::optional<VersionEntry>();
  return newest;
}

arrow::Result<LoadedManifest> ManifestStore::LoadNewest(const RunContext& run) const {
  if (!store_->HasCheapListing()) {
    const auto hinted = FindNewestByHint(run);
    // Whatever goes wrong on this way, the listing is the way that counts.
    if (hinted.ok() && *hinted) {
      auto loaded = LoadEntry(**hinted, run);
      if (loaded.ok()) return loaded;
    }
  }
  // Between listing and reading, a cleanup may take away what was the newest version then.
  for (int look = 1;; ++look) {
    ARROW_ASSIGN_OR_RAISE(const auto versions, ListVersions());
    if (versions.empty()) {
      return NotFoundError("table", "", "there is no table here: _versions holds no manifest");
    }
    auto loaded = LoadEntry(versions.back(), run);
    if (NotFound::From(loaded.status()) == nullptr || look == kMaxLooksAtNewest) return loaded;
  }
}

arrow::Result<LoadedManifest> ManifestStore::LoadLatest(const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(LoadedManifest loaded, LoadNewest(run));
  ARROW_RETURN_NOT_OK(CheckReadable(loaded.manifest));
  return loaded;
}

arrow::Result<LoadedManifest> ManifestStore::Load(uint64_t version, const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(const auto entry, FindVersion(version));
  if (!entry) return NoSuchVersion(version);
  ARROW_ASSIGN_OR_RAISE(LoadedManifest loaded, LoadEntry(*entry, run));
  ARROW_RETURN_NOT_OK(CheckReadable(loaded.manifest));
  return loaded;
}

arrow::Result<Transaction> ManifestStore::LoadTransaction(const LoadedManifest& manifest,
                                                          const RunContext& run) const {
  arrow::Status inline_problem;
  if (manifest.inline_transaction) {
    auto transaction = ParseTransaction(*manifest.inline_transaction);
    if (transaction.ok()) return transaction;
    inline_problem = transaction.status();
  }
  const std::string& file_name = manifest.manifest.transaction_file;
  if (!file_name.empty()) return LoadTransactionFile(*store_, file_name, run);
  ARROW_RETURN_NOT_OK(inline_problem);
  const std::string version = std::to_string(manifest.manifest.version);
  return NotFoundError("object", "transaction of version " + version,
                       "version " + version + " names no transaction");
}

arrow::Result<PutOutcome> ManifestStore::PutManifest(
    const Manifest& manifest, NamingScheme naming,
    const std::string& serialized_transaction) const {
  ARROW_ASSIGN_OR_RAISE(auto bytes, EncodeManifestFile(manifest, serialized_transaction));
  return PutManifestFile(manifest.version, naming, std::move(bytes));
}

arrow::Result<PutOutcome> ManifestStore::PutManifestFile(
    uint64_t version, NamingScheme naming, std::shared_ptr<arrow::Buffer> bytes) const {
  return store_->Put(ManifestPath(version, naming), std::move(bytes), PutMode::kIfAbsent);
}

void ManifestStore::WriteHint(uint64_t version) const { WriteVersionHint(*store_, version); }

}  // namespace lance::table
