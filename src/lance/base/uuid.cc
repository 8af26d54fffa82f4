#include "lance/base/uuid.h"

#include <sys/random.h>

#include <cerrno>
#include <random>

namespace lance {

namespace {

/// Asks the kernel for every number: nothing is kept that a fork could copy.
class KernelRandom : public RandomSource {
 public:
  uint64_t Next() override {
    uint64_t value = 0;
    for (;;) {
      const ssize_t size = getrandom(&value, sizeof(value), 0);
      if (size == static_cast<ssize_t>(sizeof(value))) return value;
      if (size < 0 && errno != EINTR) break;
    }
    std::random_device device;  // for sandboxes that forbid getrandom
    return uint64_t{device()} << 32 | device();
  }
};

constexpr char kHexDigits[] = "0123456789abcdef";

bool IsHyphenPosition(size_t position) {
  return position == 8 || position == 13 || position == 18 || position == 23;
}

/// \return the digit's value, or -1
int HexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

arrow::Status NotAUuid(std::string_view text) {
  return arrow::Status::Invalid("UUID is \"", text.substr(0, 64),
                                "\"; allowed: 32 hex digits grouped 8-4-4-4-12 by hyphens");
}

}  // namespace

RandomSource& SystemRandom() {
  static KernelRandom random;
  return random;
}

Uuid Uuid::Random(RandomSource& random) {
  Uuid uuid;
  for (size_t half = 0; half < 2; ++half) {
    const uint64_t bits = random.Next();
    for (size_t i = 0; i < 8; ++i) {
      uuid.bytes[half * 8 + i] = static_cast<uint8_t>(bits >> (8 * i));
    }
  }
  uuid.bytes[6] = static_cast<uint8_t>((uuid.bytes[6] & 0x0f) | 0x40);  // version 4
  uuid.bytes[8] = static_cast<uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);  // the RFC's variant
  return uuid;
}

arrow::Result<Uuid> Uuid::Parse(std::string_view text) {
  if (text.size() != 36) return NotAUuid(text);
  Uuid uuid;
  size_t num_digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsHyphenPosition(i)) {
      if (text[i] != '-') return NotAUuid(text);
      continue;
    }
    const int value = HexValue(text[i]);
    if (value < 0) return NotAUuid(text);
    uint8_t& byte = uuid.bytes[num_digits / 2];
    byte = static_cast<uint8_t>(byte << 4 | value);
    ++num_digits;
  }
  return uuid;
}

std::string Uuid::ToString() const {
  std::string text;
  text.reserve(36);
  for (const uint8_t byte : bytes) {
    if (IsHyphenPosition(text.size())) text.push_back('-');
    text.push_back(kHexDigits[byte >> 4]);
    text.push_back(kHexDigits[byte & 0x0f]);
  }
  return text;
}

}  // namespace lance
