#pragma once

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

#include "lance/base/uuid.h"

namespace lance::testing {

/// The seed of this run: LANCE_TEST_SEED, or a fixed one.
inline uint64_t TestSeed() {
  const char* text = std::getenv("LANCE_TEST_SEED");
  return text == nullptr || *text == '\0' ? 20240607 : std::strtoull(text, nullptr, 10);
}

/// What a failing property test prints: `SCOPED_TRACE(SeedMessage());`.
inline std::string SeedMessage() { return "LANCE_TEST_SEED=" + std::to_string(TestSeed()); }

/// Whether LANCE_TEST_SIZE is "long": then property tests do ten to fifty times more.
inline bool IsLongSize() {
  const char* text = std::getenv("LANCE_TEST_SIZE");
  return text != nullptr && std::string_view(text) == "long";
}

/// How many rounds a property test does.
inline int NumRounds(int short_rounds, int long_factor = 20) {
  return IsLongSize() ? short_rounds * long_factor : short_rounds;
}

/// Randomness that repeats. Thread-safe; the order of calls decides the values.
class SeededRandom : public RandomSource {
 public:
  explicit SeededRandom(uint64_t seed = TestSeed()) : engine_(seed) {}

  uint64_t Next() override {
    const std::lock_guard lock(mutex_);
    return engine_();
  }

  /// A number in [0, bound). \pre bound > 0
  uint64_t Below(uint64_t bound) { return Next() % bound; }

  /// A number in [lowest, highest]. \pre lowest <= highest, not the whole range of int64
  int64_t Between(int64_t lowest, int64_t highest) {
    const uint64_t width = static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest) + 1;
    return static_cast<int64_t>(static_cast<uint64_t>(lowest) + Below(width));
  }

  /// True once in `n` times on average.
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  /// A number in [0, 1).
  double Fraction() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;  // its output is fixed by the standard, unlike that of distributions
};

}  // namespace lance::testing
