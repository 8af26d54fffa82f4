#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/index/zonemap.h"

namespace lance::index {

/// Write a ZoneMapIndexDetails message, every field that has a value (zonemap-and-indices 2.4).
std::string SerializeZonemapDetails(const ZonemapDetails& details);

/// Parse a ZoneMapIndexDetails message. Unknown fields are skipped.
///
/// \return SerializationError when it is not a message, or rows_per_zone is 0
arrow::Result<ZonemapDetails> ParseZonemapDetailsMessage(std::string_view bytes);

}  // namespace lance::index
