#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"

namespace lance::filter {

/// Whether a text matches a pattern of LIKE: % for any characters, _ for one, and an escape before
/// either.
bool MatchesLike(std::string_view text, std::string_view pattern, char escape);

/// The same pattern with a backslash as its escape. \return Invalid when it ends in its escape
arrow::Result<std::string> WithBackslash(std::string_view pattern, std::string_view escape);

}  // namespace lance::filter
