#include "lance/format/encode/constant_page.h"

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/format/encode/level_codec.h"
#include "lance/format/encode/mini_block_writer.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

constexpr uint64_t kMaxInlineBytes = 32;

/// Append a buffer with some bytes.
void AddBuffer(std::span<const std::byte> bytes, arrow::MemoryPool* pool,
               std::vector<ByteBuffer>* buffers) {
  buffers->emplace_back(pool).Append(bytes);
}

void AddRawLevels(const PageLevels& levels, arrow::MemoryPool* pool,
                  std::vector<ByteBuffer>* buffers) {
  AddBuffer(std::as_bytes(levels.rep), pool, buffers);
  AddBuffer(std::as_bytes(levels.def), pool, buffers);
}

/// One stream of an all-null page of 2.2 as one block.
std::string EncodeStream(std::span<const uint16_t> levels, pb::CompressiveEncoding* encoding) {
  const LevelCodec codec(levels, levels.size(), FileVersion::k2_2);
  codec.Describe(encoding);
  std::string block;
  codec.AppendBlock(0, levels.size(), &block);
  return block;
}

/// The bytes of the value that all others equal, as Arrow has them.
std::string ConstantValue(const PageLevels& levels, const PageValues& values) {
  uint64_t first = 0;
  while (!levels.slots.empty() && levels.slots[first] != 0) ++first;
  if (values.bits_per_value == 1) {
    const std::byte bit = values.bytes[first / 8] >> (first % 8) & std::byte{1};
    return std::string(1, static_cast<char>(bit));
  }
  const auto value = values.value(first);
  return std::string(reinterpret_cast<const char*>(value.data()), value.size());
}

/// An Arrow array of one value: the number of its buffers, their sizes, and the buffers.
std::string ValueBufferOf(const std::string& value, const PageValues& values) {
  std::string buffer;
  if (!values.is_variable()) {
    AppendLittleEndian(uint32_t{1}, &buffer);
    AppendLittleEndian(static_cast<uint32_t>(value.size()), &buffer);
    return buffer + value;
  }
  const uint32_t width = values.offset_bits / 8;
  AppendLittleEndian(uint32_t{2}, &buffer);
  AppendLittleEndian(uint32_t{2 * width}, &buffer);
  AppendLittleEndian(static_cast<uint32_t>(value.size()), &buffer);
  const uint64_t offsets[] = {0, value.size()};
  for (const uint64_t offset : offsets) {
    buffer.append(reinterpret_cast<const char*>(&offset), width);  // little-endian
  }
  return buffer + value;
}

}  // namespace

std::vector<ByteBuffer> WriteAllNull(const PageLevels& levels, FileVersion version,
                                     arrow::MemoryPool* pool, pb::PageLayout* layout) {
  LANCE_DCHECK(levels.num_valid == 0);
  pb::ConstantLayout* const message = layout->mutable_constant_layout();
  SetLayers(levels, message);
  std::vector<ByteBuffer> buffers;
  if (levels.layers.kinds.size() == 1) return buffers;
  if (version != FileVersion::k2_2) {
    AddRawLevels(levels, pool, &buffers);
    return buffers;
  }
  std::string rep;
  std::string def;
  if (!levels.rep.empty()) {
    rep = EncodeStream(levels.rep, message->mutable_rep_compression());
    message->set_num_rep_values(levels.rep.size());
  }
  if (!levels.def.empty()) {
    def = EncodeStream(levels.def, message->mutable_def_compression());
    message->set_num_def_values(levels.def.size());
  }
  AddBuffer(AsBytes(rep), pool, &buffers);
  AddBuffer(AsBytes(def), pool, &buffers);
  return buffers;
}

std::vector<ByteBuffer> WriteEmptyStructs(pb::PageLayout* layout) {
  layout->mutable_constant_layout()->add_layers(pb::REPDEF_NULLABLE_ITEM);
  return {};
}

std::vector<ByteBuffer> WriteConstant(const PageLevels& levels, const PageValues& values,
                                      arrow::MemoryPool* pool, pb::PageLayout* layout) {
  pb::ConstantLayout* const message = layout->mutable_constant_layout();
  SetLayers(levels, message);
  const std::string value = ConstantValue(levels, values);
  std::vector<ByteBuffer> buffers;
  if (!values.is_variable() && value.size() <= kMaxInlineBytes) {
    message->set_inline_value(value);
  } else {
    AddBuffer(AsBytes(ValueBufferOf(value, values)), pool, &buffers);
  }
  if (levels.has_levels()) AddRawLevels(levels, pool, &buffers);
  return buffers;
}

uint64_t EstimateConstantBytes(const PageLevels& levels, const PageValues& values) {
  const uint64_t value_bytes =
      values.is_variable() ? values.num_bytes() / levels.num_valid : values.bits_per_value / 8;
  return value_bytes + levels.rep.size_bytes() + levels.def.size_bytes();
}

}  // namespace lance::format
