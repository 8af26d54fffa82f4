#pragma once

#include <cstdint>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::format {

/// How the values of a leaf look to page layouts and codecs. A plain value.
///
/// Source: file-format 3.2, 9.
struct ValueShape {
  /// Bits of one value, or of one item of a fixed-size list: 1 (bools) or a multiple of 8. 0:
  /// variable width, or a packed struct.
  uint32_t bits_per_value = 0;
  /// Variable width: 32 or 64, the width of Arrow's offsets.
  uint32_t offset_bits = 32;
  /// Fixed-size lists of primitives, from the outer to the inner: their dimensions. Empty: none.
  std::vector<uint32_t> dimensions = {};
  /// Packed structs: the shapes of their members, in order. Empty: not one.
  std::vector<ValueShape> members = {};

  bool is_packed() const { return !members.empty(); }
  bool is_variable() const { return bits_per_value == 0 && members.empty(); }
  bool is_fixed_size_list() const { return !dimensions.empty(); }
  /// Items that one value has: the product of the dimensions, 1 without any.
  uint64_t items_per_value() const;

  bool operator==(const ValueShape&) const = default;
};

/// Describe the values of an Arrow type: primitives, strings, binaries, fixed-size lists of
/// primitives, and structs (as packed structs). Dictionary types are described by their value type.
/// The null type and nested types that own no values have shape {8}: their pages have none.
///
/// \return NotImplemented + UnsupportedFeature naming a type that data files cannot hold; Invalid
///   when the size of a value overflows
arrow::Result<ValueShape> MakeValueShape(const arrow::DataType& type);

}  // namespace lance::format
