#include "lance/format/page_encoder.h"

#include <utility>

#include "lance/base/status_detail.h"
#include "lance/format/encodings/codec.h"
#include "lance/format/mini_block_page.h"
#include "lance/format/page_layout_proto.h"

namespace lance::format {
namespace {

std::vector<uint64_t> ChunkSizes(const EncodedMiniBlocks& blocks) {
  std::vector<uint64_t> sizes;
  sizes.reserve(blocks.chunks.size());
  for (const EncodedChunk& chunk : blocks.chunks) sizes.push_back(chunk.num_values);
  return sizes;
}

}  // namespace

arrow::Result<EncodedPage> EncodePage(const PageValues& page, const ColumnType& type) {
  EncodedPage encoded;
  if (page.num_nulls == page.values.num_values) {
    encoded.encoding = SerializeAllNullLayout();
    return encoded;
  }
  const bool has_nulls = page.num_nulls > 0;
  const uint32_t level_bytes = has_nulls ? sizeof(uint16_t) : 0;
  ARROW_ASSIGN_OR_RAISE(EncodedMiniBlocks blocks,
                        EncodeMiniBlocks(page.values, level_bytes, type.offset_bits));
  EncodedLevels levels;
  if (has_nulls) levels = EncodeLevels(page.levels, ChunkSizes(blocks));
  if (has_nulls && levels.chunks.size() != blocks.chunks.size()) {
    return InternalError("levels and values of a page have different numbers of chunks");
  }
  MiniBlockBuffers buffers;
  for (size_t i = 0; i < blocks.chunks.size(); ++i) {
    ARROW_RETURN_NOT_OK(AppendMiniBlockChunk(blocks.chunks[i],
                                             has_nulls ? &levels.chunks[i] : nullptr,
                                             i + 1 == blocks.chunks.size(), &buffers));
    blocks.chunks[i].buffers.clear();  // it is in the page now; a page is in memory once, not twice
  }
  encoded.encoding = SerializeMiniBlockLayout({.value_encoding = blocks.encoding,
                                               .level_encoding = levels.encoding,
                                               .num_buffers = blocks.num_buffers,
                                               .num_items = page.values.num_values});
  encoded.buffers = {std::move(buffers.words), std::move(buffers.chunks)};
  return encoded;
}

}  // namespace lance::format
