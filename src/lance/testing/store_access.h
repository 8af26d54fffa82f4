#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/result.h"
#include "arrow/util/cancel.h"
#include "lance/object_store.h"

namespace lance::testing {

/// Put an object from text.
inline arrow::Result<PutOutcome> PutText(ObjectStore& store, const std::string& path,
                                         std::string text, PutMode mode = PutMode::kOverwrite) {
  return store.Put(path, arrow::Buffer::FromString(std::move(text)), mode);
}

/// Read a whole object as text.
inline arrow::Result<std::string> ReadText(ObjectStore& store, const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const ObjectInfo info, store.Head(path));
  ARROW_ASSIGN_OR_RAISE(const auto buffers,
                        store.Get(path, {{0, info.size_bytes}}, arrow::StopToken::Unstoppable()));
  return buffers[0]->ToString();
}

/// The paths below a folder in ascending order.
inline arrow::Result<std::vector<std::string>> ListPaths(ObjectStore& store,
                                                         const std::string& prefix = "") {
  std::vector<std::string> paths;
  ARROW_RETURN_NOT_OK(store.List(prefix, [&](const ObjectInfo& info) {
    paths.push_back(info.path);
    return arrow::Status::OK();
  }));
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace lance::testing
