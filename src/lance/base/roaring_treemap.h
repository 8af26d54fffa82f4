#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"

namespace lance {

/// A set of 64-bit numbers by their high 32 bits, for example row addresses by fragment id.
///
/// No entry is empty. Layout, the portable form of 64-bit Roaring (zonemap-and-indices 5.7), all
/// little-endian:
///   u64 number of entries
///   per entry, ascending: u32 high bits | portable 32-bit Roaring of the low bits
using RoaringTreemap = std::map<uint32_t, RoaringBitmap>;

/// Parse untrusted bytes completely. Empty entries are left out.
///
/// \return SerializationError naming `structure` and the place
arrow::Result<RoaringTreemap> ParseTreemap(std::span<const std::byte> bytes,
                                           std::string_view structure);

/// Write the layout above.
std::string SerializeTreemap(const RoaringTreemap& map);

}  // namespace lance
