#pragma once

#include <cstdint>
#include <string>

#include "arrow/result.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/page_layout.h"

namespace lance::format {

/// Check a page's description against the grammar of format 2.1 and make its decoders.
///
/// \param bits_per_value the width of the column's type, 0: variable width
/// \return NotImplemented + UnsupportedFeature naming a layout, layer or encoding that we do not
///   have; SerializationError
arrow::Result<PageLayout> ParsePageLayout(const PageMetadata& page, uint32_t bits_per_value);

/// The parts of a mini-block page that its description names. A plain value.
struct MiniBlockDescription {
  /// Serialized CompressiveEncoding messages; no level encoding: the page has no nulls.
  std::string value_encoding;
  std::string level_encoding;
  int num_buffers = 1;
  uint64_t num_items = 0;
};

/// The serialized Encoding message of a mini-block page.
std::string SerializeMiniBlockLayout(const MiniBlockDescription& page);

/// The serialized Encoding message of a page whose rows are all null.
std::string SerializeAllNullLayout();

}  // namespace lance::format
