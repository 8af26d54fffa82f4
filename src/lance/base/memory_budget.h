#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "arrow/result.h"

namespace lance {

class MemoryBudget;

/// Bytes taken from a budget, given back when it goes out of scope. Move-only.
class MemoryReservation {
 public:
  MemoryReservation() = default;
  MemoryReservation(MemoryReservation&& other) noexcept;
  MemoryReservation& operator=(MemoryReservation&& other) noexcept;
  ~MemoryReservation();

  uint64_t size_bytes() const { return size_bytes_; }

 private:
  friend class MemoryBudget;
  MemoryReservation(std::shared_ptr<MemoryBudget> budget, uint64_t size_bytes);
  void Release();

  std::shared_ptr<MemoryBudget> budget_;
  uint64_t size_bytes_ = 0;
};

/// A hard upper bound for the memory that a session's calls hold. Thread-safe.
class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  static std::shared_ptr<MemoryBudget> Make(uint64_t max_bytes);

  /// Take `size_bytes`.
  ///
  /// \return CapacityError + OverBudget detail, naming `what`, the need and the cap
  arrow::Result<MemoryReservation> Reserve(uint64_t size_bytes, std::string_view what);

  uint64_t max_bytes() const { return max_bytes_; }
  uint64_t in_use_bytes() const { return in_use_bytes_.load(); }

 private:
  friend class MemoryReservation;
  explicit MemoryBudget(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  const uint64_t max_bytes_;
  std::atomic<uint64_t> in_use_bytes_{0};
};

}  // namespace lance
