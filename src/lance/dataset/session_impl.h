#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "arrow/result.h"
#include "lance/base/memory_budget.h"
#include "lance/base/run_context.h"
#include "lance/index/zonemap.h"
#include "lance/io/stores.h"
#include "lance/session.h"

namespace lance {

/// Loaded zonemap segments, the least recently used dropped beyond a number of bytes. Thread-safe.
class ZonemapCache {
 public:
  explicit ZonemapCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Find a segment. \return null when it is not there
  std::shared_ptr<const index::ZonemapSegment> Find(const std::string& key);
  /// Keep a segment of about `size_bytes`.
  void Insert(const std::string& key, std::shared_ptr<const index::ZonemapSegment> segment,
              uint64_t size_bytes);
  void Clear();
  uint64_t size_bytes() const;

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const index::ZonemapSegment> segment;
    uint64_t size_bytes;
  };
  const uint64_t max_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  uint64_t size_bytes_ = 0;
};

/// What a session owns. Thread-safe.
class Session::Impl {
 public:
  Impl(SessionOptions options_in, uint64_t max_memory_bytes);

  SessionOptions options;
  StoreRegistry stores;
  std::shared_ptr<MemoryBudget> memory_budget;
  ZonemapCache zonemaps;
};

/// How a call runs within its session.
RunContext MakeRunContext(const Session& session, const CallOptions& call);

}  // namespace lance
