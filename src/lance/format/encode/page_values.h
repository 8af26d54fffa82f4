#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/encode/page_levels.h"
#include "lance/format/encodings/value_shape.h"

namespace lance::format {

/// The values of a page back to back, without nulls. Move-only. Borrows the Arrow arrays that it
/// was collected from where they will do.
///
/// What is null holds what is cheapest to store: of fixed width the value before it (the first
/// valid one at the start), of variable width nothing, in fixed-size lists zeros.
struct PageValues {
  explicit PageValues(arrow::MemoryPool* pool) : byte_storage(pool), offset_storage(pool) {}

  uint64_t num_values = 0;
  /// Bits of one whole value, all its items and members included; 0: variable width.
  uint64_t bits_per_value = 0;
  /// Variable width: 32 or 64.
  uint32_t offset_bits = 32;
  /// Fixed width: values, bools one bit each. Variable width: what offsets point into.
  std::span<const std::byte> bytes;
  /// Variable width: num_values + 1 rising positions of offset_bits; the first need not be 0.
  const std::byte* offsets = nullptr;
  /// Fixed-size lists, from the outer to the inner: one bit for each item of that level. Empty at a
  /// level where all items are valid.
  std::vector<ByteBuffer> item_validity;
  /// Fixed-size lists: no item of any list is there; the innermost bits are all 0.
  bool are_items_null = false;

  bool is_variable() const { return bits_per_value == 0; }

  /// Where value `i` starts in `bytes`; the end of the last one for i = num_values.
  uint64_t offset(uint64_t i) const {
    return offset_bits == 64 ? reinterpret_cast<const uint64_t*>(offsets)[i]
                             : reinterpret_cast<const uint32_t*>(offsets)[i];
  }
  /// The bytes of value `i`. \pre values are whole bytes
  std::span<const std::byte> value(uint64_t i) const {
    if (!is_variable()) return bytes.subspan(i * (bits_per_value / 8), bits_per_value / 8);
    return bytes.subspan(offset(i), offset(i + 1) - offset(i));
  }
  /// The bytes of all values together.
  uint64_t num_bytes() const {
    return is_variable() ? offset(num_values) - offset(0) : bytes.size();
  }

  /// Point `bytes` and `offsets` at the storage.
  void UseStorage();

  ByteBuffer byte_storage;
  ByteBuffer offset_storage;
};

/// Put the values of a page together.
///
/// \param shape fixed width, or text and binaries; no lists, no packed structs
/// \param arrays of the shape's type, in order; may be slices
/// \param slots as PageLevels::slots
/// \return CapacityError when the values exceed what their offsets can hold
arrow::Result<PageValues> CollectPlainValues(
    const ValueShape& shape, const std::vector<std::shared_ptr<arrow::Array>>& arrays,
    std::span<const uint16_t> slots, arrow::MemoryPool* pool);

/// As CollectPlainValues, for fixed-size lists of primitives of `shape`.
arrow::Result<PageValues> CollectFixedSizeLists(
    const ValueShape& shape, const std::vector<std::shared_ptr<arrow::Array>>& arrays,
    std::span<const uint16_t> slots, arrow::MemoryPool* pool);

}  // namespace lance::format
