#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/base/clock.h"
#include "lance/base/memory_budget.h"
#include "lance/base/uuid.h"
#include "lance/progress.h"

namespace lance {

/// How one call runs: what the layers below the public API need of its session and CallOptions.
///
/// Pointers are borrowed for the call. A plain value; copies share what it points to.
struct RunContext {
  Clock* clock = &SystemClock();
  RandomSource* random = &SystemRandom();
  arrow::StopToken stop_token = arrow::StopToken::Unstoppable();
  std::shared_ptr<Observer> observer;
  std::shared_ptr<MemoryBudget> memory_budget;  // null: no bound
  arrow::MemoryPool* memory_pool = nullptr;     // null: Arrow's default pool
  int num_threads = 0;                          // 0: Arrow's pool size

  /// The pool to use; never null.
  arrow::MemoryPool* pool() const;
};

}  // namespace lance
