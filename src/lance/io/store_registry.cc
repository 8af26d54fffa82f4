#include <exception>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/io/prefix_store.h"
#include "lance/io/stores.h"
#include "lance/io/table_uri.h"

namespace lance {

namespace {

arrow::Result<OpenedStore> OpenLocal(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(std::string folder, NormalizeLocalPath(path));
  ARROW_ASSIGN_OR_RAISE(auto store, MakeLocalStore(folder));
  return OpenedStore{std::move(store), std::move(folder)};
}

arrow::Status CallFactory(const ObjectStoreFactory& factory, const std::string& uri,
                          const StorageOptions& options, std::shared_ptr<ObjectStore>* store) {
  try {
    ARROW_ASSIGN_OR_RAISE(*store, factory(uri, options));
  } catch (const std::exception& error) {  // the factory is the caller's code
    return arrow::Status::UnknownError(uri, ": its store factory threw: ", error.what());
  }
  if (*store != nullptr) return arrow::Status::OK();
  return arrow::Status::Invalid(uri, ": its store factory returned null");
}

arrow::Result<OpenedStore> OpenWithFactory(const ObjectStoreFactory& factory, const TableUri& uri,
                                           const StorageOptions& options) {
  std::string canonical = uri.scheme + "://" + uri.location;
  while (canonical.size() > uri.scheme.size() + 3 && canonical.back() == '/') canonical.pop_back();
  std::shared_ptr<ObjectStore> store;
  ARROW_RETURN_NOT_OK(CallFactory(factory, canonical, options, &store));
  return OpenedStore{std::move(store), std::move(canonical)};
}

/// The decoded name of a memory store.
arrow::Result<std::string> MemoryNameOf(const TableUri& uri) {
  const std::string text = "memory://" + uri.location;
  ARROW_ASSIGN_OR_RAISE(std::string name, PercentDecode(uri.location, text));
  while (!name.empty() && name.back() == '/') name.pop_back();
  if (name.empty()) {
    return arrow::Status::Invalid("URI is \"", text, "\"; allowed: memory://name");
  }
  return name;
}

}  // namespace

arrow::Result<OpenedStore> StoreRegistry::Open(const std::string& uri,
                                               const StorageOptions& options) {
  const TableUri parts = SplitTableUri(uri);
  if (parts.scheme.empty()) return OpenLocal(parts.location);
  // What the caller registered wins, so that a test or an application can stand in for any scheme.
  const auto own = factories_.find(parts.scheme);
  if (own != factories_.end()) return OpenWithFactory(own->second, parts, options);
  if (parts.scheme == "file") {
    ARROW_ASSIGN_OR_RAISE(const std::string path, FilePathOf(parts));
    return OpenLocal(path);
  }
  if (parts.scheme == "memory") {
    ARROW_ASSIGN_OR_RAISE(const std::string name, MemoryNameOf(parts));
    return OpenedStore{OpenMemory(name), "memory://" + PercentEncode(name)};
  }
  std::string served = "file, memory";
  for (const auto& [scheme, factory] : factories_) {
    if (scheme != "file" && scheme != "memory") served += ", " + scheme;
  }
  return arrow::Status::Invalid("URI scheme is \"", parts.scheme, "\" in \"", uri,
                                "\"; allowed: a plain path or one of ", served);
}

std::shared_ptr<ObjectStore> StoreRegistry::OpenMemory(const std::string& name) {
  const size_t tree = name.find("/tree/");
  std::shared_ptr<ObjectStore> root;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<ObjectStore>& store = memory_stores_[name.substr(0, tree)];
    if (store == nullptr) store = MakeMemoryStore();
    root = store;
  }
  return tree == std::string::npos ? root : MakePrefixStore(root, name.substr(tree + 1));
}

}  // namespace lance
