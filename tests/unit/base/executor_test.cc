#include "lance/base/executor.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/util/thread_pool.h"
#include "lance/testing/matchers.h"

namespace lance {
namespace {

using lance::testing::HasStatus;
using lance::testing::IsCancelled;
using lance::testing::IsInvalid;
using lance::testing::IsOk;
using lance::testing::IsUnknownError;
using ::testing::Each;

const arrow::StopToken kNeverStop = arrow::StopToken::Unstoppable();

class ParallelForTest : public ::testing::TestWithParam<int> {};

TEST_P(ParallelForTest, RunsEveryTaskOnce) {
  std::vector<std::atomic<int>> runs(1000);

  const auto status = ParallelFor(1000, GetParam(), kNeverStop, [&](int i) {
    ++runs[static_cast<size_t>(i)];
    return arrow::Status::OK();
  });

  EXPECT_THAT(status, IsOk());
  EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](const auto& n) { return n == 1; }));
}

TEST_P(ParallelForTest, ReturnsTheFailureOfTheLowestIndex) {
  for (int round = 0; round < 50; ++round) {
    const auto status = ParallelFor(100, GetParam(), kNeverStop, [](int i) {
      return i >= 7 ? arrow::Status::Invalid("task ", i) : arrow::Status::OK();
    });

    ASSERT_THAT(status, IsInvalid("task 7"));
  }
}

TEST_P(ParallelForTest, StartsNothingWhenTheStopHasFired) {
  arrow::StopSource source;
  source.RequestStop();
  std::atomic<int> runs = 0;

  const auto status = ParallelFor(100, GetParam(), source.token(), [&](int) {
    ++runs;
    return arrow::Status::OK();
  });

  EXPECT_THAT(status, IsCancelled());
  EXPECT_EQ(runs, 0);
}

TEST_P(ParallelForTest, DoesNothingForNoTasks) {
  EXPECT_THAT(
      ParallelFor(0, GetParam(), kNeverStop, [](int) { return arrow::Status::Invalid("ran"); }),
      IsOk());
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelForTest, ::testing::Values(0, 1, 2, 8),
                         [](const auto& param) { return std::to_string(param.param); });

TEST(ParallelFor, StopsStartingTasksAfterAFailure) {
  int runs = 0;

  const auto status = ParallelFor(100, 1, kNeverStop, [&](int i) {
    ++runs;
    return i == 3 ? arrow::Status::Invalid("three") : arrow::Status::OK();
  });

  EXPECT_THAT(status, IsInvalid("three"));
  EXPECT_EQ(runs, 4);
}

TEST(ParallelFor, StopsBetweenTasks) {
  arrow::StopSource source;
  int runs = 0;

  const auto status = ParallelFor(100, 1, source.token(), [&](int) {
    if (++runs == 5) source.RequestStop();
    return arrow::Status::OK();
  });

  EXPECT_THAT(status, IsCancelled());
  EXPECT_EQ(runs, 5);
}

TEST(ParallelFor, RunsOnOneThreadWhenAskedTo) {
  std::set<std::thread::id> threads;

  ASSERT_THAT(ParallelFor(50, 1, kNeverStop,
                          [&](int) {
                            threads.insert(std::this_thread::get_id());
                            return arrow::Status::OK();
                          }),
              IsOk());

  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(ParallelFor, NeverRunsMoreAtATimeThanAsked) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;

  ASSERT_THAT(ParallelFor(200, 2, kNeverStop,
                          [&](int) {
                            const int now = ++running;
                            int seen = most;
                            while (now > seen && !most.compare_exchange_weak(seen, now)) {
                            }
                            std::this_thread::yield();
                            --running;
                            return arrow::Status::OK();
                          }),
              IsOk());

  EXPECT_LE(most, 2);
}

TEST(ParallelFor, TurnsExceptionsIntoStatuses) {
  EXPECT_THAT(
      ParallelFor(1, 1, kNeverStop, [](int) -> arrow::Status { throw std::runtime_error("boom"); }),
      IsUnknownError("internal: boom"));
  EXPECT_THAT(ParallelFor(1, 1, kNeverStop, [](int) -> arrow::Status { throw std::bad_alloc(); }),
              HasStatus(arrow::StatusCode::OutOfMemory));
}

