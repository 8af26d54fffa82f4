#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "lance/base/byte_reader.h"
#include "lance/testing/seeded_random.h"

namespace lance::fuzz {

/// Takes an input apart from the front. What is missing at the end is 0 or empty.
class Input {
 public:
  explicit Input(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }

  template <std::unsigned_integral T>
  T Take() {
    T value = 0;
    const auto taken = TakeBytes(sizeof(T));
    if (!taken.empty()) std::memcpy(&value, taken.data(), taken.size());
    return value;
  }

  /// A number in [0, bound). \pre 0 < bound <= 2^16
  uint64_t TakeBelow(uint64_t bound) {
    return (bound <= 256 ? Take<uint8_t>() : Take<uint16_t>()) % bound;
  }

  bool TakeBool() { return Take<uint8_t>() % 2 == 1; }

  std::span<const std::byte> TakeBytes(size_t size) {
    const auto taken = bytes_.first(std::min(size, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

  std::span<const std::byte> TakeRest() { return TakeBytes(bytes_.size()); }

 private:
  std::span<const std::byte> bytes_;
};

/// Bytes in an allocation of exactly their size, so that a read behind them is a finding.
using ExactBytes = std::vector<std::byte>;

/// Copy bytes into an allocation of their own.
inline ExactBytes ExactCopy(std::span<const std::byte> bytes) {
  return ExactBytes(bytes.begin(), bytes.end());
}

/// Randomness that an input chooses. Behind its end come numbers that depend on nothing else.
class InputRandom : public testing::SeededRandom {
 public:
  explicit InputRandom(Input* input) : SeededRandom(1), input_(input) {}

  uint64_t Next() override {
    if (input_->empty()) return SeededRandom::Next();
    const auto first = input_->Take<uint8_t>();
    return first < kWide ? first : input_->Take<uint64_t>();
  }

 private:
  // Most choices are among few things: one byte for each keeps inputs short.
  static constexpr uint8_t kWide = 240;

  Input* input_;
};

/// Cut an input into sections: u32 size | bytes, back to back. A size that is too large takes the
/// rest.
inline std::vector<ExactBytes> SplitSections(std::span<const std::byte> bytes) {
  std::vector<ExactBytes> sections;
  Input input(bytes);
  while (!input.empty()) {
    const auto size = input.Take<uint32_t>();
    sections.push_back(ExactCopy(input.TakeBytes(size)));
  }
  return sections;
}

/// Put sections together; the inverse of SplitSections.
inline std::string JoinSections(std::span<const std::string> sections) {
  std::string bytes;
  for (const std::string& section : sections) {
    AppendLittleEndian(static_cast<uint32_t>(section.size()), &bytes);
    bytes += section;
  }
  return bytes;
}

/// A section, empty when there are fewer.
inline std::span<const std::byte> SectionAt(std::span<const ExactBytes> sections, size_t i) {
  return i < sections.size() ? std::span<const std::byte>(sections[i])
                             : std::span<const std::byte>();
}

}  // namespace lance::fuzz
