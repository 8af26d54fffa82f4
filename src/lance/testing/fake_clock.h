#pragma once

#include <chrono>
#include <mutex>

#include "lance/base/clock.h"

namespace lance::testing {

/// A clock that stands still until a test or a Sleep moves it. Thread-safe.
class FakeClock : public Clock {
 public:
  /// Start at 2024-01-01T00:00:00Z.
  FakeClock() = default;
  explicit FakeClock(Timestamp now) : now_(now) {}

  Timestamp Now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  std::chrono::nanoseconds Steady() override {
    const std::lock_guard lock(mutex_);
    return steady_;
  }

  /// Move on by `duration` without waiting. \return Cancelled when `stop` fired; time stands then
  arrow::Status Sleep(std::chrono::nanoseconds duration, const arrow::StopToken& stop) override {
    ARROW_RETURN_NOT_OK(stop.Poll());
    const std::lock_guard lock(mutex_);
    now_ += duration;
    steady_ += duration;
    slept_ += duration;
    return arrow::Status::OK();
  }

  /// Set the wall clock, also backwards; the steady clock stays.
  void SetNow(Timestamp now) {
    const std::lock_guard lock(mutex_);
    now_ = now;
  }

  /// Let time pass.
  void Advance(std::chrono::nanoseconds duration) {
    const std::lock_guard lock(mutex_);
    now_ += duration;
    steady_ += duration;
  }

  /// The sum of all sleeps.
  std::chrono::nanoseconds slept() {
    const std::lock_guard lock(mutex_);
    return slept_;
  }

 private:
  std::mutex mutex_;
  Timestamp now_{std::chrono::seconds(1704067200)};
  std::chrono::nanoseconds steady_{0};
  std::chrono::nanoseconds slept_{0};
};

}  // namespace lance::testing