/// Keeps every thread of Arrow's pool busy while it lives.
class BusyPool {
 public:
  BusyPool() {
    auto* pool = arrow::internal::GetCpuThreadPool();
    const int capacity = pool->GetCapacity();
    for (int i = 0; i < capacity; ++i) {
      blockers_.push_back(pool->Submit([this] {
                                std::unique_lock lock(mutex_);
                                ++num_blocked_;
                                changed_.notify_all();
                                changed_.wait(lock, [this] { return released_; });
                              })
                              .ValueOrDie());
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return num_blocked_ == capacity; });
  }

  ~BusyPool() {
    {
      const std::lock_guard lock(mutex_);
      released_ = true;
    }
    changed_.notify_all();
    for (const auto& blocker : blockers_) blocker.Wait();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int num_blocked_ = 0;
  bool released_ = false;
  std::vector<arrow::Future<>> blockers_;
};

TEST(ParallelFor, FinishesOnTheCallingThreadWhenThePoolIsBusy) {
  std::vector<int> runs(100);
  {
    BusyPool busy;
    ASSERT_THAT(ParallelFor(100, 8, kNeverStop,
                            [&](int i) {
                              ++runs[static_cast<size_t>(i)];
                              return arrow::Status::OK();
                            }),
                IsOk());
  }

  EXPECT_THAT(runs, Each(1));  // also none again by pool threads that came late
}

TEST(ParallelFor, NestsWithoutDeadlock) {
  std::atomic<int> runs = 0;

  const auto status = ParallelFor(8, 0, kNeverStop, [&](int) {
    return ParallelFor(8, 0, kNeverStop, [&](int) {
      ++runs;
      return arrow::Status::OK();
    });
  });

  EXPECT_THAT(status, IsOk());
  EXPECT_EQ(runs, 64);
}

TEST(AheadTask, GivesWhatTheWorkGave) {
  std::atomic<int> runs = 0;
  const auto task = AheadTask::Start([&] {
    ++runs;
    return arrow::Status::Invalid("seven");
  });

  EXPECT_THAT(task->Finish(), IsInvalid("seven"));
  EXPECT_THAT(task->Finish(), IsInvalid("seven"));
  EXPECT_EQ(runs, 1);
}

TEST(AheadTask, IsDoneByWhoWantsItWhenThePoolIsBusy) {
  std::thread::id thread;
  BusyPool busy;
  const auto task = AheadTask::Start([&] {
    thread = std::this_thread::get_id();
    return arrow::Status::OK();
  });

  ASSERT_THAT(task->Finish(), IsOk());

  EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST(AheadTask, NeverBeginsOnceItWasAbandoned) {
  std::atomic<int> runs = 0;
  {
    BusyPool busy;
    const auto task = AheadTask::Start([&] {
      ++runs;
      return arrow::Status::OK();
    });
    task->Abandon();
    EXPECT_THAT(task->Finish(), IsCancelled());
  }
  arrow::internal::GetCpuThreadPool()->WaitForIdle();

  EXPECT_EQ(runs, 0);
}

TEST(AheadTask, IsWaitedForWhenItIsAbandonedTooLate) {
  std::atomic<bool> has_begun = false, has_ended = false;
  const auto task = AheadTask::Start([&] {
    has_begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    has_ended = true;
    return arrow::Status::OK();
  });
  while (!has_begun) std::this_thread::yield();

  task->Abandon();

  EXPECT_TRUE(has_ended);
}

TEST(AheadTask, TakesNoOtherThreadForItsLoops) {
  std::set<std::thread::id> threads;
  const auto task = AheadTask::Start([&] {
    return ParallelFor(50, 0, kNeverStop, [&](int) {
      threads.insert(std::this_thread::get_id());
      return arrow::Status::OK();
    });
  });

  ASSERT_THAT(task->Finish(), IsOk());

  EXPECT_EQ(threads.size(), 1u);
}

TEST(AheadTask, TurnsAnExceptionIntoAStatus) {
  const auto task = AheadTask::Start([]() -> arrow::Status { throw std::runtime_error("thrown"); });

  EXPECT_THAT(task->Finish(), IsUnknownError());
}

TEST(InitializeLibrary, RegistersTheComputeKernels) {
  ASSERT_THAT(InitializeLibrary(), IsOk());
  ASSERT_THAT(InitializeLibrary(), IsOk());

  EXPECT_TRUE(arrow::compute::GetFunctionRegistry()->GetFunction("sort_indices").ok());
}

}  // namespace
}  // namespace lance
