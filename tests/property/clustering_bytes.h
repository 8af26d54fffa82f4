#pragma once

#include <string>
#include <string_view>

#include "lance/testing/seeded_random.h"

namespace lance::testing {

/// Few distinct bytes, the extremes among them, so that common prefixes and zeros are met often.
inline std::string HostileBytes(SeededRandom* random, size_t size) {
  static constexpr std::string_view kAlphabet("\x00\x01\x61\x7f\x80\xff", 6);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = kAlphabet[random->Below(kAlphabet.size())];
  return bytes;
}

}  // namespace lance::testing
