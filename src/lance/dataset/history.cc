#include "lance/history.h"

#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/manifest_migration.h"
#include "lance/transaction.h"

namespace lance {

namespace {

VersionInfo Describe(const table::Manifest& manifest) {
  uint64_t files = 0;
  uint64_t rows = 0;
  for (const table::Fragment& fragment : manifest.fragments) {
    files += fragment.files.size();
    rows += fragment.live_rows();
  }
  return {.version = manifest.version,
          .timestamp = manifest.timestamp,
          .metadata = {{"total_fragments", std::to_string(manifest.fragments.size())},
                       {"total_data_files", std::to_string(files)},
                       {"total_rows", std::to_string(rows)}}};
}

}  // namespace

arrow::Result<std::vector<VersionInfo>> ListVersions(const Dataset& dataset,
                                                     const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  const table::ManifestStore manifests = impl.manifests();
  ARROW_ASSIGN_OR_RAISE(const auto entries, manifests.ListVersions());
  std::vector<VersionInfo> versions;
  for (const table::VersionEntry& entry : entries) {
    auto loaded = manifests.Load(entry.version, run);
    // A cleanup by another writer may take an old version away between listing and reading.
    if (!loaded.ok() && NotFound::From(loaded.status()) != nullptr) continue;
    ARROW_RETURN_NOT_OK(loaded.status());
    versions.push_back(Describe(loaded->manifest));
  }
  return versions;
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
