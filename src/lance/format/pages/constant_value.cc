#include "lance/format/pages/constant_value.h"

#include <cstdint>
#include <vector>

#include "lance/base/byte_reader.h"

namespace lance::format {
namespace {

arrow::Status AppendFixed(std::span<const std::byte> bytes, ValueBuffer* value) {
  const uint64_t expected = value->bits_per_value == 1 ? 1 : value->bits_per_value / 8;
  if (bytes.size() != expected) {
    return arrow::Status::SerializationError("has ", bytes.size(), " bytes, the type needs ",
                                             expected);
  }
  value->bytes.Append(bytes);
  if (value->bits_per_value == 1) {
    *value->bytes.data() = *value->bytes.data() != std::byte{0} ? std::byte{1} : std::byte{0};
  }
  value->num_values = 1;
  return arrow::Status::OK();
}

arrow::Status AppendVariable(std::span<const std::byte> offsets, std::span<const std::byte> bytes,
                             ValueBuffer* value) {
  const uint32_t offset_bytes = value->offset_bits / 8;
  if (offsets.size() != size_t{2} * offset_bytes) {
    return arrow::Status::SerializationError("its offsets have ", offsets.size(),
                                             " bytes, the type needs ", 2 * offset_bytes);
  }
  const auto load = [&](size_t i) -> uint64_t {
    const std::byte* const offset = offsets.data() + i * offset_bytes;
    return offset_bytes == sizeof(uint32_t) ? LoadLittleEndian<uint32_t>(offset)
                                            : LoadLittleEndian<uint64_t>(offset);
  };
  if (load(0) != 0 || load(1) != bytes.size()) {
    return arrow::Status::SerializationError("its offsets are ", load(0), " and ", load(1),
                                             ", it has ", bytes.size(), " bytes");
  }
  value->offsets.Append(offsets);
  value->bytes.Append(bytes);
  value->num_values = 1;
  return arrow::Status::OK();
}

}  // namespace

arrow::Status ParseInlineValue(std::span<const std::byte> bytes, ValueBuffer* value) {
  if (!value->is_variable()) return AppendFixed(bytes, value);
  return arrow::Status::SerializationError("is set, the column's values have no fixed width");
}

arrow::Status ParseStoredValue(std::span<const std::byte> bytes, ValueBuffer* value) {
  ByteReader in(bytes, "ConstantValue");
  const size_t expected = value->is_variable() ? 2 : 1;
  ARROW_ASSIGN_OR_RAISE(const auto num_buffers, in.Read<uint32_t>("number of buffers"));
  if (num_buffers != expected) {
    return in.Corrupt("number of buffers", "is ", num_buffers, ", the type needs ", expected);
  }
  std::vector<uint32_t> lengths(num_buffers);
  for (uint32_t& length : lengths) {
    ARROW_ASSIGN_OR_RAISE(length, in.Read<uint32_t>("length"));
  }
  std::vector<std::span<const std::byte>> buffers;
  for (const uint32_t length : lengths) {
    ARROW_ASSIGN_OR_RAISE(const auto buffer, in.Take(length, "buffer"));
    buffers.push_back(buffer);
  }
  ARROW_RETURN_NOT_OK(in.ExpectEnd());
  return value->is_variable() ? AppendVariable(buffers[0], buffers[1], value)
                              : AppendFixed(buffers[0], value);
}

}  // namespace lance::format
