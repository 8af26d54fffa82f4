#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/format/encode/page_levels.h"
#include "lance/format/encode/page_values.h"

namespace lance_pb::encodings21 {
class CompressiveEncoding;
class PageLayout;
}  // namespace lance_pb::encodings21

namespace lance::format {

/// Write a full-zip page: every value behind its levels (file-format 8.2).
///
/// \param values levels.num_visible values of whole bytes as they are to be stored, or of variable
///   width; bits of item validity come in front of a value's items, and are all there is when
///   are_items_null
/// \param encoding how each value is encoded already
/// \param[out] layout the page's message
/// \return the page's buffers; CapacityError when there are 2^32 levels
arrow::Result<std::vector<ByteBuffer>> WriteFullZip(
    const PageLevels& levels, const PageValues& values, const ValueShape& shape,
    const lance_pb::encodings21::CompressiveEncoding& encoding, arrow::MemoryPool* pool,
    lance_pb::encodings21::PageLayout* layout);

}  // namespace lance::format
