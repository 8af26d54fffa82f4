#pragma once

#include <cstdint>

#include "arrow/status.h"
#include "lance/format/pages/read_leaf.h"

namespace lance::format {

/// Check descriptors of a leaf of blobs (v2) from one entry and value on, where they are not null.
///
///   kind u8 | position u64 | size u64 | blob_id u32 | blob_uri text
///
/// \return SerializationError for a range behind the file, a side file without number or an unknown
///   kind; NotImplemented + UnsupportedFeature for managed blobs
///
/// Source: file-format 8.6.1, 12.
arrow::Status CheckBlobDescriptors(const LeafColumn& column, uint64_t first_entry,
                                   uint64_t first_value, const LeafRequest& request);

}  // namespace lance::format
