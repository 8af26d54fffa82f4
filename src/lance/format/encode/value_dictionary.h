#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/format/encode/encoding_hints.h"
#include "lance/format/encode/mini_block_writer.h"
#include "lance/format/encode/page_values.h"

namespace lance::format {

/// The distinct values of a page in the order in which they come, and a code for each value.
/// Move-only.
struct ValueDictionary {
  explicit ValueDictionary(arrow::MemoryPool* pool) : items(pool), codes(pool) {}

  PageValues items;
  /// Values of 32 bits, one for each of the page's.
  PageValues codes;
};

/// When a dictionary is given up. A plain value.
struct DictionaryLimits {
  uint64_t max_items = 0;
  /// The bytes of all items, without offsets.
  uint64_t max_bytes = 0;
};

/// Find the distinct values of a page, exactly.
///
/// Gives up early when the first values are nearly all distinct.
///
/// \param values 32, 64 or 128 bits, or variable width
/// \param slots as PageLevels::slots: null slots get some code
/// \return no value: they pass the limits
std::optional<ValueDictionary> FindDistinctValues(const PageValues& values,
                                                  std::span<const uint16_t> slots,
                                                  const DictionaryLimits& limits,
                                                  arrow::MemoryPool* pool);

/// Encode the items of a dictionary as one buffer (file-format 9.9).
///
/// 2.2: compressed as the hints say, where that makes it smaller.
///
/// \param items fixed width of whole bytes, or variable width
arrow::Result<EncodedDictionary> EncodeDictionaryItems(const PageValues& items,
                                                       const EncodingHints& hints,
                                                       FileVersion version);

}  // namespace lance::format
