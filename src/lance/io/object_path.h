#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/status.h"
#include "lance/object_store.h"

namespace lance {

/// How the names of unfinished files begin; listings leave them out. Source: table-format 1.1.
inline constexpr std::string_view kTemporaryPrefix = ".tmp_";

/// Whether any component of an object path names an unfinished file.
bool IsTemporaryPath(std::string_view path);

/// Check every range against the size of its object. \return IOError naming path, range and size
arrow::Status CheckByteRanges(const std::string& path, const std::vector<ByteRange>& ranges,
                              uint64_t size_bytes);

/// The failure of a read or look that found no object.
arrow::Status ObjectNotFound(const std::string& path);

}  // namespace lance
