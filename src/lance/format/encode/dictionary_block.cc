#include <cstring>
#include <optional>

#include "lance/base/byte_reader.h"
#include "lance/format/encode/general_compressor.h"
#include "lance/format/encode/value_dictionary.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// The items as one block, uncompressed.
std::string PlainBlock(const PageValues& items) {
  std::string block;
  if (!items.is_variable()) {
    block.assign(reinterpret_cast<const char*>(items.bytes.data()), items.bytes.size());
    return block;
  }
  const uint64_t width = items.offset_bits / 8;
  const uint64_t start = 2 * width + (items.num_values + 1) * width;
  block.reserve(start + items.num_bytes());
  const auto append = [&](uint64_t word) {
    block.append(reinterpret_cast<const char*>(&word), width);  // little-endian
  };
  append(items.offset_bits);
  append(start);
  for (uint64_t i = 0; i <= items.num_values; ++i) append(items.offset(i) - items.offset(0));
  if (items.num_bytes() > 0) {
    block.append(reinterpret_cast<const char*>(items.bytes.data()) + items.offset(0),
                 items.num_bytes());
  }
  return block;
}

void DescribePlainBlock(const PageValues& items, pb::CompressiveEncoding* encoding) {
  if (items.is_variable()) {
    encoding->mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(
        items.offset_bits);
  } else {
    encoding->mutable_flat()->set_bits_per_value(items.bits_per_value);
  }
}

/// A block and how it is encoded.
struct Block {
  pb::CompressiveEncoding encoding;
  std::string bytes;
};

/// Integers packed to the width of the largest. \return no value: that is not smaller
std::optional<Block> PackedBlock(const PageValues& items) {
  if (!IsIntegerWidth(items.bits_per_value)) return std::nullopt;
  const auto bits = static_cast<uint32_t>(items.bits_per_value);
  const uint64_t width = bits / 8;
  const uint32_t packed_bits = LargestBitWidth(bits, items.bytes);
  const uint64_t num_tail = items.num_values % kGroupValues;
  const bool packs_tail = PackedGroupBytes(packed_bits) < num_tail * width;
  const uint64_t tail_bytes = packs_tail ? PackedGroupBytes(packed_bits) : num_tail * width;
  const uint64_t num_groups = items.num_values / kGroupValues;
  if (packed_bits == bits ||
      num_groups * PackedGroupBytes(packed_bits) + tail_bytes >= items.bytes.size()) {
    return std::nullopt;
  }
  Block block;
  auto* const packing = block.encoding.mutable_out_of_line_bitpacking();
  packing->set_uncompressed_bits_per_value(bits);
  packing->mutable_values()->mutable_flat()->set_bits_per_value(packed_bits);
  const auto append = [&](const std::byte* group) {
    std::byte packed[PackedGroupBytes(64)];
    PackGroup(bits, packed_bits, group, packed);
    block.bytes.append(reinterpret_cast<const char*>(packed), PackedGroupBytes(packed_bits));
  };
  const std::byte* group = items.bytes.data();
  for (uint64_t i = 0; i < num_groups; ++i, group += kGroupValues * width) append(group);
  if (!packs_tail) {
    block.bytes.append(reinterpret_cast<const char*>(group), tail_bytes);
    return block;
  }
  std::byte padded[kGroupValues * 8] = {};
  std::memcpy(padded, group, num_tail * width);
  append(padded);
  return block;
}

/// \return no value: compressing does not make the block smaller, or must not be
arrow::Result<std::optional<Block>> CompressedBlock(const Block& plain,
                                                    const EncodingHints& hints) {
  std::optional<Block> block;
  if (hints.dict_compression == Compression::kNone ||
      plain.bytes.size() > static_cast<size_t>(INT32_MAX)) {
    return block;
  }
  ARROW_ASSIGN_OR_RAISE(
      const auto compressor,
      GeneralCompressor::Make(hints.dict_compression, hints.dict_compression_level));
  block.emplace();
  ARROW_RETURN_NOT_OK(compressor->Append(AsBytes(plain.bytes), &block->bytes));
  if (block->bytes.size() >= plain.bytes.size()) return std::nullopt;
  auto* const general = block->encoding.mutable_general();
  compressor->Describe(general->mutable_compression());
  *general->mutable_values() = plain.encoding;
  return block;
}

}  // namespace

arrow::Result<EncodedDictionary> EncodeDictionaryItems(const PageValues& items,
                                                       const EncodingHints& hints,
                                                       FileVersion version) {
  Block best;
  DescribePlainBlock(items, &best.encoding);
  best.bytes = PlainBlock(items);
  std::optional<Block> packed;
  std::optional<Block> compressed;
  if (version == FileVersion::k2_2) {  // 2.1: 0.39.0 aborts on packed dictionaries
    packed = PackedBlock(items);
    ARROW_ASSIGN_OR_RAISE(compressed, CompressedBlock(best, hints));
  }
  if (packed) best = *std::move(packed);
  if (compressed && compressed->bytes.size() < best.bytes.size()) best = *std::move(compressed);
  return EncodedDictionary{best.encoding.SerializeAsString(), std::move(best.bytes),
                           items.num_values};
}

}  // namespace lance::format
