#include "lance/format/encode/page_values.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encodings/unsigned_dispatch.h"

namespace lance::format {
namespace {

using Arrays = std::vector<std::shared_ptr<arrow::Array>>;

/// The bytes of a fixed-width array, from its first value on.
///
/// \pre bits_per_value is a multiple of 8
const std::byte* FixedBytes(const arrow::Array& array, uint64_t bits_per_value) {
  return reinterpret_cast<const std::byte*>(array.data()->buffers[1]->data()) +
         static_cast<uint64_t>(array.offset()) * (bits_per_value / 8);
}

uint64_t CountValues(const Arrays& arrays) {
  uint64_t num_values = 0;
  for (const auto& array : arrays) num_values += static_cast<uint64_t>(array->length());
  return num_values;
}

/// Copies values of one width and lets null slots repeat the value before them.
class FixedFiller {
 public:
  FixedFiller(std::span<const uint16_t> slots, uint64_t width) : slots_(slots), width_(width) {}

  /// Copy the array whose first slot is `first`. Null slots before the first valid value of the
  /// page stay unset: FillStart sets them.
  void Copy(const std::byte* from, uint64_t first, uint64_t count, std::byte* to) {
    if (IsIntegerWidth(width_ * 8)) {
      DispatchUnsigned(static_cast<uint32_t>(width_ * 8),
                       [&]<typename T>(T) { CopyIntegers<T>(from, first, count, to); });
    } else {
      CopyWide(from, first, count, to);
    }
  }

  /// Set the null slots at the start of the page. \pre every array has been copied
  void FillStart(std::byte* values) const {
    uint64_t valid = 0;
    while (valid < slots_.size() && slots_[valid] != 0) ++valid;
    if (valid == slots_.size()) {
      std::memset(values, 0, slots_.size() * width_);
      return;
    }
    for (uint64_t i = 0; i < valid; ++i) {
      std::memcpy(values + i * width_, values + valid * width_, width_);
    }
  }

 private:
  template <typename T>
  void CopyIntegers(const std::byte* from, uint64_t first, uint64_t count, std::byte* to) {
    T last = 0;
    if (first > 0) std::memcpy(&last, to + (first - 1) * sizeof(T), sizeof(T));
    for (uint64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, from + i * sizeof(T), sizeof(T));
      last = slots_[first + i] == 0 ? value : last;
      std::memcpy(to + (first + i) * sizeof(T), &last, sizeof(T));
    }
  }

  void CopyWide(const std::byte* from, uint64_t first, uint64_t count, std::byte* to) {
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t slot = first + i;
      const std::byte* value = from + i * width_;
      if (slots_[slot] != 0) value = slot > 0 ? to + (slot - 1) * width_ : from;
      std::memcpy(to + slot * width_, value, width_);
    }
  }

  std::span<const uint16_t> slots_;
  uint64_t width_;
};

void CollectBytes(const Arrays& arrays, std::span<const uint16_t> slots, PageValues* values) {
  const uint64_t width = values->bits_per_value / 8;
  if (arrays.size() == 1 && slots.empty()) {
    values->bytes = {FixedBytes(*arrays[0], values->bits_per_value), values->num_values * width};
    return;
  }
  std::byte* const to = values->byte_storage.Grow(values->num_values * width);
  FixedFiller filler(slots, width);
  uint64_t first = 0;
  for (const auto& array : arrays) {
    const auto count = static_cast<uint64_t>(array->length());
    if (count == 0) continue;
    const std::byte* const from = FixedBytes(*array, values->bits_per_value);
    if (slots.empty()) {
      std::memcpy(to + first * width, from, count * width);
    } else {
      filler.Copy(from, first, count, to);
    }
    first += count;
  }
  if (!slots.empty()) filler.FillStart(to);
  values->UseStorage();
}

/// Let null bits repeat the bit before them.
void FillNullBits(std::span<const uint16_t> slots, uint8_t* bits) {
  const auto first = std::ranges::find(slots, 0);
  bool last = first != slots.end() &&
              arrow::bit_util::GetBit(bits, static_cast<int64_t>(first - slots.begin()));
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] == 0) last = arrow::bit_util::GetBit(bits, static_cast<int64_t>(i));
    arrow::bit_util::SetBitTo(bits, static_cast<int64_t>(i), last);
  }
}

void CollectBits(const Arrays& arrays, std::span<const uint16_t> slots, PageValues* values) {
  const uint64_t num_bytes = CeilDiv(values->num_values, 8);
  auto* const to = reinterpret_cast<uint8_t*>(values->byte_storage.Grow(num_bytes));
  if (num_bytes > 0) std::memset(to, 0, num_bytes);  // bits behind the last value are 0
  int64_t first = 0;
  for (const auto& array : arrays) {
    if (array->length() == 0) continue;
    arrow::internal::CopyBitmap(array->data()->buffers[1]->data(), array->offset(), array->length(),
                                to, first);
    first += array->length();
  }
  if (!slots.empty()) FillNullBits(slots, to);
  values->UseStorage();
}

/// Collects values of variable width, whose positions are `Offset`s.
template <typename Offset>
class VariableCollector {
 public:
  VariableCollector(const Arrays& arrays, std::span<const uint16_t> slots, PageValues* values)
      : arrays_(arrays), slots_(slots), values_(values) {}

