#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/object_store.h"

namespace lance {

/// What a store has whose folders may be links to folders elsewhere.
class LinkedFolders {
 public:
  virtual ~LinkedFolders() = default;

  /// The links below a folder that stand for folders, none of them below another. ObjectStore::List
  /// goes through them; ObjectStore::Delete removes the link and leaves what it stands for.
  virtual arrow::Result<std::vector<std::string>> ListLinks(const std::string& prefix) = 0;
};

/// Everything that deleting a folder deletes: its files, and links to folders elsewhere instead of
/// the files there, which are not its own.
arrow::Result<std::vector<std::string>> ListOwnFiles(ObjectStore& store, const std::string& prefix);

}  // namespace lance
