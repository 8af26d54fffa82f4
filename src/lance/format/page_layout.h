#pragma once

#include <cstdint>
#include <memory>

#include "lance/format/encodings/codec.h"

namespace lance::format {

/// How the rows of one page are stored: all null, or in mini-block chunks. Immutable.
///
/// Comes from ParsePageLayout, so every part that the page needs is there and fits the column's
/// type. Source: file-format 5, 8.1, 8.3.
struct PageLayout {
  /// Every row is null; the page has no buffers and none of the members below.
  bool is_all_null = false;
  /// The largest definition level: 1 when rows can be null (1 is null, 0 is valid), else 0.
  uint16_t max_definition = 0;
  /// Null: the page has no definition levels, every row is valid.
  std::shared_ptr<const BlockDecoder> levels;
  std::shared_ptr<const MiniBlockDecoder> values;
  /// Null: `values` are the rows' values; else they are indices into the decoded dictionary.
  std::shared_ptr<const BlockDecoder> dictionary;
  uint64_t num_dictionary_items = 0;
  /// What `values` decodes to: the column type's width, or 32 for dictionary indices.
  uint32_t bits_per_value = 0;
};

}  // namespace lance::format
