#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lance/format/encodings/fsst_matcher.h"
#include "lance/format/encodings/offset_view.h"

namespace lance::format {

/// Choose the symbols that compress these values best, from a sample spread evenly over their
/// bytes.
///
/// \return at most 255 distinct symbols that an FsstMatcher takes, the same for the same values
std::vector<FsstSymbol> ChooseFsstSymbols(std::span<const std::byte> bytes, OffsetView offsets,
                                          uint64_t num_values);

}  // namespace lance::format
