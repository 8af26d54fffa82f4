#include "lance/format/pages/mini_block_chunk.h"

#include <numeric>
#include <string_view>

#include "lance/base/byte_reader.h"

namespace lance::format {
namespace {

constexpr uint64_t kChunkAlignment = 8;

// What 14.0.2 takes (file-format 8.1).
constexpr uint64_t kMaxRleLevels = 5'569'710;

uint64_t PaddingAfter(uint64_t size) {
  return (kChunkAlignment - size % kChunkAlignment) % kChunkAlignment;
}

/// Take a part of a chunk and the padding behind it.
arrow::Result<std::span<const std::byte>> TakePadded(ByteReader* in, uint64_t size,
                                                     std::string_view field) {
  ARROW_ASSIGN_OR_RAISE(const auto part, in->Take(size, field));
  ARROW_RETURN_NOT_OK(in->Take(PaddingAfter(in->offset()), "padding").status());
  return part;
}

}  // namespace

arrow::Status ParseMiniBlockChunk(std::span<const std::byte> bytes, const ChunkFormat& format,
                                  MiniBlockChunk* chunk) {
  ByteReader in(bytes, "MiniBlockChunk");
  ARROW_ASSIGN_OR_RAISE(chunk->claimed_num_levels, in.Read<uint16_t>("num_levels"));
  uint16_t rep_size = 0;
  uint16_t def_size = 0;
  if (format.has_rep) {
    ARROW_ASSIGN_OR_RAISE(rep_size, in.Read<uint16_t>("rep_size"));
  }
  if (format.has_def) {
    ARROW_ASSIGN_OR_RAISE(def_size, in.Read<uint16_t>("def_size"));
  }
  const size_t size_bytes = format.has_large_chunks ? sizeof(uint32_t) : sizeof(uint16_t);
  const auto num_buffers = static_cast<size_t>(format.num_buffers);
  ARROW_ASSIGN_OR_RAISE(const auto sizes, in.Take(num_buffers * size_bytes, "value_size"));
  ARROW_RETURN_NOT_OK(in.Take(PaddingAfter(in.offset()), "padding").status());
  ARROW_ASSIGN_OR_RAISE(chunk->rep, TakePadded(&in, rep_size, "repetition levels"));
  ARROW_ASSIGN_OR_RAISE(chunk->def, TakePadded(&in, def_size, "definition levels"));
  chunk->buffers.resize(num_buffers);
  for (size_t i = 0; i < num_buffers; ++i) {
    const std::byte* const raw = sizes.data() + i * size_bytes;
    const uint32_t size =
        format.has_large_chunks ? LoadLittleEndian<uint32_t>(raw) : LoadLittleEndian<uint16_t>(raw);
    ARROW_ASSIGN_OR_RAISE(chunk->buffers[i], TakePadded(&in, size, "values"));
  }
  return arrow::Status::OK();  // what is left over pads the chunk
}

arrow::Result<uint64_t> CountRleLevels(std::span<const std::byte> block,
                                       uint16_t claimed_num_levels) {
  ByteReader in(block, "Rle");
  ARROW_ASSIGN_OR_RAISE(const auto values_size, in.Read<uint64_t>("values size"));
  ARROW_RETURN_NOT_OK(in.Take(values_size, "values").status());
  ARROW_ASSIGN_OR_RAISE(const auto lengths, in.Take(in.remaining(), "run lengths"));
  const uint64_t num_levels = std::accumulate(
      lengths.begin(), lengths.end(), uint64_t{0},
      [](uint64_t sum, std::byte length) { return sum + std::to_integer<uint64_t>(length); });
  if (num_levels % (uint64_t{1} << 16) != claimed_num_levels || num_levels > kMaxRleLevels) {
    return in.Corrupt("run lengths", "the runs have ", num_levels, " levels, the chunk says ",
                      claimed_num_levels);
  }
  return num_levels;
}

}  // namespace lance::format
