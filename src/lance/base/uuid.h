#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "arrow/result.h"

namespace lance {

/// The only source of randomness. Thread-safe.
class RandomSource {
 public:
  virtual ~RandomSource() = default;

  /// The next 64 random bits.
  virtual uint64_t Next() = 0;
};

/// Randomness from the operating system, safe across processes and forks.
RandomSource& SystemRandom();

/// A 128-bit identifier in RFC 4122 byte order. A plain value.
struct Uuid {
  std::array<uint8_t, 16> bytes{};

  /// Make a version-4 UUID.
  static Uuid Random(RandomSource& random);

  /// Parse the hyphenated form, any case. \return Invalid otherwise
  static arrow::Result<Uuid> Parse(std::string_view text);

  /// The hyphenated lower-case form, 36 characters.
  std::string ToString() const;

  auto operator<=>(const Uuid&) const = default;
};

}  // namespace lance
