#pragma once

#include <string_view>

#include "arrow/result.h"
#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// What the dialect allows at present, for messages.
inline constexpr const char* kAllowedNow =
    "allowed now: = <> < <= > >=, AND, OR, NOT, IN, BETWEEN, LIKE, ILIKE, IS NULL, IS TRUE, "
    "IS FALSE, IS DISTINCT FROM, + - * / %, << >>, ||, CAST, TRY_CAST, a.b, a['b'], a[1], [1, 2] "
    "and function calls";

/// How deep parentheses, NOT and minus may nest, so that recursion is safe on any stack.
inline constexpr int kMaxNesting = 500;

/// Parse one SQL expression; text after a ';' is ignored.
///
/// Columns are not looked up and types not checked.
///
/// \return the tree; Invalid with FilterError for text that is no such expression, is empty or
///   nests too deep; NotImplemented with FilterError for parts of the dialect that this version
///   lacks
/// Source: zonemap-and-indices 11.2.
arrow::Result<ExpressionPtr> ParseFilter(std::string_view sql);

}  // namespace lance::filter
