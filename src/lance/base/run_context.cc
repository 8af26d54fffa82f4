#include "lance/base/run_context.h"

#include "arrow/memory_pool.h"

namespace lance {

arrow::MemoryPool* RunContext::pool() const {
  return memory_pool != nullptr ? memory_pool : arrow::default_memory_pool();
}

}  // namespace lance
