#include "lance/history.h"

#include <map>
#include <optional>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/history_entry.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/transaction_impl.h"
#include "lance/table/feature_flags.h"
#include "lance/table/manifest_migration.h"
#include "lance/table/tags.h"

namespace lance {

namespace {

/// Names by version.
using TagNames = std::map<uint64_t, std::vector<std::string>>;

/// The tags of a branch. A damaged one is a warning: versions are there without it.
arrow::Result<TagNames> ReadTagNames(const Dataset::Impl& dataset, const RunContext& run) {
  TagNames names;
  const auto place = PlaceOf(dataset);
  if (place.status().IsInvalid()) return names;  // a branch without its table
  ARROW_RETURN_NOT_OK(place.status());
  const auto tags = table::TagStore(place->root).List(run);
  if (tags.status().IsSerializationError()) {
    Warn(run, "tags_unreadable", tags.status().message());
    return names;
  }
  ARROW_RETURN_NOT_OK(tags.status());
  for (const table::Tag& tag : *tags) {
    if (tag.branch.value_or("") == place->branch) names[tag.version].push_back(tag.name);
  }
  return names;
}

std::vector<std::string> NamesOf(const TagNames& names, uint64_t version) {
  const auto found = names.find(version);
  return found == names.end() ? std::vector<std::string>() : found->second;
}

VersionInfo Describe(const table::Manifest& manifest, const TagNames& tags) {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t rows = 0;
  uint64_t live_rows = 0;
  uint64_t deletion_files = 0;
  for (const table::Fragment& fragment : manifest.fragments) {
    files += fragment.files.size();
    for (const table::DataFile& file : fragment.files) bytes += file.size_bytes;
    rows += fragment.physical_rows;
    live_rows += fragment.live_rows();
    deletion_files += fragment.deletion_file ? 1 : 0;
  }
  return {.version = manifest.version,
          .timestamp = manifest.timestamp,
          .metadata = {{"total_fragments", std::to_string(manifest.fragments.size())},
                       {"total_data_files", std::to_string(files)},
                       {"total_files_size", std::to_string(bytes)},
                       {"total_deletion_files", std::to_string(deletion_files)},
                       {"total_data_file_rows", std::to_string(rows)},
                       {"total_deletion_file_rows", std::to_string(rows - live_rows)},
                       {"total_rows", std::to_string(live_rows)}},
          .tags = NamesOf(tags, manifest.version)};
}

/// Load a version that a listing found. \return no value: a cleanup took it away since
arrow::Result<std::optional<table::LoadedManifest>> LoadListed(
    const table::ManifestStore& manifests, const table::VersionEntry& entry,
    const RunContext& run) {
  auto loaded = manifests.LoadEntry(entry, run);
  if (!loaded.ok() && NotFound::From(loaded.status()) != nullptr) return std::nullopt;
  ARROW_RETURN_NOT_OK(loaded.status());
  ARROW_RETURN_NOT_OK(table::CheckReadable(loaded->manifest));
  return *std::move(loaded);
}

void SetCounts(const ChangeCounts& counts, HistoryEntry* entry) {
  entry->rows_inserted = counts.rows_inserted;
  entry->rows_updated = counts.rows_updated;
  entry->rows_deleted = counts.rows_deleted;
  entry->fragments_added = counts.fragments_added;
  entry->fragments_removed = counts.fragments_removed;
  entry->bytes_added = counts.bytes_added;
}

/// Tell of one version. \param before the version in front of it; null: it is gone
HistoryEntry MakeEntry(const table::ManifestStore& manifests, const table::LoadedManifest& loaded,
                       const table::Manifest* before, const TagNames& tags, const RunContext& run) {
  const table::Manifest& manifest = loaded.manifest;
  HistoryEntry entry{.version = manifest.version,
                     .timestamp = manifest.timestamp,
                     .branch = manifest.branch.value_or(""),
                     .tags = NamesOf(tags, manifest.version)};
  // A transaction that cannot be read harms nobody else.
  auto transaction = manifests.LoadTransaction(loaded, run);
  SetCounts(CountChanges(transaction.ok() ? &transaction->operation : nullptr, before, manifest),
            &entry);
  if (!transaction.ok()) return entry;
  entry.operation = table::OperationName(transaction->operation);
  entry.read_version = transaction->read_version;
  entry.transaction_uuid = transaction->uuid;
  entry.properties = transaction->properties;
  auto message = entry.properties.extract(std::string(table::kCommitMessageProperty));
  if (!message.empty()) entry.message = std::move(message.mapped());
  entry.transaction = WrapStored(*std::move(transaction));
  return entry;
}

}  // namespace

arrow::Result<std::vector<VersionInfo>> ListVersions(const Dataset& dataset,
                                                     const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  const table::ManifestStore manifests = impl.manifests();
  ARROW_ASSIGN_OR_RAISE(const TagNames tags, ReadTagNames(impl, run));
  ARROW_ASSIGN_OR_RAISE(const auto entries, manifests.ListVersions());
  std::vector<VersionInfo> versions;
  for (const table::VersionEntry& entry : entries) {
    ARROW_ASSIGN_OR_RAISE(const auto loaded, LoadListed(manifests, entry, run));
    if (loaded) versions.push_back(Describe(loaded->manifest, tags));
  }
  return versions;
}

arrow::Result<std::vector<HistoryEntry>> ListHistory(const Dataset& dataset, uint64_t max_entries,
                                                     const CallOptions& call) {
  if (max_entries == 0) return arrow::Status::Invalid("max_entries is 0; allowed: 1 or more");
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  const table::ManifestStore manifests = impl.manifests();
  ARROW_ASSIGN_OR_RAISE(const TagNames tags, ReadTagNames(impl, run));
  ARROW_ASSIGN_OR_RAISE(auto versions, manifests.ListVersions());
  std::erase_if(versions, [&](const auto& entry) { return entry.version > dataset.version(); });
  std::vector<HistoryEntry> history;
  std::optional<table::LoadedManifest> newer;  // told of when the one in front of it is known
  const auto tell = [&](const table::Manifest* before) {
    if (!newer) return;
    const bool is_adjacent = before != nullptr && before->version + 1 == newer->manifest.version;
    history.push_back(MakeEntry(manifests, *newer, is_adjacent ? before : nullptr, tags, run));
  };
  for (auto entry = versions.rbegin(); entry != versions.rend(); ++entry) {
    if (run.stop_token.IsStopRequested()) return run.stop_token.Poll();
    ARROW_ASSIGN_OR_RAISE(auto loaded, LoadListed(manifests, *entry, run));
    if (!loaded) continue;
    tell(&loaded->manifest);
    newer = std::move(loaded);
    if (history.size() == max_entries) return history;
  }
  const table::Manifest none;  // in front of the first
  tell(&none);
  return history;
}

arrow::Result<Dataset> MigrateManifestPathsV2(const Dataset& dataset, const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  ARROW_RETURN_NOT_OK(
      WithContext(table::MigrateManifestNames(*impl.store, impl.Run(call)), dataset.uri()));
  return dataset.Checkout(Ref::Version(dataset.version()), call);
}

arrow::Result<Dataset> Restore(const Dataset& old_version, const CommitOptions& options,
                               const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const Dataset newest, old_version.Checkout(Ref::Latest(), call));
  ARROW_ASSIGN_OR_RAISE(const Transaction restore,
                        MakeRestoreTransaction(newest, {.version = old_version.version()}));
  return CommitTransaction(newest, restore, options, call);
}

}  // namespace lance
