#pragma once

#include <vector>

#include "lance/format/encode/page_levels.h"
#include "lance/format/encode/page_values.h"
#include "lance/format/file_version.h"

namespace lance_pb::encodings21 {
class PageLayout;
}

namespace lance::format {

/// Write a page without any value that is there (file-format 8.3): from levels alone, or from
/// nothing when the leaf is the only layer.
///
/// \pre levels.num_valid == 0
/// \return the page's buffers
std::vector<ByteBuffer> WriteAllNull(const PageLevels& levels, FileVersion version,
                                     arrow::MemoryPool* pool,
                                     lance_pb::encodings21::PageLayout* layout);

/// Write a page of structs without members. \pre none is null
std::vector<ByteBuffer> WriteEmptyStructs(lance_pb::encodings21::PageLayout* layout);

/// Write a 2.2 page whose values that are there are all equal.
///
/// \pre AreAllEqual(values, levels.slots); no fixed-size lists, packed structs or dictionary codes
std::vector<ByteBuffer> WriteConstant(const PageLevels& levels, const PageValues& values,
                                      arrow::MemoryPool* pool,
                                      lance_pb::encodings21::PageLayout* layout);

/// The bytes of the buffers that WriteConstant makes, about.
uint64_t EstimateConstantBytes(const PageLevels& levels, const PageValues& values);

}  // namespace lance::format
