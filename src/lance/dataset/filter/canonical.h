#pragma once

#include <string>

#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// Write a tree as SQL: keywords in upper case, one blank between tokens, parentheses only where
/// the tree needs them. Parsing the text gives the same tree.
std::string CanonicalSql(const Expression& expression);

/// Write a literal as SQL.
std::string CanonicalLiteral(const Literal& literal);

/// Write a column's name as SQL, in backticks where it needs them.
std::string CanonicalIdentifier(const std::string& name);

}  // namespace lance::filter
