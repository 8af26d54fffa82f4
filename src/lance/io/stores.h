#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "arrow/result.h"
#include "lance/object_store.h"

namespace lance {

/// A store on the local file system.
///
/// Put-if-absent writes a unique temporary file beside the target, syncs it, links it to the final
/// name and syncs the folder; only "exists" of the link is a conflict. Folders appear when the
/// first file in them is written. Temporary files are named `.tmp_{uuid}`, are not listed, and
/// block nobody. Source: table-format 4.2.
arrow::Result<std::shared_ptr<ObjectStore>> MakeLocalStore(const std::string& root);

/// What a store that writes beside its targets may leave behind when a writer dies.
class StagingFiles {
 public:
  virtual ~StagingFiles() = default;

  /// Visit the files below a folder that are being written, or were; ObjectStore::List leaves them
  /// out, Delete removes them.
  virtual arrow::Status ListStaging(
      const std::string& prefix, const std::function<arrow::Status(const ObjectInfo&)>& visit) = 0;
};

/// A store in this process's memory.
std::shared_ptr<ObjectStore> MakeMemoryStore();

/// What went through a counting store.
struct IoCounters {
  std::atomic<uint64_t> requests{0};    // calls of Get, Head, List, Put, OpenWrite, Delete
  std::atomic<uint64_t> iops{0};        // ranges read
  std::atomic<uint64_t> bytes_read{0};  // of Get
};

/// Wrap a store so that what goes through it is counted.
std::shared_ptr<ObjectStore> MakeCountingStore(std::shared_ptr<ObjectStore> store,
                                               std::shared_ptr<IoCounters> counters);

/// A table's store and the URI it stands for.
struct OpenedStore {
  std::shared_ptr<ObjectStore> store;
  std::string uri;  // absolute, canonical
};

/// Opens stores by URI scheme: plain paths and file:, memory:, and the caller's own. Thread-safe.
///
/// A plain path is literal; a URI is percent-decoded once. `memory://name` names a store that lives
/// as long as the registry.
class StoreRegistry {
 public:
  explicit StoreRegistry(std::map<std::string, ObjectStoreFactory> factories)
      : factories_(std::move(factories)) {}

  /// \return Invalid for a malformed URI or a scheme that nobody serves, naming those that are
  arrow::Result<OpenedStore> Open(const std::string& uri, const StorageOptions& options);

 private:
  std::map<std::string, ObjectStoreFactory> factories_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<ObjectStore>> memory_stores_;
};

/// Check a path relative to a table root: no empty component, no "." or "..", no control
/// characters.
arrow::Status CheckObjectPath(const std::string& path);

}  // namespace lance
