#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lance/object_store.h"

namespace lance::testing {

/// Lets the storage calls of two operations, each in a thread of its own, happen in a chosen order:
/// the first makes `first_calls` calls, then the second `second_calls`, then the first goes on to
/// its end, and then the second. Thread-safe.
class Turns {
 public:
  Turns(size_t first_calls, size_t second_calls) : left_{first_calls, second_calls} {}

  /// Wait until operation 0 or 1 may make its next call.
  void Await(size_t operation) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return MayGoOn(operation); });
    if (phase_ == operation && left_[operation] > 0) --left_[operation];
    ++num_calls_[operation];
    Advance();
  }

  /// An operation waits for the other one, which therefore goes on to its end.
  void GiveWay(size_t operation) {
    std::unique_lock lock(mutex_);
    if (has_ended_[1 - operation]) return;
    gave_way_ = true;
    phase_ = 3 - operation;  // the other's last turn
    changed_.notify_all();
    changed_.wait(lock, [&] { return has_ended_[1 - operation]; });
  }

  /// An operation has ended.
  void End(size_t operation) {
    const std::lock_guard lock(mutex_);
    has_ended_[operation] = true;
    Advance();
  }

  /// Of an operation, or so far.
  size_t num_calls(size_t operation) const { return num_calls_[operation]; }
  bool gave_way() const { return gave_way_; }

 private:
  /// Phases 0 and 1 are the counted turns, 2 and 3 those to the end.
  bool MayGoOn(size_t operation) const {
    return phase_ % 2 == operation || has_ended_[1 - operation];
  }

  void Advance() {
    while (phase_ < 3 && (has_ended_[phase_ % 2] || (phase_ < 2 && left_[phase_] == 0))) ++phase_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<size_t, 2> left_;
  std::array<size_t, 2> num_calls_{};
  std::array<bool, 2> has_ended_{};
  size_t phase_ = 0;
  bool gave_way_ = false;
};

/// A store whose calls wait for their turn. Thread-safe.
class TurnStore : public ObjectStore {
 public:
  TurnStore(std::shared_ptr<ObjectStore> store, size_t operation)
      : store_(std::move(store)), operation_(operation) {}

  /// From now on calls take turns; null: no more.
  void Begin(Turns* turns) { turns_ = turns; }

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) override {
    Await();
    return store_->Get(path, ranges, stop);
  }
  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    Await();
    return store_->Head(path);
  }
  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    // Who looks at the removals a second time waits for one of them.
    if (prefix == "_refs/removals" && turns_ != nullptr && num_looks_at_removals_++ > 0) {
      turns_->GiveWay(operation_);
    }
    Await();
    return store_->List(prefix, visit);
  }
  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    if (path.starts_with("_refs/pins/")) num_looks_at_removals_ = 0;
    Await();
    return store_->Put(path, std::move(bytes), mode);
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    Await();
    return store_->OpenWrite(path);
  }
  arrow::Status Delete(const std::string& path) override {
    Await();
    return store_->Delete(path);
  }

 private:
  void Await() {
    if (turns_ != nullptr) turns_->Await(operation_);
  }

  std::shared_ptr<ObjectStore> store_;
  size_t operation_;
  Turns* turns_ = nullptr;
  int num_looks_at_removals_ = 0;
};

}  // namespace lance::testing
