#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/status.h"
#include "lance/base/memory_budget.h"

namespace lance {

/// Memory of something that grows while it is made, taken from a budget. Thread-compatible.
class GrowingMemory {
 public:
  /// \param budget null: no bound
  /// \param what for messages: "an ordered scan"
  GrowingMemory(std::shared_ptr<MemoryBudget> budget, std::string what)
      : budget_(std::move(budget)), what_(std::move(what)) {}

  /// Hold this many bytes. \return CapacityError + OverBudget
  arrow::Status GrowTo(uint64_t size_bytes) {
    if (budget_ == nullptr || size_bytes <= size_bytes_) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(parts_.emplace_back(), budget_->Reserve(size_bytes - size_bytes_, what_));
    size_bytes_ = size_bytes;
    return arrow::Status::OK();
  }

  /// Give everything back.
  void Clear() {
    parts_.clear();
    size_bytes_ = 0;
  }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  std::string what_;
  std::vector<MemoryReservation> parts_;
  uint64_t size_bytes_ = 0;
};

}  // namespace lance
