#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "lance/base/executor.h"
#include "lance/dataset/session_impl.h"

namespace lance {

namespace {

/// Bytes that a new process may use, containers respected; 0 when unknown.
uint64_t FreeMemoryBytes() {
  const auto pages = sysconf(_SC_AVPHYS_PAGES);
  const auto page_bytes = sysconf(_SC_PAGESIZE);
  uint64_t free_bytes = pages > 0 && page_bytes > 0
                            ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes)
                            : 0;
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  uint64_t limit_bytes = 0;
  if (limit_file >> limit_bytes)
    free_bytes = std::min(free_bytes, limit_bytes);  // "max" is no number
  return free_bytes;
}

constexpr uint64_t kFallbackMemoryBytes = 1ull << 30;  // where the system does not say

}  // namespace

Session::Impl::Impl(SessionOptions options_in, uint64_t max_memory_bytes)
    : options(std::move(options_in)),
      stores(options.object_stores),
      memory_budget(MemoryBudget::Make(max_memory_bytes)),
      indices(std::min(options.index_cache_bytes, max_memory_bytes / 2)),
      data_files(std::min(options.metadata_cache_bytes, max_memory_bytes / 4)) {}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

arrow::Result<std::shared_ptr<Session>> Session::Make(SessionOptions options) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  if (options.max_memory_bytes == 0) {
    return arrow::Status::Invalid("max_memory_bytes is 0; allowed: 1 or more, or unset");
  }
  if (options.num_threads < 0) {
    return arrow::Status::Invalid("num_threads is ", options.num_threads,
                                  "; allowed: 0 (Arrow's pool size) or more");
  }
  uint64_t max_memory_bytes = options.max_memory_bytes.value_or(FreeMemoryBytes() / 2);
  if (max_memory_bytes == 0) max_memory_bytes = kFallbackMemoryBytes;
  return std::shared_ptr<Session>(
      new Session(std::make_unique<Impl>(std::move(options), max_memory_bytes)));
}

const SessionOptions& Session::options() const { return impl_->options; }

uint64_t Session::memory_in_use_bytes() const {
  return impl_->memory_budget->in_use_bytes() + impl_->indices.size_bytes() +
         impl_->data_files.size_bytes();
}

void Session::DropCaches() {
  impl_->indices.Clear();
  impl_->data_files.Clear();
}

RunContext MakeRunContext(const Session& session, const CallOptions& call) {
  const auto& impl = session.impl();
  RunContext run;
  run.stop_token = call.stop_token;
  run.observer = call.observer;
  run.memory_budget = impl.memory_budget;
  if (call.max_memory_bytes && *call.max_memory_bytes < impl.memory_budget->max_bytes()) {
    run.memory_budget = MemoryBudget::Make(*call.max_memory_bytes);
  }
  run.memory_pool = impl.options.memory_pool;
  run.num_threads = call.num_threads.value_or(impl.options.num_threads);
  return run;
}

}  // namespace lance
