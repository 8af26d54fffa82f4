#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"

namespace lance::index {

/// A set of rows by fragment, as null bitmaps and the values of bitmap indices store it; of stable
/// row ids by their high 32 bits. A plain value.
///
/// Layout (zonemap-and-indices 2.7):
///   u32 number of entries
///   per entry, ascending: u32 fragment id | u32 size | size bytes of portable Roaring
/// Size 0 stands for the whole fragment.
struct RowAddressMap {
  /// The rows of one fragment.
  struct Entry {
    uint32_t fragment_id = 0;
    std::optional<RoaringBitmap> offsets;  // no value: every row

    bool operator==(const Entry&) const = default;
  };

  std::vector<Entry> entries;  // ascending fragment id

  /// Parse untrusted bytes completely.
  ///
  /// \return SerializationError naming `structure` and the place
  static arrow::Result<RowAddressMap> Parse(std::span<const std::byte> bytes,
                                            std::string_view structure);

  /// Write the layout above. \return CapacityError when a bitmap does not fit its 32-bit size
  arrow::Result<std::string> Serialize() const;

  /// Whether no row is in it.
  bool empty() const;

  /// Add the rows of another set.
  RowAddressMap& operator|=(const RowAddressMap& other);
  /// Keep the rows that are in another set too.
  RowAddressMap& operator&=(const RowAddressMap& other);

  bool operator==(const RowAddressMap&) const = default;
};

}  // namespace lance::index
