#include "lance/format/array_assembler.h"

#include <cstring>
#include <limits>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/bitmap_ops.h"
#include "arrow/util/utf8.h"
#include "lance/base/byte_reader.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"

namespace lance::format {
namespace {

const uint8_t* BytesOf(const ValueBuffer& values) {
  return reinterpret_cast<const uint8_t*>(values.bytes.data());
}

bool IsLevelValid(const ValueBuffer& levels, uint64_t row) {
  uint16_t level;
  std::memcpy(&level, levels.bytes.data() + row * sizeof(level), sizeof(level));
  return level == 0;
}

void AppendBits(const ValueBuffer& from, ChunkRows rows, ValueBuffer* to) {
  to->bytes.resize(CeilDiv(to->num_values + rows.count, 8));
  arrow::internal::CopyBitmap(
      BytesOf(from), static_cast<int64_t>(rows.begin), static_cast<int64_t>(rows.count),
      reinterpret_cast<uint8_t*>(to->bytes.data()), static_cast<int64_t>(to->num_values));
}

void AppendVariable(const ValueBuffer& from, ChunkRows rows, ValueBuffer* to) {
  const uint64_t first = from.offsets[rows.begin];
  const uint64_t last = from.offsets[rows.begin + rows.count];
  const uint64_t base = to->bytes.size();
  for (uint64_t i = 1; i <= rows.count; ++i) {
    to->offsets.push_back(base + from.offsets[rows.begin + i] - first);
  }
  to->bytes.append(from.bytes, first, last - first);
}

template <typename Offset>
void NarrowOffsets(const std::vector<uint64_t>& offsets, uint8_t* out) {
  auto* narrow = reinterpret_cast<Offset*>(out);
  for (size_t i = 0; i < offsets.size(); ++i) narrow[i] = static_cast<Offset>(offsets[i]);
}

}  // namespace

bool AreValuesUtf8(const uint8_t* bytes, const uint64_t* offsets, uint64_t num_values) {
  arrow::util::InitializeUTF8();
  const uint64_t first = offsets[0];
  const uint64_t last = offsets[num_values];
  if (!arrow::util::ValidateUTF8(bytes + first, static_cast<int64_t>(last - first))) return false;
  // All bytes together are UTF-8. So is each value, unless one begins inside a character.
  for (uint64_t i = 0; i < num_values; ++i) {
    if (offsets[i] < last && (bytes[offsets[i]] & 0xC0) == 0x80) return false;
  }
  return true;
}

ArrayAssembler::ArrayAssembler(ColumnType type, arrow::MemoryPool* pool)
    : type_(std::move(type)), pool_(pool), validity_(pool) {
  values_.bits_per_value = type_.bits_per_value;
  if (type_.is_variable()) values_.offsets.push_back(0);
}

void ArrayAssembler::AppendValues(const ValueBuffer& chunk, ChunkRows rows) {
  if (type_.is_variable()) {
    AppendVariable(chunk, rows, &values_);
  } else if (type_.bits_per_value == 1) {
    AppendBits(chunk, rows, &values_);
  } else {
    const uint64_t width = type_.bits_per_value / 8;
    values_.bytes.append(chunk.bytes, rows.begin * width, rows.count * width);
  }
  values_.num_values += rows.count;
}

arrow::Status ArrayAssembler::AppendFromDictionary(const ValueBuffer& dictionary,
                                                   const ValueBuffer& indices,
                                                   const ValueBuffer* levels, ChunkRows rows) {
  const auto raw = AsBytes(indices.bytes);
  for (uint64_t i = rows.begin; i < rows.begin + rows.count; ++i) {
    if (levels != nullptr && !IsLevelValid(*levels, i)) {
      AppendNullValues(1);
      continue;
    }
    const uint64_t index = LoadLittleEndian<uint32_t>(raw.data() + i * sizeof(uint32_t));
    if (index >= dictionary.num_values) {
      return arrow::Status::SerializationError("dictionary index is ", index,
                                               ", the page's dictionary has ",
                                               dictionary.num_values, " items");
    }
    AppendValues(dictionary, {index, 1});
  }
  return arrow::Status::OK();
}

void ArrayAssembler::AppendNullValues(uint64_t count) {
  if (type_.is_variable()) {
    values_.offsets.insert(values_.offsets.end(), count, values_.bytes.size());
  } else {
    // Bits above the last bool are not cleared by whoever appended them; Arrow ignores null slots.
    values_.bytes.resize(CeilDiv((values_.num_values + count) * type_.bits_per_value, 8));
  }
  values_.num_values += count;
}

arrow::Status ArrayAssembler::AppendValidity(bool is_valid, uint64_t count) {
  if (!is_valid && validity_.length() == 0) {
    ARROW_RETURN_NOT_OK(validity_.Append(static_cast<int64_t>(num_rows_), true));
  }
  if (!is_valid || validity_.length() > 0) {
    ARROW_RETURN_NOT_OK(validity_.Append(static_cast<int64_t>(count), is_valid));
  }
  num_rows_ += count;
  return arrow::Status::OK();
}

arrow::Status ArrayAssembler::AppendValidity(const ValueBuffer& levels, ChunkRows rows) {
  if (validity_.length() == 0) {
    ARROW_RETURN_NOT_OK(validity_.Append(static_cast<int64_t>(num_rows_), true));
  }
  ARROW_RETURN_NOT_OK(validity_.Reserve(static_cast<int64_t>(rows.count)));
  for (uint64_t i = rows.begin; i < rows.begin + rows.count; ++i) {
    validity_.UnsafeAppend(IsLevelValid(levels, i));
  }
  num_rows_ += rows.count;
  return arrow::Status::OK();
}

/// The decoders are ours, but what Arrow does with a wrong offset is worse than an error.
arrow::Status ArrayAssembler::CheckValues() const {
  const bool fits = type_.is_variable()
                        ? values_.offsets.size() == num_rows_ + 1 &&
                              values_.offsets.back() == values_.bytes.size()
                        : values_.bytes.size() == CeilDiv(num_rows_ * type_.bits_per_value, 8);
  if (fits && values_.num_values == num_rows_) return arrow::Status::OK();
  return InternalError("decoding gave " + std::to_string(values_.num_values) + " values for " +
                       std::to_string(num_rows_) + " rows");
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ArrayAssembler::FinishOffsets() {
  const bool is_wide = type_.offset_bits == 64;
  if (!is_wide && values_.bytes.size() > std::numeric_limits<int32_t>::max()) {
    return arrow::Status::CapacityError("the rows have ", values_.bytes.size(), " bytes, type ",
                                        type_.type->ToString(),
                                        " holds 2147483647 in one array; read fewer rows at once");
  }
  const auto count = static_cast<int64_t>(values_.offsets.size());
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(count * (type_.offset_bits / 8), pool_));
  if (is_wide) {
    NarrowOffsets<int64_t>(values_.offsets, buffer->mutable_data());
  } else {
    NarrowOffsets<int32_t>(values_.offsets, buffer->mutable_data());
  }
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ArrayAssembler::FinishValidity() {
  if (validity_.false_count() == 0) return nullptr;
  return validity_.Finish();
}

arrow::Result<std::shared_ptr<arrow::Array>> ArrayAssembler::Finish() {
  ARROW_RETURN_NOT_OK(CheckValues());
  const int64_t null_count = validity_.false_count();
  ARROW_ASSIGN_OR_RAISE(auto validity, FinishValidity());
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = {std::move(validity)};
  if (type_.is_variable()) {
    if (type_.is_text &&
        !AreValuesUtf8(BytesOf(values_), values_.offsets.data(), values_.num_values)) {
      return arrow::Status::SerializationError("a text value is not UTF-8");
    }
    ARROW_ASSIGN_OR_RAISE(auto offsets, FinishOffsets());
    buffers.push_back(std::move(offsets));
  }
  buffers.push_back(arrow::Buffer::FromString(std::move(values_.bytes)));
  return arrow::MakeArray(arrow::ArrayData::Make(type_.type, static_cast<int64_t>(num_rows_),
                                                 std::move(buffers), null_count));
}

}  // namespace lance::format
