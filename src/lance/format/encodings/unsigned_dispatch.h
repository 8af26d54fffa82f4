#pragma once

#include <cstdint>
#include <utility>

#include "lance/base/check.h"

namespace lance::format {

/// Whether values of this width are machine integers, which bit packing and run lengths need.
constexpr bool IsIntegerWidth(uint64_t bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/// Call `body` with a zero of the unsigned integer that has `bits` bits.
///
/// \pre IsIntegerWidth(bits)
template <typename Body>
auto DispatchUnsigned(uint32_t bits, Body&& body) {
  LANCE_DCHECK(IsIntegerWidth(bits));
  switch (bits) {
    case 8:
      return std::forward<Body>(body)(uint8_t{0});
    case 16:
      return std::forward<Body>(body)(uint16_t{0});
    case 32:
      return std::forward<Body>(body)(uint32_t{0});
    default:
      return std::forward<Body>(body)(uint64_t{0});
  }
}

}  // namespace lance::format
