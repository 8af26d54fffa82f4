#include "lance/format/byte_buffer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/memory_pool.h"

namespace lance::format {

ByteBuffer::ByteBuffer(arrow::MemoryPool* pool)
    : pool_(pool != nullptr ? pool : arrow::default_memory_pool()) {}

ByteBuffer::ByteBuffer(ByteBuffer&& other) noexcept
    : pool_(other.pool_),
      buffer_(std::move(other.buffer_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

ByteBuffer& ByteBuffer::operator=(ByteBuffer&& other) noexcept {
  pool_ = other.pool_;
  buffer_ = std::move(other.buffer_);
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
  return *this;
}

ByteBuffer::~ByteBuffer() = default;

void ByteBuffer::Append(std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(Grow(bytes.size()), bytes.data(), bytes.size());
}

void ByteBuffer::GrowCapacity(size_t num_bytes) {
  constexpr size_t kMaxBytes = std::numeric_limits<int64_t>::max() / 2;
  if (num_bytes > kMaxBytes - size_) throw std::bad_alloc();
  const size_t needed = size_ + num_bytes;
  const size_t capacity = std::max(needed, std::min(kMaxBytes, capacity_ + capacity_ / 2));
  const auto allocated = static_cast<int64_t>(capacity + kSlack);
  if (buffer_ == nullptr) {
    auto made = arrow::AllocateResizableBuffer(allocated, pool_);
    if (!made.ok()) throw std::bad_alloc();
    buffer_ = *std::move(made);
  } else if (!buffer_->Resize(allocated, /*shrink_to_fit=*/false).ok()) {
    throw std::bad_alloc();
  }
  data_ = reinterpret_cast<std::byte*>(buffer_->mutable_data());
  capacity_ = capacity;
}

std::shared_ptr<arrow::Buffer> ByteBuffer::Finish() {
  Reserve(0);
  if (buffer_ == nullptr) GrowCapacity(0);
  // Shrinking keeps the memory when little would be won.
  const bool wastes = capacity_ / 2 > size_ + kSlack;
  if (!buffer_->Resize(static_cast<int64_t>(size_), wastes).ok()) throw std::bad_alloc();
  std::shared_ptr<arrow::Buffer> finished = std::move(buffer_);
  data_ = nullptr;
  size_ = 0;
  capacity_ = 0;
  return finished;
}

}  // namespace lance::format
