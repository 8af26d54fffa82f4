#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "arrow/status.h"
#include "arrow/util/bit_util.h"
#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance/format/encodings/value_buffer.h"

// AppendIndexed: values by their numbers, as dictionary pages need it.

namespace lance::format {

namespace {

/// Checked indices. `skip` is null or has a flag an index; an index that is skipped is arbitrary.
template <typename Index>
struct Indices {
  const std::byte* bytes;
  uint64_t count;
  const uint8_t* skip;

  uint64_t operator[](uint64_t i) const {
    return LoadLittleEndian<Index>(bytes + i * sizeof(Index));
  }
  bool skipped(uint64_t i) const { return skip != nullptr && skip[i] != 0; }
};

/// The largest index that is looked at, 0 when there is none. Vectorisable.
template <typename Index>
uint64_t LargestIndex(const Indices<Index>& indices) {
  Index largest = 0;
  if (indices.skip == nullptr) {
    for (uint64_t i = 0; i < indices.count; ++i) {
      largest = std::max(largest, static_cast<Index>(indices[i]));
    }
  } else {
    for (uint64_t i = 0; i < indices.count; ++i) {
      const Index index = indices.skip[i] != 0 ? Index{0} : static_cast<Index>(indices[i]);
      largest = std::max(largest, index);
    }
  }
  return largest;
}

/// An unsigned integer of 16 bytes, as far as copying goes.
struct Wide {
  uint64_t low;
  uint64_t high;
};

template <typename T, typename Index>
void GatherFixed(const std::byte* values, const Indices<Index>& indices, std::byte* out) {
  if (indices.skip == nullptr) {
    for (uint64_t i = 0; i < indices.count; ++i) {
      std::memcpy(out + i * sizeof(T), values + indices[i] * sizeof(T), sizeof(T));
    }
    return;
  }
  for (uint64_t i = 0; i < indices.count; ++i) {
    T value{};
    if (indices.skip[i] == 0) std::memcpy(&value, values + indices[i] * sizeof(T), sizeof(T));
    std::memcpy(out + i * sizeof(T), &value, sizeof(T));
  }
}

template <typename Index>
void GatherBytes(const std::byte* values, uint64_t width, const Indices<Index>& indices,
                 std::byte* out) {
  for (uint64_t i = 0; i < indices.count; ++i) {
    if (indices.skipped(i)) {
      std::memset(out + i * width, 0, width);
    } else {
      std::memcpy(out + i * width, values + indices[i] * width, width);
    }
  }
}

template <typename Index>
void GatherFixedWidth(const ValueBuffer& from, const Indices<Index>& indices, ValueBuffer* out) {
  const uint64_t width = from.items_per_value * (from.bits_per_value / 8);
  std::byte* const to = GrowFixed(indices.count, out);
  const std::byte* const values = from.bytes.data();
  switch (width) {
    case 1:
      return GatherFixed<uint8_t>(values, indices, to);
    case 2:
      return GatherFixed<uint16_t>(values, indices, to);
    case 4:
      return GatherFixed<uint32_t>(values, indices, to);
    case 8:
      return GatherFixed<uint64_t>(values, indices, to);
    case 16:
      return GatherFixed<Wide>(values, indices, to);
    default:
      return GatherBytes(values, width, indices, to);
  }
}

/// Bools, and fixed-size lists with item validity: rare, and so one value at a time.
template <typename Index>
arrow::Status GatherOneByOne(const ValueBuffer& from, const Indices<Index>& indices,
                             ValueBuffer* out) {
  for (uint64_t i = 0; i < indices.count; ++i) {
    if (indices.skipped(i)) {
      AppendDummies(1, out);
    } else {
      ARROW_RETURN_NOT_OK(AppendValues(from, indices[i], 1, out));
    }
  }
  return arrow::Status::OK();
}

/// Write the ends of the values that some indices name.
///
/// \param most what an end may be
/// \return the last end; the first that is above `most` stops the work
template <typename Offset, typename Index>
uint64_t WriteEnds(const std::byte* offsets, const Indices<Index>& indices, uint64_t end,
                   uint64_t most, std::byte* out) {
  for (uint64_t i = 0; i < indices.count; ++i) {
    if (!indices.skipped(i)) {
      const std::byte* const at = offsets + indices[i] * sizeof(Offset);
      // A length is one of bytes in memory, so that one of them cannot wrap the sum.
      end += LoadLittleEndian<Offset>(at + sizeof(Offset)) - LoadLittleEndian<Offset>(at);
      if (end > most) return end;
    }
    const auto stored = static_cast<Offset>(end);
    std::memcpy(out + i * sizeof(Offset), &stored, sizeof(Offset));
  }
  return end;
}

/// Copy the values that some indices name, back to back.
template <typename Offset, typename Index>
void CopyValues(const ValueBuffer& from, const Indices<Index>& indices, std::byte* out) {
  constexpr uint64_t kBlock = 32;  // one copy of fixed size for short values, into the slack
  static_assert(kBlock <= ByteBuffer::kSlack);
  const std::byte* const offsets = from.offsets.data();
  for (uint64_t i = 0; i < indices.count; ++i) {
    if (indices.skipped(i)) continue;
    const std::byte* const at = offsets + indices[i] * sizeof(Offset);
    const uint64_t start = LoadLittleEndian<Offset>(at);
    const uint64_t size = LoadLittleEndian<Offset>(at + sizeof(Offset)) - start;
    const std::byte* const value = from.bytes.data() + start;
    if (size <= kBlock) {
      std::memcpy(out, value, kBlock);
    } else {
      std::memcpy(out, value, size);
    }
    out += size;
  }
}

template <typename Offset, typename Index>
arrow::Status GatherVariable(const ValueBuffer& from, const Indices<Index>& indices,
                             ValueBuffer* out) {
  const uint64_t start = out->bytes.size();
  const uint64_t most = static_cast<uint64_t>(std::numeric_limits<Offset>::max() / 2);
  std::byte* const ends = GrowOffsets(indices.count, out);
  const uint64_t end = WriteEnds<Offset>(from.offsets.data(), indices, start, most, ends);
  if (end > most) return CheckOffsetsHold(end - start, *out);
  if (end > start) {
    CopyValues<Offset>(from, indices, out->bytes.Grow(end - start));
  }
  return arrow::Status::OK();
}

template <typename Index>
arrow::Status Gather(const ValueBuffer& from, const Indices<Index>& indices, ValueBuffer* out) {
  if (from.is_variable()) {
    return from.offset_bits == 32 ? GatherVariable<uint32_t>(from, indices, out)
                                  : GatherVariable<uint64_t>(from, indices, out);
  }
  if (from.is_packed()) {
    for (size_t i = 0; i < from.members.size(); ++i) {
      ARROW_RETURN_NOT_OK(Gather(from.members[i], indices, &out->members[i]));
    }
    out->num_values += indices.count;
    return arrow::Status::OK();
  }
  if (from.bits_per_value == 1 || !from.item_validity.empty() || !out->item_validity.empty()) {
    return GatherOneByOne(from, indices, out);
  }
  GatherFixedWidth(from, indices, out);
  return arrow::Status::OK();
}

/// Build the error for the first index that names no value.
template <typename Index>
arrow::Status RefuseIndex(const Indices<Index>& indices, uint64_t num_values) {
  uint64_t i = 0;
  while (indices.skipped(i) || indices[i] < num_values) ++i;
  return arrow::Status::SerializationError("dictionary index ", i, " is ", indices[i],
                                           ", the dictionary has ", num_values, " values");
}

}  // namespace

arrow::Status AppendIndexed(const ValueBuffer& from, const std::byte* indices, uint32_t index_bits,
                            uint64_t num_indices, const uint8_t* skip, ValueBuffer* out) {
  LANCE_DCHECK(from.offset_bits == out->offset_bits && from.bits_per_value == out->bits_per_value);
  if (num_indices == 0) return arrow::Status::OK();
  return DispatchUnsigned(index_bits, [&]<typename Index>(Index) -> arrow::Status {
    const Indices<Index> checked{indices, num_indices, skip};
    if (from.num_values == 0) {
      const bool skips_all = skip != nullptr && std::all_of(skip, skip + num_indices,
                                                            [](uint8_t s) { return s != 0; });
      if (!skips_all) return RefuseIndex(checked, 0);
      AppendDummies(num_indices, out);
      return arrow::Status::OK();
    }
    if (LargestIndex(checked) >= from.num_values) return RefuseIndex(checked, from.num_values);
    return Gather(from, checked, out);
  });
}

}  // namespace lance::format
