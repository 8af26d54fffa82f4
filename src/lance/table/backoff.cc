#include "lance/table/backoff.h"

#include <algorithm>
#include <cstdint>

namespace lance::table {
namespace {

constexpr uint64_t kFirstSlots = 4;
constexpr uint64_t kMaxSlots = 128;
constexpr int kMaxDoublings = 5;  // 4 * 2^5 = kMaxSlots

}  // namespace

void Backoff::AttemptTook(std::chrono::nanoseconds duration) {
  if (knows_unit_) return;
  knows_unit_ = true;
  unit_ = duration + duration / 10;
}

std::chrono::nanoseconds Backoff::Next() {
  const uint64_t slots = std::min(kFirstSlots << std::min(num_waits_, kMaxDoublings), kMaxSlots);
  ++num_waits_;
  return unit_ * static_cast<int64_t>(random_->Next() % slots);
}

}  // namespace lance::table
