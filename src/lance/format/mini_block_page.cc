#include "lance/format/mini_block_page.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>
#include <utility>

#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"

namespace lance::format {
namespace {

constexpr uint64_t kChunkAlignment = 8;
constexpr char kPadByte = '\xFE';  // what the reference pads chunks with; readers ignore it

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

void AppendPadding(std::string* out) { out->append(PaddingAfter(out->size()), kPadByte); }

}  // namespace

size_t ChunkTable::ChunkOfRow(uint64_t row) const {
  const auto after = std::ranges::upper_bound(starts_, row, {}, &Start::row);
  return static_cast<size_t>(after - starts_.begin()) - 1;
}

arrow::Result<ChunkTable> ParseChunkTable(std::span<const std::byte> words, uint64_t num_rows,
                                          uint64_t chunk_bytes) {
  ByteReader in(words, "ChunkWords");
  const size_t num_chunks = words.size() / sizeof(uint16_t);
  if (num_chunks == 0) return in.Corrupt("word", "there is none for ", num_rows, " rows");
  std::vector<ChunkTable::Start> starts(num_chunks + 1);
  for (size_t i = 0; i < num_chunks; ++i) {
    ARROW_ASSIGN_OR_RAISE(const auto word, in.Read<uint16_t>("word"));
    const bool is_last = i + 1 == num_chunks;
    const int log_values = word & 15;
    if (log_values == 0 && !is_last) {
      return in.Corrupt("word", "chunk ", i, " of ", num_chunks, " has one value, allowed are 2 ",
                        "and more for all but the last");
    }
    // Neither sum can wrap: both grow by less than 2^16 for every 2 bytes of `words`.
    starts[i + 1].byte = starts[i].byte + (uint64_t{word} / 16 + 1) * kChunkAlignment;
    starts[i + 1].row = starts[i].row + (uint64_t{1} << log_values);
    if (is_last) starts[i + 1].row = num_rows;
    if (starts[i + 1].row <= starts[i].row || starts[i + 1].row > num_rows) {
      return in.Corrupt("word", "chunk ", i, " of ", num_chunks, " begins at row ", starts[i].row,
                        " and ends at row ", starts[i + 1].row, ", the page has ", num_rows,
                        " rows");
    }
  }
  ARROW_RETURN_NOT_OK(in.ExpectEnd());
  if (starts[num_chunks].byte != chunk_bytes) {
    return in.Corrupt("word", "the chunks have ", starts[num_chunks].byte,
                      " bytes together, their buffer has ", chunk_bytes);
  }
  return ChunkTable(std::move(starts));
}

arrow::Status ParseMiniBlockChunk(std::span<const std::byte> bytes, bool has_levels,
                                  int num_buffers, MiniBlockChunk* chunk) {
  ByteReader in(bytes, "MiniBlockChunk");
  ARROW_ASSIGN_OR_RAISE(chunk->num_levels, in.Read<uint16_t>("num_levels"));
  uint16_t level_size = 0;
  if (has_levels) {
    ARROW_ASSIGN_OR_RAISE(level_size, in.Read<uint16_t>("def_size"));
  }
  ARROW_ASSIGN_OR_RAISE(
      const auto raw_sizes,
      in.Take(sizeof(uint16_t) * static_cast<uint64_t>(num_buffers), "value_size"));
  ARROW_RETURN_NOT_OK(in.Take(PaddingAfter(in.offset()), "padding").status());
  ARROW_ASSIGN_OR_RAISE(chunk->levels, TakePadded(&in, level_size, "levels"));
  chunk->buffers.clear();
  for (int i = 0; i < num_buffers; ++i) {
    const auto size = LoadLittleEndian<uint16_t>(raw_sizes.data() + sizeof(uint16_t) * i);
    ARROW_ASSIGN_OR_RAISE(const auto buffer, TakePadded(&in, size, "values"));
    chunk->buffers.push_back(buffer);
  }
  return arrow::Status::OK();  // what is left over pads the chunk
}

arrow::Status AppendMiniBlockChunk(const EncodedChunk& chunk, const std::string* levels,
                                   bool is_last, MiniBlockBuffers* page) {
  uint64_t size = sizeof(uint16_t) * (1 + (levels != nullptr ? 1 : 0) + chunk.buffers.size());
  size += PaddingAfter(size);
  if (levels != nullptr) size += levels->size() + PaddingAfter(levels->size());
  for (const std::string& buffer : chunk.buffers)
    size += buffer.size() + PaddingAfter(buffer.size());
  if (size > kMaxChunkBytes) {
    return arrow::Status::CapacityError("a chunk of ", chunk.num_values, " values has ", size,
                                        " bytes, allowed are ", kMaxChunkBytes);
  }
  if (!is_last && (chunk.num_values < 2 || !std::has_single_bit(chunk.num_values))) {
    return InternalError("a chunk before the last has " + std::to_string(chunk.num_values) +
                         " values, which is not a power of two");
  }
  if (levels != nullptr && chunk.num_values > std::numeric_limits<uint16_t>::max()) {
    return InternalError("a chunk has " + std::to_string(chunk.num_values) +
                         " levels, more than its 16-bit count holds");
  }
  // 16-bit fields suffice: each part is smaller than the chunk. Chunks begin at multiples of 8 in
  // `chunks`, so padding counted from its beginning is padding counted from the chunk's.
  std::string* out = &page->chunks;
  const uint64_t num_levels = levels != nullptr ? chunk.num_values : 0;
  AppendLittleEndian(static_cast<uint16_t>(num_levels), out);
  if (levels != nullptr) AppendLittleEndian(static_cast<uint16_t>(levels->size()), out);
  for (const std::string& buffer : chunk.buffers) {
    AppendLittleEndian(static_cast<uint16_t>(buffer.size()), out);
  }
  AppendPadding(out);
  if (levels != nullptr) {
    out->append(*levels);
    AppendPadding(out);
  }
  for (const std::string& buffer : chunk.buffers) {
    out->append(buffer);
    AppendPadding(out);
  }
  const int log_values = is_last ? 0 : std::countr_zero(chunk.num_values);
  const uint64_t word = ((size / kChunkAlignment - 1) << 4) | static_cast<uint64_t>(log_values);
  AppendLittleEndian(static_cast<uint16_t>(word), &page->words);
  return arrow::Status::OK();
}

}  // namespace lance::format
