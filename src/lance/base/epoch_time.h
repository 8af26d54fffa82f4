#pragma once

#include <chrono>
#include <cstdint>

#include "lance/base/clock.h"

namespace lance {

/// The current time in milliseconds since the Unix epoch, UTC, as manifests store it.
inline uint64_t EpochMilliseconds(Clock& clock) {
  const auto since_epoch = clock.Now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count());
}

}  // namespace lance
