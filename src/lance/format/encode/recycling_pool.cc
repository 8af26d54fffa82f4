#include "lance/format/encode/recycling_pool.h"

#include <algorithm>
#include <cstring>

namespace lance::format {

RecyclingPool::RecyclingPool(arrow::MemoryPool* parent, uint64_t max_unused_bytes)
    : parent_(parent != nullptr ? parent : arrow::default_memory_pool()),
      max_unused_bytes_(static_cast<int64_t>(max_unused_bytes)) {}

RecyclingPool::~RecyclingPool() {
  for (const auto& [size, block] : unused_) parent_->Free(block, size, kAlignment);
}

arrow::Status RecyclingPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  if (size < kMinBytes || alignment > kAlignment) return parent_->Allocate(size, alignment, out);
  const std::lock_guard lock(mutex_);
  const auto found = unused_.lower_bound(size);
  if (found != unused_.end() && found->first / 2 <= size) {  // what is left over is wasted
    *out = found->second;
    unused_bytes_ -= found->first;
    used_.emplace(*out, found->first);
    unused_.erase(found);
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(parent_->Allocate(size, kAlignment, out));
  used_.emplace(*out, size);
  return arrow::Status::OK();
}

arrow::Status RecyclingPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                                        uint8_t** ptr) {
  if (old_size < kMinBytes && new_size < kMinBytes) {
    return parent_->Reallocate(old_size, new_size, alignment, ptr);
  }
  {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(*ptr);
    // The block may have room already; a much smaller one is worth moving to.
    if (found != used_.end() && new_size >= kMinBytes && found->second >= new_size &&
        found->second / 2 <= new_size) {
      return arrow::Status::OK();
    }
  }
  uint8_t* moved = nullptr;
  ARROW_RETURN_NOT_OK(Allocate(new_size, alignment, &moved));
  std::memcpy(moved, *ptr, static_cast<size_t>(std::min(old_size, new_size)));
  Free(*ptr, old_size, alignment);
  *ptr = moved;
  return arrow::Status::OK();
}

void RecyclingPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  if (size < kMinBytes || alignment > kAlignment) return parent_->Free(buffer, size, alignment);
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(buffer);
  const int64_t true_size = found->second;
  used_.erase(found);
  if (unused_bytes_ + true_size > max_unused_bytes_) {
    return parent_->Free(buffer, true_size, kAlignment);
  }
  unused_bytes_ += true_size;
  unused_.emplace(true_size, buffer);
}

}  // namespace lance::format
