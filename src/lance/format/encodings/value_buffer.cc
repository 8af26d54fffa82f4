#include "lance/format/encodings/value_buffer.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "arrow/status.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"

namespace lance::format {

namespace {

const uint8_t* Bits(const std::byte* bytes) { return reinterpret_cast<const uint8_t*>(bytes); }
uint8_t* Bits(std::byte* bytes) { return reinterpret_cast<uint8_t*>(bytes); }

bool AreBits(const ValueBuffer& values) { return values.bits_per_value == 1; }

/// Whole bytes of one value with all its items.
uint64_t BytesPerValue(const ValueBuffer& values) {
  return values.items_per_value * (values.bits_per_value / 8);
}

[[maybe_unused]] bool SameShape(const ValueBuffer& a, const ValueBuffer& b) {
  return a.bits_per_value == b.bits_per_value && a.offset_bits == b.offset_bits &&
         a.items_per_value == b.items_per_value && a.members.size() == b.members.size();
}

/// Make the bits of the last `num_bits` of so many writable, behind `num_bits_before`.
uint8_t* GrowBits(uint64_t num_bits, uint64_t num_bits_before, ByteBuffer* out) {
  const uint64_t bytes_before = CeilDiv(num_bits_before, 8);
  LANCE_DCHECK(out->size() == bytes_before);
  out->Grow(CeilDiv(num_bits_before + num_bits, 8) - bytes_before);
  return Bits(out->data());
}

/// Append the item validity of values [begin, begin + count); `out` has num_before values so far.
void AppendItemValidity(const ValueBuffer& from, uint64_t begin, uint64_t count,
                        uint64_t num_before, ValueBuffer* out) {
  if (from.item_validity.empty() && out->item_validity.empty()) return;
  StartItemValidity(num_before, out);
  for (size_t level = 0; level < out->item_validity.size(); ++level) {
    const uint64_t items = out->level_items[level];
    ByteBuffer* const bits = &out->item_validity[level];
    if (from.item_validity.empty()) {
      AppendSameBits(true, count * items, num_before * items, bits);
    } else {
      AppendBits(from.item_validity[level].data(), begin * items, count * items, num_before * items,
                 bits);
    }
  }
}

arrow::Status AppendVariable(const ValueBuffer& from, uint64_t begin, uint64_t count,
                             ValueBuffer* out) {
  if (count == 0) return arrow::Status::OK();
  const uint64_t start = from.offset(begin);
  const uint64_t num_bytes = from.offset(begin + count) - start;
  ARROW_RETURN_NOT_OK(CheckOffsetsHold(num_bytes, *out));
  const uint64_t first_end = out->bytes.size();
  out->bytes.Append(from.bytes.span().subspan(start, num_bytes));
  AppendOffsets(from.offsets.data() + begin * (from.offset_bits / 8), from.offset_bits, count,
                first_end, out);
  return arrow::Status::OK();
}

/// Write a value of `size` bytes `count` times. \pre size > 0
void FillRepeated(const std::byte* value, uint64_t size, uint64_t count, std::byte* out) {
  if (count == 0) return;
  if (size == 1) {
    std::memset(out, std::to_integer<int>(*value), count);
    return;
  }
  std::memcpy(out, value, size);
  const uint64_t total = size * count;
  for (uint64_t done = size; done < total;) {  // double what is there
    const uint64_t more = std::min(done, total - done);
    std::memcpy(out + done, out, more);
    done += more;
  }
}

template <typename T>
void WriteEvenEnds(uint64_t step, uint64_t count, uint64_t first_end, std::byte* out) {
  uint64_t end = first_end;
  for (uint64_t i = 0; i < count; ++i) {
    end += step;
    const T stored = static_cast<T>(end);
    std::memcpy(out + i * sizeof(T), &stored, sizeof(T));
  }
}

/// Write the ends of `count` values of `size` bytes each.
void AppendEvenOffsets(uint64_t size, uint64_t count, uint64_t first_end, ValueBuffer* out) {
  std::byte* const ends = GrowOffsets(count, out);
  if (out->offset_bits == 32) {
    WriteEvenEnds<uint32_t>(size, count, first_end, ends);
  } else {
    WriteEvenEnds<uint64_t>(size, count, first_end, ends);
  }
}

arrow::Status RepeatVariable(const ValueBuffer& from, uint64_t index, uint64_t count,
                             ValueBuffer* out) {
  const uint64_t start = from.offset(index);
  const uint64_t size = from.offset(index + 1) - start;
  uint64_t num_bytes = 0;
  if (__builtin_mul_overflow(size, count, &num_bytes)) {
    num_bytes = std::numeric_limits<uint64_t>::max();
  }
  ARROW_RETURN_NOT_OK(CheckOffsetsHold(num_bytes, *out));
  const uint64_t first_end = out->bytes.size();
  if (num_bytes > 0) {
    FillRepeated(from.bytes.data() + start, size, count, out->bytes.Grow(num_bytes));
  }
  AppendEvenOffsets(size, count, first_end, out);
  return arrow::Status::OK();
}

template <typename T, typename Stored>
void WriteRebasedEnds(const std::byte* offsets, uint64_t num_values, uint64_t first_end,
                      std::byte* out) {
  // Wraps as unsigned numbers may: the sums are what the caller has proven to fit.
  const T shift = static_cast<T>(first_end) - static_cast<T>(LoadLittleEndian<Stored>(offsets));
  for (uint64_t i = 0; i < num_values; ++i) {
    const Stored offset = LoadLittleEndian<Stored>(offsets + (i + 1) * sizeof(Stored));
    const T end = static_cast<T>(offset) + shift;
    std::memcpy(out + i * sizeof(T), &end, sizeof(T));
  }
}

}  // namespace

ValueBuffer::ValueBuffer(const ValueShape& shape, arrow::MemoryPool* pool) : ValueBuffer(pool) {
  bits_per_value = shape.bits_per_value;
  offset_bits = shape.offset_bits;
  items_per_value = 1;
  for (const uint32_t dimension : shape.dimensions) {
    items_per_value *= dimension;
    level_items.push_back(items_per_value);
  }
  members.reserve(shape.members.size());
  for (const ValueShape& member : shape.members) members.emplace_back(member, pool);
}

uint64_t ValueBuffer::offset(uint64_t i) const {
  if (offsets.empty()) return 0;
  const std::byte* const at = offsets.data() + i * (offset_bits / 8);
  return offset_bits == 32 ? LoadLittleEndian<uint32_t>(at) : LoadLittleEndian<uint64_t>(at);
}

void ValueBuffer::Clear() {
  num_values = 0;
  bytes.Clear();
  offsets.Clear();
  item_validity.clear();
  for (ValueBuffer& member : members) member.Clear();
}

void AppendBits(const std::byte* bits, uint64_t first_bit, uint64_t num_bits,
                uint64_t num_bits_before, ByteBuffer* out) {
  if (num_bits == 0) return;
  uint8_t* const to = GrowBits(num_bits, num_bits_before, out);
  if (first_bit % 8 == 0 && num_bits_before % 8 == 0) {
    std::memcpy(to + num_bits_before / 8, bits + first_bit / 8, CeilDiv(num_bits, 8));
    return;
  }
  arrow::internal::CopyBitmap(Bits(bits), static_cast<int64_t>(first_bit),
                              static_cast<int64_t>(num_bits), to,
                              static_cast<int64_t>(num_bits_before));
}

void AppendSameBits(bool bit, uint64_t num_bits, uint64_t num_bits_before, ByteBuffer* out) {
  if (num_bits == 0) return;
  uint8_t* const to = GrowBits(num_bits, num_bits_before, out);
  arrow::bit_util::SetBitsTo(to, static_cast<int64_t>(num_bits_before),
                             static_cast<int64_t>(num_bits), bit);
}

arrow::Status AppendValues(const ValueBuffer& from, uint64_t begin, uint64_t count,
                           ValueBuffer* out) {
  LANCE_DCHECK(SameShape(from, *out) && begin + count <= from.num_values);
  if (from.is_variable()) return AppendVariable(from, begin, count, out);
  for (size_t i = 0; i < from.members.size(); ++i) {
    ARROW_RETURN_NOT_OK(AppendValues(from.members[i], begin, count, &out->members[i]));
  }
  const uint64_t num_before = out->num_values;
  if (AreBits(from)) {
    const uint64_t items = from.items_per_value;
    AppendBits(from.bytes.data(), begin * items, count * items, num_before * items, &out->bytes);
  } else if (!from.is_packed()) {
    const uint64_t width = BytesPerValue(from);
    out->bytes.Append(from.bytes.span().subspan(begin * width, count * width));
  }
  out->num_values += count;
  AppendItemValidity(from, begin, count, num_before, out);
  return arrow::Status::OK();
}

void AppendDummies(uint64_t count, ValueBuffer* out) {
  if (count == 0) return;
  if (out->is_variable()) {
    AppendEvenOffsets(0, count, out->bytes.size(), out);
    return;
  }
  for (ValueBuffer& member : out->members) AppendDummies(count, &member);
  const uint64_t num_before = out->num_values;
  if (AreBits(*out)) {
    const uint64_t items = out->items_per_value;
    AppendSameBits(false, count * items, num_before * items, &out->bytes);
  } else if (!out->is_packed()) {
    const uint64_t size = count * BytesPerValue(*out);
    std::memset(out->bytes.Grow(size), 0, size);
  }
  out->num_values += count;
  for (size_t level = 0; level < out->item_validity.size(); ++level) {
    const uint64_t items = out->level_items[level];
    AppendSameBits(true, count * items, num_before * items, &out->item_validity[level]);
  }
}

arrow::Status AppendRepeated(const ValueBuffer& from, uint64_t index, uint64_t count,
                             ValueBuffer* out) {
  LANCE_DCHECK(SameShape(from, *out) && index < from.num_values);
  if (count == 0) return arrow::Status::OK();
  if (from.is_variable()) return RepeatVariable(from, index, count, out);
  // Patterns of bits: rare, one value at a time.
  if (!from.item_validity.empty() || (AreBits(from) && from.items_per_value > 1)) {
    for (uint64_t i = 0; i < count; ++i) {
      ARROW_RETURN_NOT_OK(AppendValues(from, index, 1, out));
    }
    return arrow::Status::OK();
  }
  for (size_t i = 0; i < from.members.size(); ++i) {
    ARROW_RETURN_NOT_OK(AppendRepeated(from.members[i], index, count, &out->members[i]));
  }
  const uint64_t num_before = out->num_values;
  if (AreBits(from)) {
    const bool bit = arrow::bit_util::GetBit(Bits(from.bytes.data()), index);
    AppendSameBits(bit, count, num_before, &out->bytes);
  } else if (!from.is_packed()) {
    const uint64_t width = BytesPerValue(from);
    FillRepeated(from.bytes.data() + index * width, width, count, out->bytes.Grow(count * width));
  }
  out->num_values += count;
  for (size_t level = 0; level < out->item_validity.size(); ++level) {
    const uint64_t items = out->level_items[level];
    AppendSameBits(true, count * items, num_before * items, &out->item_validity[level]);
  }
  return arrow::Status::OK();
}

void AppendItemsValid(uint64_t num_values, const ValueShape& shape, ValueBuffer* out) {
  LANCE_DCHECK(shape.dimensions.size() == out->level_items.size());
  LANCE_DCHECK(num_values <= out->num_values);
  (void)shape;  // `out` was made for it
  const uint64_t num_before = out->num_values - num_values;
  for (size_t level = 0; level < out->item_validity.size(); ++level) {
    const uint64_t items = out->level_items[level];
    AppendSameBits(true, num_values * items, num_before * items, &out->item_validity[level]);
  }
}

void StartItemValidity(uint64_t num_values, ValueBuffer* out) {
  if (!out->item_validity.empty()) return;
  out->item_validity.reserve(out->level_items.size());
  for (const uint64_t items : out->level_items) {
    out->item_validity.emplace_back(out->bytes.pool());
    AppendSameBits(true, num_values * items, 0, &out->item_validity.back());
  }
}

arrow::Status CheckOffsetsHold(uint64_t num_bytes, const ValueBuffer& values) {
  const uint64_t most = values.offset_bits == 32 ? uint64_t{std::numeric_limits<int32_t>::max()}
                                                 : uint64_t{std::numeric_limits<int64_t>::max()};
  if (num_bytes <= most - values.bytes.size()) return arrow::Status::OK();
  return arrow::Status::CapacityError("values would have ", values.bytes.size(), " + ", num_bytes,
                                      " bytes, their ", values.offset_bits, "-bit offsets allow ",
                                      most, "; read fewer rows at once");
}

void AppendOffsets(const std::byte* offsets, uint32_t offset_bits, uint64_t num_values,
                   uint64_t first_end, ValueBuffer* out) {
  std::byte* const ends = GrowOffsets(num_values, out);
  if (offset_bits == 32 && out->offset_bits == 32) {
    WriteRebasedEnds<uint32_t, uint32_t>(offsets, num_values, first_end, ends);
  } else if (offset_bits == 32) {
    WriteRebasedEnds<uint64_t, uint32_t>(offsets, num_values, first_end, ends);
  } else if (out->offset_bits == 32) {
    WriteRebasedEnds<uint32_t, uint64_t>(offsets, num_values, first_end, ends);
  } else {
    WriteRebasedEnds<uint64_t, uint64_t>(offsets, num_values, first_end, ends);
  }
}

}  // namespace lance::format
