#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"
#include "lance/dataset/filter/bound_expression.h"
#include "lance/dataset/filter/columns.h"

namespace lance::filter {

/// Check the types of a tree and convert its literals to the types of their columns.
///
/// \param sql the text that `expression` was parsed from, for errors
/// \param columns what ResolveColumns returned for this tree
/// \return Invalid with FilterError when the filter is not boolean or a literal does not fit;
///   NotImplemented with FilterError for types and combinations that this version lacks
/// Source: zonemap-and-indices 11.2.
arrow::Result<BoundExpression> BindFilter(std::string_view sql,
                                          const std::vector<FilterColumn>& columns,
                                          const Expression& expression);

/// Check the types of a tree that gives a value, and convert its literals.
///
/// \param type what the value is converted to, as by CAST; null: the type that the expression has
///   by itself
/// \return as BindFilter
arrow::Result<BoundValue> BindValueExpression(std::string_view sql,
                                              const std::vector<FilterColumn>& columns,
                                              const Expression& expression,
                                              const std::shared_ptr<arrow::DataType>& type);

}  // namespace lance::filter
