#pragma once

#include <memory>
#include <string>

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/object_store.h"

namespace lance {

/// One file by itself: the store of its folder, and its name there. A plain value.
struct FileLocation {
  std::shared_ptr<ObjectStore> store;
  std::string name;
  std::shared_ptr<Session> session;
};

/// Find a file. \return Invalid for a URI without a file name; as OpenTableStore
arrow::Result<FileLocation> LocateFile(const std::string& uri, const OpenOptions& options);

}  // namespace lance
