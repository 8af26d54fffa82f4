#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/result.h"
#include "lance/base/memory_budget.h"
#include "lance/base/run_context.h"
#include "lance/dataset/data_file_cache.h"
#include "lance/io/stores.h"
#include "lance/session.h"

namespace lance {

/// Index segments in memory. Thread-safe.
///
/// A key belongs to a kind of segment, and all segments of a kind have one type.
class IndexCache {
 public:
  explicit IndexCache(uint64_t max_bytes) : cache_(max_bytes) {}

  /// Find a segment. \return null when it is not there
  template <typename Segment>
  std::shared_ptr<const Segment> Find(std::string_view kind, const std::string& key) {
    return std::static_pointer_cast<const Segment>(cache_.Find(FullKey(kind, key)));
  }
  /// Keep a segment of about `size_bytes`.
  template <typename Segment>
  void Insert(std::string_view kind, const std::string& key, std::shared_ptr<const Segment> segment,
              uint64_t size_bytes) {
    cache_.Insert(FullKey(kind, key), std::move(segment), size_bytes);
  }
  void Clear() { cache_.Clear(); }
  uint64_t size_bytes() const { return cache_.size_bytes(); }

 private:
  static std::string FullKey(std::string_view kind, const std::string& key) {
    return std::string(kind) + "\n" + key;
  }

  LruCache<void> cache_;
};

/// What a session owns. Thread-safe.
class Session::Impl {
 public:
  Impl(SessionOptions options_in, uint64_t max_memory_bytes);

  SessionOptions options;
  StoreRegistry stores;
  std::shared_ptr<MemoryBudget> memory_budget;
  IndexCache indices;
  DataFileCache data_files;
};

/// How a call runs within its session.
RunContext MakeRunContext(const Session& session, const CallOptions& call);

}  // namespace lance
