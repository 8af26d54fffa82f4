#pragma once

#include <cstdint>
#include <string_view>

#include "arrow/result.h"

namespace lance {

/// Add two numbers that came from outside.
///
/// \return SerializationError naming `what` when the sum does not fit 64 bits
arrow::Result<uint64_t> CheckedAdd(uint64_t lhs, uint64_t rhs, std::string_view what);

/// Multiply two numbers that came from outside.
///
/// \return SerializationError naming `what` when the product does not fit 64 bits
arrow::Result<uint64_t> CheckedMul(uint64_t lhs, uint64_t rhs, std::string_view what);

/// Divide, rounding up. \pre divisor > 0
constexpr uint64_t CeilDiv(uint64_t value, uint64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

}  // namespace lance
