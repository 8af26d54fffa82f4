#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "arrow/type_fwd.h"

namespace lance::format {

/// Bytes that grow at the end, from an Arrow memory pool. Move-only, thread-compatible.
///
/// New bytes are not initialised, and kSlack bytes behind the last one may be read and written, so
/// that kernels can move whole vectors. What does not fit memory throws std::bad_alloc: the entry
/// points of readers and writers turn it into a status.
class ByteBuffer {
 public:
  /// Bytes behind the end that may be touched; their values mean nothing.
  static constexpr size_t kSlack = 64;

  /// \param pool null: Arrow's default pool
  explicit ByteBuffer(arrow::MemoryPool* pool = nullptr);
  ByteBuffer(ByteBuffer&& other) noexcept;
  ByteBuffer& operator=(ByteBuffer&& other) noexcept;
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ~ByteBuffer();

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Valid until the buffer grows; never null once it has held bytes.
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::span<const std::byte> span() const { return {data_, size_}; }

  /// Append `num_bytes` uninitialised bytes. \return where they are; valid until the next growth
  std::byte* Grow(size_t num_bytes) {
    if (num_bytes > capacity_ - size_) GrowCapacity(num_bytes);
    std::byte* const at = data_ + size_;
    size_ += num_bytes;
    return at;
  }
  /// Append a copy of some bytes, which must not be this buffer's own.
  void Append(std::span<const std::byte> bytes);
  /// Make room for more bytes without changing the size.
  void Reserve(size_t num_bytes) {
    if (num_bytes > capacity_ - size_) GrowCapacity(num_bytes);
  }
  /// Drop bytes at the end. \pre size <= size()
  void Truncate(size_t size) { size_ = size; }
  /// Drop all bytes and keep the memory.
  void Clear() { size_ = 0; }

  /// Hand the bytes over as an Arrow buffer, without copying them. The buffer is empty afterwards.
  std::shared_ptr<arrow::Buffer> Finish();

  arrow::MemoryPool* pool() const { return pool_; }

 private:
  void GrowCapacity(size_t num_bytes);

  arrow::MemoryPool* pool_;
  std::unique_ptr<arrow::ResizableBuffer> buffer_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;  // without the slack
};

}  // namespace lance::format
