#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/v20/array_encoding.h"

namespace lance::format::v20 {

/// The message type of 2.0 pages.
inline constexpr std::string_view kArrayEncodingType = "lance.encodings.ArrayEncoding";

/// Parse and check the description of a 2.0 page.
///
/// \return NotImplemented + UnsupportedFeature naming an encoding that we do not have;
///   SerializationError
arrow::Result<ArrayEncoding> ParseArrayEncoding(const PageMetadata& page);

/// The serialized Encoding message of a 2.0 page.
std::string SerializeArrayEncoding(const ArrayEncoding& encoding);

}  // namespace lance::format::v20
