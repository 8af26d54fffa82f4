#include <algorithm>
#include <utility>
#include <vector>

#include "lance/base/status_detail.h"
#include "lance/clone.h"
#include "lance/dataset/dataset_impl.h"
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
  // Whatever its features are, a table can be dropped; only its manifest must be one.
  ARROW_ASSIGN_OR_RAISE(const auto newest, manifests.LoadEntry(versions.back(), run));
  if (!newest.manifest.branch) return arrow::Status::OK();
  return arrow::Status::Invalid("is the place of branch ", *newest.manifest.branch,
                                "; allowed: the root of a table. DeleteBranch removes branches");
}

/// Everything below a root, its own manifests last.
arrow::Result<std::vector<std::string>> AllFiles(ObjectStore& store) {
  std::vector<std::string> files;
  ARROW_RETURN_NOT_OK(store.List("", [&](const ObjectInfo& object) {
    files.push_back(object.path);
    return arrow::Status::OK();
  }));
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
  return arrow::Status::OK();
}

}  // namespace

arrow::Status DropTable(const std::string& uri, const OpenOptions& options,
                        const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const OpenedTable table, OpenTableStore(uri, options));
  return WithContext(RemoveTable(table, MakeRunContext(*table.session, call)), table.uri);
}

}  // namespace lance
