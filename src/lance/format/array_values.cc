#include "lance/format/array_values.h"

#include <algorithm>
#include <cstring>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "lance/base/checked_math.h"
#include "lance/format/array_assembler.h"

namespace lance::format {
namespace {

/// The bytes of a variable-width array.
const uint8_t* BytesOf(const arrow::Array& array) {
  const auto& buffer = array.data()->buffers[2];
  return buffer != nullptr ? buffer->data() : nullptr;
}

/// Position `row` of the bytes of a variable-width array; `row` may be its length.
uint64_t OffsetAt(const arrow::Array& array, const ColumnType& type, int64_t row) {
  if (array.length() == 0) return 0;  // such arrays may lack the buffer
  if (type.offset_bits == 64) {
    return static_cast<uint64_t>(array.data()->GetValues<int64_t>(1)[row]);
  }
  return static_cast<uint64_t>(array.data()->GetValues<int32_t>(1)[row]);
}

void AppendVariable(const arrow::Array& array, const ColumnType& type, ValueBuffer* values) {
  const uint8_t* const bytes = BytesOf(array);
  const bool has_nulls = array.null_count() > 0;
  for (int64_t i = 0; i < array.length(); ++i) {
    const uint64_t begin = OffsetAt(array, type, i);
    const uint64_t end = OffsetAt(array, type, i + 1);
    if (end > begin && !(has_nulls && array.IsNull(i))) {
      values->bytes.append(reinterpret_cast<const char*>(bytes) + begin, end - begin);
    }
    values->offsets.push_back(values->bytes.size());
  }
}

void AppendFixed(const arrow::Array& array, ValueBuffer* values) {
  if (array.length() == 0) return;
  const uint8_t* const data = array.data()->buffers[1]->data();
  if (values->bits_per_value == 1) {
    values->bytes.resize(CeilDiv(values->num_values + static_cast<uint64_t>(array.length()), 8));
    arrow::internal::CopyBitmap(data, array.offset(), array.length(),
                                reinterpret_cast<uint8_t*>(values->bytes.data()),
                                static_cast<int64_t>(values->num_values));
    return;
  }
  const size_t width = values->bits_per_value / 8;
  values->bytes.append(
      reinterpret_cast<const char*>(data) + static_cast<size_t>(array.offset()) * width,
      static_cast<size_t>(array.length()) * width);
}

void CopyValue(uint64_t from, uint64_t to, ValueBuffer* values) {
  if (values->bits_per_value == 1) {
    auto* bits = reinterpret_cast<uint8_t*>(values->bytes.data());
    arrow::bit_util::SetBitTo(bits, static_cast<int64_t>(to),
                              arrow::bit_util::GetBit(bits, static_cast<int64_t>(from)));
    return;
  }
  const size_t width = values->bits_per_value / 8;
  std::memcpy(values->bytes.data() + to * width, values->bytes.data() + from * width, width);
}

/// Overwrite the slots of null rows. \pre some row is valid
void FillNullSlots(const std::vector<uint16_t>& levels, ValueBuffer* values) {
  uint64_t valid = static_cast<uint64_t>(std::ranges::find(levels, 0) - levels.begin());
  for (uint64_t i = 0; i < levels.size(); ++i) {
    if (levels[i] == 0) {
      valid = i;
    } else {
      CopyValue(valid, i, values);
    }
  }
}

}  // namespace

PageValues CollectPageValues(const std::vector<std::shared_ptr<arrow::Array>>& arrays,
                             const ColumnType& type) {
  PageValues page;
  page.values.bits_per_value = type.bits_per_value;
  if (type.is_variable()) page.values.offsets.push_back(0);
  for (const auto& array : arrays) {
    page.num_nulls += static_cast<uint64_t>(array->null_count());
    if (type.is_variable()) {
      AppendVariable(*array, type, &page.values);
    } else {
      AppendFixed(*array, &page.values);
    }
    page.values.num_values += static_cast<uint64_t>(array->length());
  }
  if (page.num_nulls == 0) return page;
  page.levels.reserve(page.values.num_values);
  for (const auto& array : arrays) {
    for (int64_t i = 0; i < array->length(); ++i) page.levels.push_back(array->IsNull(i) ? 1 : 0);
  }
  if (!type.is_variable() && page.num_nulls < page.values.num_values) {
    FillNullSlots(page.levels, &page.values);
  }
  return page;
}

uint64_t EstimateBytes(const arrow::Array& array, const ColumnType& type) {
  const auto num_rows = static_cast<uint64_t>(array.length());
  const uint64_t validity = array.null_count() > 0 ? CeilDiv(num_rows, 8) : 0;
  if (!type.is_variable()) return validity + CeilDiv(num_rows * type.bits_per_value, 8);
  return validity + num_rows * (type.offset_bits / 8) + OffsetAt(array, type, array.length()) -
         OffsetAt(array, type, 0);
}

int64_t RowsWithin(const arrow::Array& array, const ColumnType& type, uint64_t max_bytes) {
  int64_t low = 1;
  int64_t high = array.length();
  if (!type.is_variable()) {
    const uint64_t rows = max_bytes * 8 / type.bits_per_value;
    return std::clamp(static_cast<int64_t>(rows), low, high);
  }
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    const uint64_t bytes = static_cast<uint64_t>(middle) * (type.offset_bits / 8) +
                           OffsetAt(array, type, middle) - OffsetAt(array, type, 0);
    if (bytes <= max_bytes) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

bool KeepsMuchMore(const arrow::Array& array, const ColumnType& type) {
  constexpr uint64_t kFixedCost = 4096;
  uint64_t kept = 0;
  for (const auto& buffer : array.data()->buffers) {
    if (buffer != nullptr) kept += static_cast<uint64_t>(buffer->size());
  }
  return kept > 2 * EstimateBytes(array, type) + kFixedCost;
}

bool IsTextUtf8(const arrow::Array& array, const ColumnType& type) {
  if (array.length() == 0) return true;
  std::vector<uint64_t> offsets(static_cast<size_t>(array.length()) + 1);
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = OffsetAt(array, type, static_cast<int64_t>(i));
  }
  if (offsets.back() == offsets.front()) return true;
  return AreValuesUtf8(BytesOf(array), offsets.data(), offsets.size() - 1);
}

}  // namespace lance::format
