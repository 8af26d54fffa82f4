#pragma once

#include <cstdint>
#include <vector>

#include "lance/format/encode/page_values.h"

namespace lance::format {

/// What integers look like; floats and all else of 8 to 64 bits count as integers. A plain value.
struct IntegerStatistics {
  /// Runs of equal values.
  uint64_t num_runs = 0;
  /// The bits that each group of 1024 values needs.
  std::vector<uint8_t> widths;
};

/// Measure values in one pass. \pre IsIntegerWidth(values.bits_per_value), one value or more
IntegerStatistics MeasureIntegers(const PageValues& values);

/// What lengths look like. A plain value.
struct LengthStatistics {
  uint64_t longest = 0;
  uint64_t total = 0;
};

/// Measure values of variable width.
LengthStatistics MeasureLengths(const PageValues& values);

/// Whether all values that are there are equal.
///
/// \param slots as PageLevels::slots, with at least one 0
bool AreAllEqual(const PageValues& values, std::span<const uint16_t> slots);

}  // namespace lance::format
