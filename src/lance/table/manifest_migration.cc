#include "lance/table/manifest_migration.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/util/cancel.h"
#include "lance/table/manifest_names.h"
#include "lance/table/manifest_store.h"
#include "lance/table/whole_file.h"

namespace lance::table {
namespace {

/// The versions that are named by V1, newest first: whoever takes the first V2 name for the newest
/// version is right all the time.
arrow::Result<std::vector<uint64_t>> ListOldNames(ObjectStore& store) {
  std::vector<uint64_t> versions;
  const std::string folder(kVersionsFolder);
  ARROW_RETURN_NOT_OK(store.List(folder, [&](const ObjectInfo& info) {
    if (!info.path.starts_with(folder + "/")) return arrow::Status::OK();
    const auto name = ParseManifestName(std::string_view(info.path).substr(folder.size() + 1));
    if (name && name->naming == NamingScheme::kV1) versions.push_back(name->version);
    return arrow::Status::OK();
  }));
  std::ranges::sort(versions, std::greater<>());
  return versions;
}

arrow::Status Migrate(ObjectStore& store, uint64_t version, const RunContext& run) {
  const std::string from = ManifestPath(version, NamingScheme::kV1);
  const std::string to = ManifestPath(version, NamingScheme::kV2);
  ARROW_ASSIGN_OR_RAISE(const auto manifest, ReadWhole(store, from, std::nullopt, run));
  ARROW_ASSIGN_OR_RAISE(const PutOutcome put, store.Put(to, manifest, PutMode::kIfAbsent));
  if (put != PutOutcome::kStored) {
    // An earlier run may have written it, or the reply was lost: only its bytes tell.
    ARROW_ASSIGN_OR_RAISE(const auto present, ReadWhole(store, to, std::nullopt, run));
    if (!present->Equals(*manifest)) {
      return arrow::Status::Invalid("version ", version, " has two different manifests, ", from,
                                    " and ", to, "; remove the one that does not belong there");
    }
  }
  return store.Delete(from);
}

}  // namespace

arrow::Status MigrateManifestNames(ObjectStore& store, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto versions, ListOldNames(store));
  for (const uint64_t version : versions) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    ARROW_RETURN_NOT_OK(Migrate(store, version, run));
  }
  return arrow::Status::OK();
}

}  // namespace lance::table
