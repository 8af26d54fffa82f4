#include "lance/io/own_files.h"

#include <algorithm>
#include <utility>

#include "lance/io/stores.h"

namespace lance {
namespace {

bool IsBelow(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path[folder.size()] == '/' && path.starts_with(folder);
}

}  // namespace

arrow::Result<std::vector<std::string>> ListOwnFiles(ObjectStore& store,
                                                     const std::string& prefix) {
  std::vector<std::string> links;
  if (auto* const linked = dynamic_cast<StoredFolders*>(&store)) {
    ARROW_ASSIGN_OR_RAISE(links, linked->ListLinks(prefix));
  }
  std::vector<std::string> files;
  const auto add = [&](const ObjectInfo& object) {
    const auto has = [&](const std::string& link) { return IsBelow(object.path, link); };
    if (std::ranges::none_of(links, has)) files.push_back(object.path);
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(store.List(prefix, add));
  if (auto* const staging = dynamic_cast<StagingFiles*>(&store)) {
    ARROW_RETURN_NOT_OK(staging->ListStaging(prefix, add));
  }
  files.insert(files.end(), links.begin(), links.end());
  return files;
}

}  // namespace lance
