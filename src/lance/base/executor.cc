#include "lance/base/executor.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>

#include "arrow/compute/initialize.h"
#include "arrow/util/thread_pool.h"
#include "lance/base/status_detail.h"

namespace lance {

namespace {

using Task = std::function<arrow::Status(int)>;

/// Whether this thread does an AheadTask. There are as many of them as threads are wanted, so loops
/// inside take no more.
thread_local bool is_ahead = false;

/// Run one task; an exception of the standard library or of a caller's callback becomes a status.
arrow::Status RunTask(const Task& task, int index) {
  try {
    return task(index);
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("task ", index, " of a parallel loop ran out of memory");
  } catch (const std::exception& error) {
    return InternalError(error.what());
  }
}

/// One parallel loop, shared by the calling thread and its pool threads. Thread-safe.
///
/// The caller waits for tasks that run, never for pool threads that have not started: a busy pool
/// makes the loop slower and cannot stop it. A pool thread that comes late finds nothing to claim
/// and does not touch `task_`, which is gone by then.
class ParallelLoop {
 public:
  ParallelLoop(int num_tasks, const arrow::StopToken& stop, const Task& task)
      : num_tasks_(num_tasks), first_failed_(num_tasks), stop_(stop), task_(task) {}

  /// Run tasks until none is left to start.
  void Work() {
    for (int index = Claim(); index >= 0; index = Claim()) {
      Finish(index, RunTask(task_, index));
    }
  }

  /// Wait for the tasks that run. \pre Work() has returned in this thread
  arrow::Status Wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return num_running_ == 0; });
    return failure_.ok() ? cancelled_ : failure_;
  }

 private:
  /// Take the next task. \return its index, or -1 when no more may start
  int Claim() {
    const std::lock_guard lock(mutex_);
    if (next_ >= num_tasks_ || !failure_.ok() || !cancelled_.ok()) return -1;
    cancelled_ = stop_.Poll();
    if (!cancelled_.ok()) return -1;
    ++num_running_;
    return next_++;
  }

  void Finish(int index, const arrow::Status& status) {
    const std::lock_guard lock(mutex_);
    // Tasks start in order, so all below a failed one have started, and the lowest failure does
    // not depend on timing.
    if (!status.ok() && index < first_failed_) {
      first_failed_ = index;
      failure_ = status;
    }
    if (--num_running_ == 0) idle_.notify_all();
  }

  const int num_tasks_;
  int next_ = 0;
  int num_running_ = 0;
  int first_failed_;
  arrow::Status failure_;
  arrow::Status cancelled_;
  const arrow::StopToken stop_;
  const Task& task_;
  std::mutex mutex_;
  std::condition_variable idle_;
};

}  // namespace

int NumThreads(int num_threads) {
  return num_threads > 0 ? num_threads : arrow::internal::GetCpuThreadPool()->GetCapacity();
}

arrow::Status ParallelFor(int num_tasks, int num_threads, const arrow::StopToken& stop,
                          const Task& task) {
  auto loop = std::make_shared<ParallelLoop>(num_tasks, stop, task);
  arrow::internal::ThreadPool* pool = arrow::internal::GetCpuThreadPool();
  const int wanted = is_ahead ? 1 : NumThreads(num_threads);
  const int num_pool_threads = std::min({wanted, num_tasks, pool->GetCapacity() + 1}) - 1;
  for (int i = 0; i < num_pool_threads; ++i) {
    // A pool that takes no more work is no failure: this thread does it.
    if (!pool->Spawn([loop] { loop->Work(); }).ok()) break;
  }
  loop->Work();
  return loop->Wait();
}

std::shared_ptr<AheadTask> AheadTask::Start(std::function<arrow::Status()> work) {
  std::shared_ptr<AheadTask> task(new AheadTask(std::move(work)));
  // A pool that takes no more work is no failure: who wants the outcome does it.
  (void)arrow::internal::GetCpuThreadPool()->Spawn([task] { task->Work(); });
  return task;
}

bool AheadTask::Claim() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kQueued) return false;
  state_ = State::kRunning;
  return true;
}

void AheadTask::Finished(arrow::Status outcome) {
  const std::lock_guard lock(mutex_);
  state_ = State::kDone;
  outcome_ = std::move(outcome);
  work_ = nullptr;  // what it holds may be large
  done_.notify_all();
}

void AheadTask::Work() {
  if (!Claim()) return;
  const bool was_ahead = std::exchange(is_ahead, true);
  arrow::Status outcome = RunTask([this](int) { return work_(); }, 0);
  is_ahead = was_ahead;
  Finished(std::move(outcome));
}

arrow::Status AheadTask::Finish() {
  Work();
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return state_ == State::kDone; });
  return outcome_;
}

void AheadTask::Abandon() {
  if (Claim()) return Finished(arrow::Status::Cancelled("the work was abandoned"));
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return state_ == State::kDone; });
}

arrow::Status InitializeLibrary() {
  static const arrow::Status status = arrow::compute::Initialize();
  return status;
}

}  // namespace lance
