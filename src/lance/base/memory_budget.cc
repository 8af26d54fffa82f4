#include "lance/base/memory_budget.h"

#include <string>
#include <utility>

#include "lance/base/status_detail.h"

namespace lance {

MemoryReservation::MemoryReservation(std::shared_ptr<MemoryBudget> budget, uint64_t size_bytes)
    : budget_(std::move(budget)), size_bytes_(size_bytes) {}

MemoryReservation::MemoryReservation(MemoryReservation&& other) noexcept
    : budget_(std::move(other.budget_)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}

MemoryReservation& MemoryReservation::operator=(MemoryReservation&& other) noexcept {
  if (this == &other) return *this;
  Release();
  budget_ = std::move(other.budget_);
  size_bytes_ = std::exchange(other.size_bytes_, 0);
  return *this;
}

MemoryReservation::~MemoryReservation() { Release(); }

void MemoryReservation::Release() {
  if (budget_ != nullptr) budget_->in_use_bytes_ -= size_bytes_;
  budget_ = nullptr;
  size_bytes_ = 0;
}

std::shared_ptr<MemoryBudget> MemoryBudget::Make(uint64_t max_bytes) {
  return std::shared_ptr<MemoryBudget>(new MemoryBudget(max_bytes));
}

arrow::Result<MemoryReservation> MemoryBudget::Reserve(uint64_t size_bytes, std::string_view what) {
  uint64_t in_use = in_use_bytes_.load();
  do {
    if (size_bytes > max_bytes_ - in_use) {  // in_use never exceeds the cap
      return WithDetail(
          arrow::Status::CapacityError("max_memory_bytes is ", max_bytes_, " with ", in_use,
                                       " in use; ", what, " needs ", size_bytes, " more"),
          std::make_shared<OverBudget>("max_memory_bytes", size_bytes, max_bytes_));
    }
  } while (!in_use_bytes_.compare_exchange_weak(in_use, in_use + size_bytes));
  return MemoryReservation(shared_from_this(), size_bytes);
}

}  // namespace lance
