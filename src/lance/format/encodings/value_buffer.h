#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "arrow/type_fwd.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/encodings/value_shape.h"

namespace lance::format {

/// Decoded values of one leaf, without nulls, laid out as Arrow wants them. Move-only.
///
/// Rows that are null have a value all the same (a dummy), so that positions agree.
struct ValueBuffer {
  explicit ValueBuffer(arrow::MemoryPool* pool = nullptr) : bytes(pool), offsets(pool) {}
  ValueBuffer(const ValueShape& shape, arrow::MemoryPool* pool);

  /// As in ValueShape.
  uint32_t bits_per_value = 0;
  uint32_t offset_bits = 32;
  /// Items that each value has: more than 1 for fixed-size lists only (whose shape may say 1, too).
  uint64_t items_per_value = 1;
  uint64_t num_values = 0;
  /// Fixed width: values (all items of all values) back to back, little-endian; bools one bit each,
  /// least significant first. Variable width: the values' bytes back to back.
  ByteBuffer bytes;
  /// Variable width: num_values + 1 positions in `bytes` of offset_bits each, the first 0; empty
  /// before the first value comes.
  ByteBuffer offsets;
  /// Fixed-size lists, from the outer to the inner: one bit for each item of that level, 1 = valid.
  /// Empty: no page so far said that an item is null; use AppendItemsValid to catch up. Not empty:
  /// every level has its bits.
  std::vector<ByteBuffer> item_validity;
  /// Fixed-size lists: items of that level that one value has, the last one items_per_value.
  std::vector<uint64_t> level_items;
  /// Packed structs: the members' values; `bytes` and `offsets` stay empty.
  std::vector<ValueBuffer> members;

  bool is_packed() const { return !members.empty(); }
  bool is_variable() const { return bits_per_value == 0 && members.empty(); }
  uint64_t num_items() const { return num_values * items_per_value; }
  /// Variable width: where value `i` starts; the end of the last one for i = num_values.
  uint64_t offset(uint64_t i) const;

  /// Drop all values and keep the memory.
  void Clear();
};

/// Append room for fixed-width values of whole bytes.
///
/// \pre bits_per_value is a multiple of 8, not 0; the caller has proven that the size is sane
/// \return where to write them; valid until `out` changes
inline std::byte* GrowFixed(uint64_t num_values, ValueBuffer* out) {
  out->num_values += num_values;
  return out->bytes.Grow(num_values * out->items_per_value * (out->bits_per_value / 8));
}

/// Append bits behind the first `num_bits_before` of `out`; bits behind the last are undefined.
void AppendBits(const std::byte* bits, uint64_t first_bit, uint64_t num_bits,
                uint64_t num_bits_before, ByteBuffer* out);

/// Append the same bit many times, as AppendBits.
void AppendSameBits(bool bit, uint64_t num_bits, uint64_t num_bits_before, ByteBuffer* out);

/// Append values [begin, begin + count) of `from`, which has the same shape. A value is copied with
/// its items, their validity and its members.
///
/// \return CapacityError when the bytes exceed what offset_bits can hold
arrow::Status AppendValues(const ValueBuffer& from, uint64_t begin, uint64_t count,
                           ValueBuffer* out);

/// Append `count` dummy values: zeros, false, empty strings; all items valid.
void AppendDummies(uint64_t count, ValueBuffer* out);

/// Append one value many times. Errors as AppendValues.
arrow::Status AppendRepeated(const ValueBuffer& from, uint64_t index, uint64_t count,
                             ValueBuffer* out);

/// Append the values that `indices` (num_indices of index_bits: 8, 16, 32 or 64) name.
///
/// \param skip num_indices flags, or null: where not 0 the index is not looked at, a dummy comes
/// \return SerializationError when an index is not below from.num_values; as AppendValues
arrow::Status AppendIndexed(const ValueBuffer& from, const std::byte* indices, uint32_t index_bits,
                            uint64_t num_indices, const uint8_t* skip, ValueBuffer* out);

/// Note that the items of the last `num_values` values of a fixed-size list are all valid.
void AppendItemsValid(uint64_t num_values, const ValueShape& shape, ValueBuffer* out);

/// Make room for item validity: the items of the first `num_values` values are all valid. Nothing
/// happens when there is some already.
void StartItemValidity(uint64_t num_values, ValueBuffer* out);

/// Check that variable-width values may have `num_bytes` bytes more.
///
/// \return CapacityError when their offsets could not hold it
arrow::Status CheckOffsetsHold(uint64_t num_bytes, const ValueBuffer& values);

/// Append room for the offsets of `num_values` variable-width values, writing the first 0 if none
/// was there, and count the values. The caller writes the ends of the values.
///
/// \return where the end of the first new value goes, of offset_bits; valid until `out` changes
inline std::byte* GrowOffsets(uint64_t num_values, ValueBuffer* out) {
  const uint64_t width = out->offset_bits / 8;
  if (out->offsets.empty()) std::memset(out->offsets.Grow(width), 0, width);
  out->num_values += num_values;
  return out->offsets.Grow(num_values * width);
}

/// Append the ends of `num_values` values, which are `first_end` + (offsets[i + 1] - offsets[0]).
///
/// \param offsets num_values + 1 checked rising offsets of `offset_bits`, of any alignment
/// \pre what CheckOffsetsHold has checked
void AppendOffsets(const std::byte* offsets, uint32_t offset_bits, uint64_t num_values,
                   uint64_t first_end, ValueBuffer* out);

}  // namespace lance::format
