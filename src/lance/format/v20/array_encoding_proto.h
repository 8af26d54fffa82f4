#pragma once

#include <cstdint>
#include <string>

#include "arrow/result.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/v20/array_encoding.h"

namespace lance::format::v20 {

/// Parse and check the description of a 2.0 page.
///
/// \return NotImplemented + UnsupportedFeature naming an encoding that we do not have;
///   SerializationError
arrow::Result<ArrayEncoding> ParseArrayEncoding(const PageMetadata& page);

/// The serialized Encoding message of a 2.0 page.
std::string SerializeArrayEncoding(const ArrayEncoding& encoding);

/// Where the values of a column are.
enum class ColumnKind : uint8_t {
  kValues,  // in its pages
  kBlob,    // its pages say where in the file
};

/// Parse a serialized Encoding message of a column.
///
/// \return NotImplemented + UnsupportedFeature naming a zone index; SerializationError
arrow::Result<ColumnKind> ParseColumnKind(const std::string& encoding);

/// The serialized Encoding message of a column.
std::string SerializeColumnKind(ColumnKind kind);

}  // namespace lance::format::v20
