#include <algorithm>
#include <utility>
#include <vector>

#include "lance/base/status_detail.h"
#include "lance/clone.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/io/own_files.h"
#include "lance/table/manifest_names.h"

namespace lance {
namespace {

/// Check that a place is the root of a table.
arrow::Status CheckIsRoot(const OpenedTable& table, const RunContext& run) {
  const table::ManifestStore manifests(table.store);
  ARROW_ASSIGN_OR_RAISE(const auto versions, manifests.ListVersions());
  if (versions.empty()) {
    return NotFoundError("table", "", "there is no table here: _versions holds no manifest");
  }
  // Whatever its features and damages are, a table can be dropped; only one of its manifests must
  // be one.
  auto known = manifests.LoadEntry(versions.back(), run);
  for (auto older = versions.rbegin() + 1; !known.ok() && older != versions.rend(); ++older) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    auto loaded = manifests.LoadEntry(*older, run);
    if (loaded.ok()) known = std::move(loaded);
  }
  ARROW_RETURN_NOT_OK(known.status());
  if (!known->manifest.branch) return arrow::Status::OK();
  return arrow::Status::Invalid("is the place of branch ", *known->manifest.branch,
                                "; allowed: the root of a table. DeleteBranch removes branches");
}

/// Everything below a root, its own manifests last.
arrow::Result<std::vector<std::string>> AllFiles(ObjectStore& store) {
  ARROW_ASSIGN_OR_RAISE(std::vector<std::string> files, ListOwnFiles(store, ""));
  const std::string versions = std::string(table::kVersionsFolder) + "/";
  std::ranges::partition(files,
                         [&](const std::string& path) { return !path.starts_with(versions); });
  return files;
}

arrow::Status RemoveTable(const OpenedTable& table, const RunContext& run) {
  ARROW_RETURN_NOT_OK(CheckIsRoot(table, run));
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> files, AllFiles(*table.store));
  for (const std::string& path : files) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    ARROW_RETURN_NOT_OK(table.store->Delete(path));
  }
  if (auto* const folders = dynamic_cast<StoredFolders*>(table.store.get())) {
    folders->RemoveEmptyFolders("");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status DropTable(const std::string& uri, const OpenOptions& options,
                        const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const OpenedTable table, OpenTableStore(uri, options));
  return WithContext(RemoveTable(table, MakeRunContext(*table.session, call)), table.uri);
}

}  // namespace lance
