#include "lance/format/encode/value_statistics.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/unsigned_dispatch.h"

namespace lance::format {
namespace {

template <typename T>
T Load(const std::byte* bytes, uint64_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return value;
}

/// Measure one group. `before` is the value in front of it, or the first one.
template <typename T>
void MeasureGroup(const std::byte* group, uint64_t count, T before, IntegerStatistics* out) {
  T all_bits = 0;
  uint32_t num_changes = Load<T>(group, 0) != before ? 1 : 0;
  // Two plain loops: each is a vector instruction or two per value.
  for (uint64_t i = 0; i < count; ++i) all_bits |= Load<T>(group, i);
  for (uint64_t i = 1; i < count; ++i) {
    num_changes += Load<T>(group, i) != Load<T>(group, i - 1) ? 1 : 0;
  }
  out->num_runs += num_changes;
  out->widths.push_back(static_cast<uint8_t>(std::bit_width(all_bits)));
}

template <typename T>
IntegerStatistics Measure(const PageValues& values) {
  IntegerStatistics statistics;
  statistics.num_runs = 1;
  statistics.widths.reserve(CeilDiv(values.num_values, kGroupValues));
  const std::byte* const bytes = values.bytes.data();
  T before = Load<T>(bytes, 0);
  for (uint64_t first = 0; first < values.num_values; first += kGroupValues) {
    const uint64_t count = std::min(kGroupValues, values.num_values - first);
    MeasureGroup<T>(bytes + first * sizeof(T), count, before, &statistics);
    before = Load<T>(bytes, first + count - 1);
  }
  return statistics;
}

bool AreBitsEqual(const PageValues& values) {
  const std::byte first =
      (values.bytes[0] & std::byte{1}) != std::byte{0} ? std::byte{0xFF} : std::byte{0};
  const uint64_t whole = values.num_values / 8;
  const uint64_t rest = values.num_values % 8;
  if (!std::ranges::all_of(values.bytes.first(whole), [&](std::byte b) { return b == first; })) {
    return false;
  }
  const auto mask = static_cast<std::byte>((1u << rest) - 1);
  return rest == 0 || (values.bytes[whole] & mask) == (first & mask);
}

/// Variable width: null slots are empty and count for nothing.
bool AreTextsEqual(const PageValues& values, std::span<const uint16_t> slots) {
  uint64_t first = 0;
  while (!slots.empty() && slots[first] != 0) ++first;
  const auto wanted = values.value(first);
  for (uint64_t i = first + 1; i < values.num_values; ++i) {
    if (!slots.empty() && slots[i] != 0) continue;
    const uint64_t begin = values.offset(i);
    if (values.offset(i + 1) - begin != wanted.size()) return false;
    if (!wanted.empty() &&
        std::memcmp(values.bytes.data() + begin, wanted.data(), wanted.size()) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

IntegerStatistics MeasureIntegers(const PageValues& values) {
  LANCE_DCHECK(values.num_values > 0);
  return DispatchUnsigned(static_cast<uint32_t>(values.bits_per_value),
                          [&]<typename T>(T) { return Measure<T>(values); });
}

LengthStatistics MeasureLengths(const PageValues& values) {
  LANCE_DCHECK(values.is_variable());
  LengthStatistics statistics;
  statistics.total = values.num_bytes();
  for (uint64_t i = 0; i < values.num_values; ++i) {
    statistics.longest = std::max(statistics.longest, values.offset(i + 1) - values.offset(i));
  }
  return statistics;
}

bool AreAllEqual(const PageValues& values, std::span<const uint16_t> slots) {
  LANCE_DCHECK(values.num_values > 0);
  if (values.is_variable()) return AreTextsEqual(values, slots);
  if (values.bits_per_value == 1) return AreBitsEqual(values);
  // Null slots repeat a value. Equal to itself one value further on: all are equal.
  const uint64_t width = values.bits_per_value / 8;
  return std::memcmp(values.bytes.data(), values.bytes.data() + width,
                     values.bytes.size() - width) == 0;
}

}  // namespace lance::format
