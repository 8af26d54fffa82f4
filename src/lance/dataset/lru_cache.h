#pragma once

#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace lance {

/// Values by key, the least recently used dropped beyond a number of bytes. Thread-safe.
template <typename T>
class LruCache {
 public:
  explicit LruCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Find a value. \return null when it is not there
  std::shared_ptr<const T> Find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  /// Keep a value of about `size_bytes`, instead of one of the same key.
  void Insert(const std::string& key, std::shared_ptr<const T> value, uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) Drop(found->second);
    if (size_bytes > max_bytes_) return;
    entries_.push_front({key, std::move(value), size_bytes});
    by_key_[key] = entries_.begin();
    size_bytes_ += size_bytes;
    while (size_bytes_ > max_bytes_) Drop(std::prev(entries_.end()));
  }

  void Clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
    by_key_.clear();
    size_bytes_ = 0;
  }

  uint64_t size_bytes() const {
    const std::lock_guard lock(mutex_);
    return size_bytes_;
  }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const T> value;
    uint64_t size_bytes;
  };

  void Drop(typename std::list<Entry>::iterator entry) {
    size_bytes_ -= entry->size_bytes;
    by_key_.erase(entry->key);
    entries_.erase(entry);
  }

  const uint64_t max_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> by_key_;
  uint64_t size_bytes_ = 0;
};

}  // namespace lance
