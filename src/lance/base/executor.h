#pragma once

#include <functional>

#include "arrow/status.h"
#include "arrow/util/cancel.h"

namespace lance {

/// Run `task(0)` ... `task(num_tasks - 1)` on Arrow's CPU pool and the calling thread.
///
/// Runs at most `num_threads` at a time (0: the pool's size). Stops starting tasks at the first
/// failure or when `stop` fires, waits for those that run, and returns the failure of the lowest
/// index, or Cancelled. Must not be called from a task of that pool when num_threads is not 1.
arrow::Status ParallelFor(int num_tasks, int num_threads, const arrow::StopToken& stop,
                          const std::function<arrow::Status(int)>& task);

/// Register Arrow's compute kernels; every public entry calls it. Thread-safe, cheap after the
/// first.
arrow::Status InitializeLibrary();

}  // namespace lance
