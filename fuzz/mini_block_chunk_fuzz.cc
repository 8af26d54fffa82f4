// The parts of a chunk of a mini-block page, and the run-length levels that say how many there are.

#include "fuzz/input.h"
#include "fuzz/target.h"
#include "lance/format/pages/mini_block_chunk.h"

namespace lance::format {
namespace {

/// Check that a part lies inside the chunk. Touches its ends.
void UsePart(std::span<const std::byte> part, std::span<const std::byte> chunk) {
  if (part.empty()) return;
  LANCE_FUZZ_CHECK(
      part.data() >= chunk.data() && part.data() + part.size() <= chunk.data() + chunk.size(),
      "parts lie inside the chunk");
}

}  // namespace
}  // namespace lance::format

LANCE_FUZZ_TARGET(mini_block_chunk) {
  lance::fuzz::Input in(input);
  lance::format::ChunkFormat format;
  format.has_rep = in.TakeBool();
  format.has_def = in.TakeBool();
  format.num_buffers = static_cast<int>(1 + in.TakeBelow(8));
  format.has_large_chunks = in.TakeBool();
  const auto bytes = lance::fuzz::ExactCopy(in.TakeRest());
  lance::format::MiniBlockChunk chunk;
  if (!lance::format::ParseMiniBlockChunk(bytes, format, &chunk).ok()) return;
  LANCE_FUZZ_CHECK(chunk.buffers.size() == static_cast<size_t>(format.num_buffers),
                   "buffers are all there");
  lance::format::UsePart(chunk.rep, bytes);
  lance::format::UsePart(chunk.def, bytes);
  for (const auto& buffer : chunk.buffers) lance::format::UsePart(buffer, bytes);
  (void)lance::format::CountRleLevels(chunk.rep, chunk.claimed_num_levels);
  (void)lance::format::CountRleLevels(chunk.def, chunk.claimed_num_levels);
}
