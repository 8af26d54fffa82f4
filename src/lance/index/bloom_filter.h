#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "arrow/type_fwd.h"

namespace lance::index {

/// Whether a bloom filter index holds values of a type.
bool HasBloomHash(const arrow::DataType& type);

/// The hash under which a bloom filter holds a value: xxHash64, seed 0, of its plain bytes.
///
/// Integers, floats, dates, times and timestamps have the bytes of their own width, strings those
/// of their text. \return no value for null, a NaN, which has many forms, and other types
/// Source: zonemap-and-indices 6.3
std::optional<uint64_t> BloomHash(const arrow::Scalar& value);

/// Whether a split-block bloom filter may hold a hash: blocks of eight words of 32 bits.
///
/// \pre `filter` has a positive multiple of 32 bytes
bool BloomMayHold(std::span<const std::byte> filter, uint64_t hash);

}  // namespace lance::index
