#pragma once

#include <chrono>

#include "arrow/status.h"
#include "arrow/util/cancel.h"
#include "lance/object_store.h"

namespace lance {

/// The only source of time. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  /// The current time, UTC.
  virtual Timestamp Now() = 0;

  /// Time that never goes back, for durations and time-outs.
  virtual std::chrono::nanoseconds Steady() = 0;

  /// Wait, polling `stop` at least every 100 ms. \return Cancelled when it fired
  virtual arrow::Status Sleep(std::chrono::nanoseconds duration, const arrow::StopToken& stop) = 0;
};

/// The machine's clock.
Clock& SystemClock();

}  // namespace lance
