#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/object_store.h"
#include "lance/progress.h"

namespace lance {

/// What a session owns. A plain value.
struct SessionOptions {
  /// Hard bound for the memory of all its calls; no value: half of the free memory. Caches are not
  /// counted: they take at most three quarters of it besides.
  std::optional<uint64_t> max_memory_bytes;
  /// Threads of one call; 0: the size of Arrow's CPU pool.
  int num_threads = 0;
  /// Bytes of loaded indices kept; at most half of max_memory_bytes.
  uint64_t index_cache_bytes = 512ull << 20;
  /// Bytes of metadata of opened data files kept; at most a quarter of max_memory_bytes.
  uint64_t metadata_cache_bytes = 256ull << 20;
  /// Options for every dataset opened with the session; the dataset's own entries win.
  StorageOptions storage_options;
  /// Stores by URI scheme, beside the built-in file and memory.
  std::map<std::string, ObjectStoreFactory> object_stores;
  /// Where arrays are allocated; null: Arrow's default pool.
  arrow::MemoryPool* memory_pool = nullptr;
};

/// What datasets share: memory budget, threads, caches and stores. Thread-safe.
class Session {
 public:
  /// Make a session. \return Invalid for a budget of 0 or a negative number of threads
  static arrow::Result<std::shared_ptr<Session>> Make(SessionOptions options = {});
  ~Session();

  /// The options it was made with.
  const SessionOptions& options() const;
  /// Bytes that its calls and caches hold now.
  uint64_t memory_in_use_bytes() const;
  /// Forget all that is cached: indices, and metadata of data files.
  void DropCaches();

  /// The inside; for the library only.
  class Impl;
  /// The inside; for the library only.
  Impl& impl() const { return *impl_; }

 private:
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// How one call runs, within what its session allows. A plain value.
struct CallOptions {
  /// Stops the call; it then returns Cancelled, or the true outcome of a commit already in flight.
  arrow::StopToken stop_token = arrow::StopToken::Unstoppable();
  /// Receives progress and warnings.
  std::shared_ptr<Observer> observer;
  /// A lower memory bound than the session's.
  std::optional<uint64_t> max_memory_bytes;
  /// Fewer threads than the session's.
  std::optional<int> num_threads;
};

}  // namespace lance
