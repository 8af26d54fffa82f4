#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/format/encode/chunk_encoder.h"
#include "lance/format/encode/encoding_hints.h"
#include "lance/format/encode/page_levels.h"

namespace lance_pb::encodings21 {
class PageLayout;
}

namespace lance::format {

/// What encodings are chosen for and by. Borrows the hints.
struct EncodingRequest {
  FileVersion version;
  const EncodingHints& hints;
  arrow::MemoryPool* pool;
};

/// The dictionary of a page whose values are indices. A plain value.
struct EncodedDictionary {
  /// Serialized CompressiveEncoding.
  std::string encoding;
  std::string bytes;
  uint64_t num_items = 0;
};

/// Write a mini-block page (file-format 8.1).
///
/// Every chunk but the last holds a power of two of at least 2 values, and stays within 32 KiB
/// (2.1) or 1 MiB (2.2) and 65 535 levels.
///
/// \param values levels.num_visible values, one or more
/// \param dictionary null: the values are not indices
/// \param[out] layout the page's message
/// \return the page's buffers; CapacityError when two values and their levels do not fit a chunk
arrow::Result<std::vector<ByteBuffer>> WriteMiniBlocks(const PageLevels& levels,
                                                       const ChunkEncoder& values,
                                                       const EncodedDictionary* dictionary,
                                                       const EncodingRequest& request,
                                                       lance_pb::encodings21::PageLayout* layout);

/// Estimate what the levels of a mini-block page take.
uint64_t EstimateLevelBytes(const PageLevels& levels, FileVersion version);

/// Set the layers of a page message.
template <typename Layout>
void SetLayers(const PageLevels& levels, Layout* layout) {
  using Layers = std::remove_pointer_t<decltype(layout->mutable_layers())>;
  for (const LayerKind kind : levels.layers.kinds) {
    layout->mutable_layers()->Add(static_cast<typename Layers::value_type>(kind));
  }
}

}  // namespace lance::format