  arrow::Status Collect() {
    CountBytes();
    if (num_bytes_ > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) {
      return arrow::Status::CapacityError("the ", values_->num_values, " values of a page have ",
                                          num_bytes_, " bytes, its offsets hold ",
                                          std::numeric_limits<Offset>::max());
    }
    if (arrays_.size() == 1 && !are_null_bytes_) {
      Borrow();
    } else {
      Copy();
    }
    return arrow::Status::OK();
  }

 private:
  static const Offset* OffsetsOf(const arrow::Array& array) {
    return array.data()->GetValues<Offset>(1);
  }
  static const std::byte* BytesOf(const arrow::Array& array) {
    const auto& buffer = array.data()->buffers[2];
    return buffer == nullptr ? nullptr : reinterpret_cast<const std::byte*>(buffer->data());
  }

  /// Count the bytes of all valid values, and see whether null slots have bytes, too.
  void CountBytes() {
    uint64_t first = 0;
    for (const auto& array : arrays_) {
      const auto count = static_cast<uint64_t>(array->length());
      if (count == 0) continue;
      const Offset* const offsets = OffsetsOf(*array);
      num_bytes_ += static_cast<uint64_t>(offsets[count] - offsets[0]);
      for (uint64_t i = 0; !slots_.empty() && i < count; ++i) {
        if (slots_[first + i] == 0 || offsets[i] == offsets[i + 1]) continue;
        are_null_bytes_ = true;
        num_bytes_ -= static_cast<uint64_t>(offsets[i + 1] - offsets[i]);
      }
      first += count;
    }
  }

  void Borrow() {
    const Offset* const offsets = OffsetsOf(*arrays_[0]);
    values_->offsets = reinterpret_cast<const std::byte*>(offsets);
    values_->bytes = {BytesOf(*arrays_[0]), static_cast<size_t>(offsets[values_->num_values])};
  }

  void Copy() {
    const uint64_t n = values_->num_values;
    out_offsets_ =
        reinterpret_cast<Offset*>(values_->offset_storage.Grow((n + 1) * sizeof(Offset)));
    out_bytes_ = values_->byte_storage.Grow(num_bytes_);
    out_offsets_[0] = 0;
    for (const auto& array : arrays_) {
      if (array->length() == 0) continue;
      if (are_null_bytes_) {
        CopyValid(*array);
      } else {
        CopyAll(*array);
      }
      num_out_ += static_cast<uint64_t>(array->length());
    }
    values_->UseStorage();
  }

  void CopyAll(const arrow::Array& array) {
    const Offset* const offsets = OffsetsOf(array);
    const auto count = static_cast<uint64_t>(array.length());
    const Offset shift = out_offsets_[num_out_] - offsets[0];
    for (uint64_t i = 1; i <= count; ++i) out_offsets_[num_out_ + i] = offsets[i] + shift;
    const auto size = static_cast<size_t>(offsets[count] - offsets[0]);
    if (size > 0) {
      std::memcpy(out_bytes_ + out_offsets_[num_out_], BytesOf(array) + offsets[0], size);
    }
  }

  void CopyValid(const arrow::Array& array) {
    const Offset* const offsets = OffsetsOf(array);
    for (uint64_t i = 0; i < static_cast<uint64_t>(array.length()); ++i) {
      const uint64_t slot = num_out_ + i;
      const bool is_valid = slots_[slot] == 0;
      const auto size = static_cast<size_t>(is_valid ? offsets[i + 1] - offsets[i] : 0);
      if (size > 0) {
        std::memcpy(out_bytes_ + out_offsets_[slot], BytesOf(array) + offsets[i], size);
      }
      out_offsets_[slot + 1] = out_offsets_[slot] + static_cast<Offset>(size);
    }
  }

  const Arrays& arrays_;
  std::span<const uint16_t> slots_;
  PageValues* values_;
  uint64_t num_bytes_ = 0;
  bool are_null_bytes_ = false;
  Offset* out_offsets_ = nullptr;
  std::byte* out_bytes_ = nullptr;
  uint64_t num_out_ = 0;
};

}  // namespace

void PageValues::UseStorage() {
  bytes = byte_storage.span();
  if (is_variable()) offsets = offset_storage.data();
}

arrow::Result<PageValues> CollectPlainValues(const ValueShape& shape, const Arrays& arrays,
                                             std::span<const uint16_t> slots,
                                             arrow::MemoryPool* pool) {
  PageValues values(pool);
  values.num_values = CountValues(arrays);
  values.bits_per_value = shape.bits_per_value;
  values.offset_bits = shape.offset_bits;
  LANCE_DCHECK(values.num_values > 0 && (slots.empty() || slots.size() == values.num_values));
  if (shape.is_variable()) {
    ARROW_RETURN_NOT_OK(shape.offset_bits == 64
                            ? VariableCollector<int64_t>(arrays, slots, &values).Collect()
                            : VariableCollector<int32_t>(arrays, slots, &values).Collect());
  } else if (shape.bits_per_value == 1) {
    CollectBits(arrays, slots, &values);
  } else {
    CollectBytes(arrays, slots, &values);
  }
  return values;
}

}  // namespace lance::format
