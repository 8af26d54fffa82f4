#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"

namespace lance {

/// Where a table is, as its caller wrote it, taken apart. A plain value.
struct TableUri {
  std::string scheme;    // lower case; "" for a plain path
  std::string location;  // what follows "://", still encoded; the path itself for a plain path
};

/// Take a URI apart. Without "://", or with what cannot be a scheme before it, it is a plain path.
///
/// A scheme has at least two characters, so that `c://x` stays a path.
TableUri SplitTableUri(std::string_view uri);

/// Decode %XX once. \return Invalid, naming `uri`, for other uses of '%' and for %00
arrow::Result<std::string> PercentDecode(std::string_view text, std::string_view uri);

/// Encode all but letters, digits and "-_.~/".
std::string PercentEncode(std::string_view text);

/// The path that a file URI's location names: no host but localhost, decoded once.
arrow::Result<std::string> FilePathOf(const TableUri& uri);

/// Make a path absolute and lexically normal, without trailing '/'. \return Invalid when empty
arrow::Result<std::string> NormalizeLocalPath(const std::string& path);

}  // namespace lance
