#pragma once

#include <string>
#include <string_view>

#include "arrow/status.h"
#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// Build the error for one place of a filter: the message, then the text with a caret under the
/// place.
///
/// \param code Invalid, or NotImplemented for what the dialect has and this version has not
/// \return a status with a FilterError detail
arrow::Status FilterProblem(arrow::StatusCode code, std::string_view sql, Span place,
                            const std::string& message);

/// Cut `text` to 64 bytes at the boundary of a character, marking the cut with "...".
std::string Shorten(std::string_view text);

}  // namespace lance::filter
