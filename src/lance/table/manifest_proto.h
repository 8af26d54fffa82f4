#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// Positions of the sections that a manifest message refers to, of their lengths in the file. 0 is
/// a position like any other.
struct SectionPositions {
  std::optional<uint64_t> index_section;
  /// Field 23, else field 21 when read; field 23 when written.
  std::optional<uint64_t> transaction_section;
};

/// A manifest message, parsed and checked.
struct ParsedManifest {
  Manifest manifest;  // without its indices
  SectionPositions positions;
};

/// Check and take over a manifest message (table-format 2.3, 11).
///
/// \return SerializationError naming the part and what is wrong; NotImplemented for a data version
///   that nobody knows yet
arrow::Result<ParsedManifest> ParseManifestMessage(std::string_view bytes);

/// The inverse of ParseManifestMessage.
arrow::Result<std::string> SerializeManifestMessage(const Manifest& manifest,
                                                    const SectionPositions& positions);

/// Check and take over an index section.
arrow::Result<std::vector<IndexMetadata>> ParseIndexSection(std::string_view bytes);

/// The inverse of ParseIndexSection.
arrow::Result<std::string> SerializeIndexSection(const std::vector<IndexMetadata>& indices);

}  // namespace lance::table
