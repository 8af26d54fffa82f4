#pragma once

#include "arrow/result.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/pages/page_layout.h"

namespace lance::format {

/// Check a page's description against the grammar of its file's version and make its decoders.
///
/// \return SerializationError; NotImplemented + UnsupportedFeature naming a layout, encoding or
///   combination that we do not have
///
/// Source: file-format 1.3, 5, 8.
arrow::Result<PageLayout> ParsePageLayout(const PageMetadata& page, const LeafTarget& target);

}  // namespace lance::format
