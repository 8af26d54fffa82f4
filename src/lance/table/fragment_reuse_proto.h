#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arrow/result.h"
#include "lance/table/fragment_reuse.h"

namespace lance::table {

/// Where the content of a fragment-reuse entry is when it is not in the entry.
struct ExternalReuse {
  std::string path;  // below the entry's own folder
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// FragmentReuseIndexDetails (zonemap-and-indices 5.7): the serialized content itself, or its place.
using StoredReuse = std::variant<std::string, ExternalReuse>;

/// \return SerializationError
arrow::Result<StoredReuse> ParseReuseDetails(std::string_view bytes);

/// The bytes of FragmentReuseIndexDetails.
arrow::Result<std::string> SerializeReuseDetails(const StoredReuse& stored);

/// What an InlineContent message says.
struct ReuseContent {
  std::vector<ReuseVersion> versions;
  /// Fragments that transitions of format 1 name, as sources or destinations; no value: there are
  /// no transitions.
  std::optional<RoaringBitmap> transition_fragments;
};

/// Parse untrusted bytes. \return SerializationError naming what is wrong
arrow::Result<ReuseContent> ParseReuseContent(std::string_view bytes);

/// The inverse, of versions only.
arrow::Result<std::string> SerializeReuseContent(const std::vector<ReuseVersion>& versions);

}  // namespace lance::table
