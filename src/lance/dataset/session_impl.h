#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow/result.h"
#include "lance/base/memory_budget.h"
#include "lance/base/run_context.h"
#include "lance/io/stores.h"
#include "lance/session.h"

namespace lance {

/// Index segments in memory, the least recently used dropped beyond a number of bytes. Thread-safe.
///
/// A key belongs to a kind of segment, and all segments of a kind have one type.
class IndexCache {
 public:
  explicit IndexCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Find a segment. \return null when it is not there
  template <typename Segment>
  std::shared_ptr<const Segment> Find(std::string_view kind, const std::string& key) {
    return std::static_pointer_cast<const Segment>(FindAny(std::string(kind) + "\n" + key));
  }
  /// Keep a segment of about `size_bytes`.
  template <typename Segment>
  void Insert(std::string_view kind, const std::string& key, std::shared_ptr<const Segment> segment,
              uint64_t size_bytes) {
    InsertAny(std::string(kind) + "\n" + key, std::move(segment), size_bytes);
  }
  void Clear();
  uint64_t size_bytes() const;

 private:
  using Any = std::shared_ptr<const void>;

  Any FindAny(const std::string& key);
  void InsertAny(const std::string& key, Any segment, uint64_t size_bytes);

  struct Entry {
    std::string key;
    Any segment;
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
  IndexCache indices;
};

/// How a call runs within its session.
RunContext MakeRunContext(const Session& session, const CallOptions& call);

}  // namespace lance
