#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "arrow/memory_pool.h"
#include "arrow/status.h"

namespace lance::format {

/// Gives large blocks out again instead of giving them back: touching fresh memory costs more than
/// what pages are mostly made of.
///
/// Keeps up to a cap of unused bytes; all else goes through to the parent. Thread-safe.
class RecyclingPool : public arrow::MemoryPool {
 public:
  /// \param parent outlives this pool; null: Arrow's default pool
  RecyclingPool(arrow::MemoryPool* parent, uint64_t max_unused_bytes);
  ~RecyclingPool() override;

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;

  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;

  int64_t bytes_allocated() const override { return parent_->bytes_allocated(); }
  int64_t max_memory() const override { return parent_->max_memory(); }
  int64_t total_bytes_allocated() const override { return parent_->total_bytes_allocated(); }
  int64_t num_allocations() const override { return parent_->num_allocations(); }
  std::string backend_name() const override { return parent_->backend_name(); }

 private:
  /// Blocks smaller than this are left to the parent.
  static constexpr int64_t kMinBytes = 128 << 10;
  static constexpr int64_t kAlignment = 64;

  arrow::MemoryPool* parent_;
  int64_t max_unused_bytes_;
  std::mutex mutex_;
  int64_t unused_bytes_ = 0;
  /// By their true size.
  std::multimap<int64_t, uint8_t*> unused_;
  /// The true sizes of the large blocks that are in use: they may be larger than what was asked
  /// for.
  std::unordered_map<uint8_t*, int64_t> used_;
};

}  // namespace lance::format
