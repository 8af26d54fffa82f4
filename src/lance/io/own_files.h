#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/object_store.h"

namespace lance {

/// What a store has whose folders are there by themselves: they may be links to folders elsewhere,
/// and are there when nothing is in them.
class StoredFolders {
 public:
  virtual ~StoredFolders() = default;

  /// The links below a folder that stand for folders, none of them below another. ObjectStore::List
  /// goes through them; ObjectStore::Delete removes the link and leaves what it stands for.
  virtual arrow::Result<std::vector<std::string>> ListLinks(const std::string& prefix) = 0;

  /// Remove a folder if it is empty; "" is the root. Best effort: a folder that stays is in
  /// nobody's way. Who writes to it at the same time makes it anew.
  virtual void RemoveIfEmpty(const std::string& folder) = 0;

  /// The same for all folders below a folder, which are not links, and for itself.
  virtual void RemoveEmptyFolders(const std::string& folder) = 0;
};

/// Everything that deleting a folder deletes: its files, those that are half written too, and links
/// to folders elsewhere instead of the files there, which are not its own.
arrow::Result<std::vector<std::string>> ListOwnFiles(ObjectStore& store, const std::string& prefix);

}  // namespace lance
