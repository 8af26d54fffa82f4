#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "arrow/status.h"
#include "arrow/util/cancel.h"

namespace lance {

/// How many threads a number of threads means: 0 is the size of Arrow's CPU pool.
int NumThreads(int num_threads);

/// Run `task(0)` ... `task(num_tasks - 1)` on Arrow's CPU pool and the calling thread.
///
/// Runs at most `num_threads` at a time (0: the pool's size). Stops starting tasks at the first
/// failure or when `stop` fires, waits for those that run, and returns the failure of the lowest
/// index, or Cancelled. In an AheadTask it takes no other thread.
arrow::Status ParallelFor(int num_tasks, int num_threads, const arrow::StopToken& stop,
                          const std::function<arrow::Status(int)>& task);

/// A piece of work that a thread of Arrow's CPU pool does ahead of time, unless who wants its
/// outcome comes first and does it. Thread-safe.
class AheadTask {
 public:
  /// Queue `work`; it runs at most once.
  static std::shared_ptr<AheadTask> Start(std::function<arrow::Status()> work);

  /// Do the work if nobody has begun it, else wait for it. \return its outcome; Cancelled when it
  /// was abandoned
  arrow::Status Finish();

  /// Wait for the work if it has begun; otherwise it never will.
  void Abandon();

 private:
  enum class State { kQueued, kRunning, kDone };

  explicit AheadTask(std::function<arrow::Status()> work) : work_(std::move(work)) {}
  /// Do the work if nobody has begun it.
  void Work();
  bool Claim();
  void Finished(arrow::Status outcome);

  std::function<arrow::Status()> work_;
  std::mutex mutex_;
  std::condition_variable done_;
  State state_ = State::kQueued;
  arrow::Status outcome_;
};

/// Register Arrow's compute kernels; every public entry calls it. Thread-safe, cheap after the
/// first.
arrow::Status InitializeLibrary();

}  // namespace lance
