#include <algorithm>
#include <bit>
#include <string>

#include "lance/base/check.h"
#include "lance/format/encodings/codec.h"
#include "lance/format/encodings/out_of_line_bitpacking.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

constexpr uint32_t kLevelBits = 16;

uint64_t TotalPackedBytes(std::span<const uint64_t> chunk_sizes, uint32_t width) {
  uint64_t bytes = 0;
  for (const uint64_t num_levels : chunk_sizes) bytes += PackedLevelsBytes(num_levels, width);
  return bytes;
}

std::string EncodePlain(std::span<const uint16_t> levels) {
  return std::string(reinterpret_cast<const char*>(levels.data()), levels.size_bytes());
}

}  // namespace

EncodedLevels EncodeLevels(std::span<const uint16_t> levels,
                           std::span<const uint64_t> chunk_sizes) {
  uint16_t all_bits = 0;
  for (const uint16_t level : levels) all_bits |= level;
  const auto width = static_cast<uint32_t>(std::bit_width(all_bits));
  const bool pack = TotalPackedBytes(chunk_sizes, width) < levels.size_bytes();

  pb::CompressiveEncoding encoding;
  if (pack) {
    auto* bitpacking = encoding.mutable_out_of_line_bitpacking();
    bitpacking->set_uncompressed_bits_per_value(kLevelBits);
    bitpacking->mutable_values()->mutable_flat()->set_bits_per_value(width);
  } else {
    encoding.mutable_flat()->set_bits_per_value(kLevelBits);
  }
  EncodedLevels encoded;
  encoded.encoding = encoding.SerializeAsString();
  encoded.chunks.reserve(chunk_sizes.size());
  for (const uint64_t num_levels : chunk_sizes) {
    LANCE_DCHECK(num_levels <= levels.size());
    const auto chunk = levels.first(num_levels);
    encoded.chunks.push_back(pack ? PackLevels(chunk, width) : EncodePlain(chunk));
    levels = levels.subspan(num_levels);
  }
  LANCE_DCHECK(levels.empty());
  return encoded;
}

}  // namespace lance::format
