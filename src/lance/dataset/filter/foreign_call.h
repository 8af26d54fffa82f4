#pragma once

#include <string>
#include <vector>

#include "arrow/result.h"

namespace lance::filter {

// What expressions of Arrow and of Substrait have in common when they become SQL.

/// How deep an expression may nest, so that recursion over it is safe on any stack.
inline constexpr int kMaxForeignDepth = 400;

/// The SQL of a call by the name that Arrow or Substrait has for the function.
///
/// \param arguments the SQL of each
/// \return NotImplemented + UnsupportedFeature naming a function that the dialect has not
arrow::Result<std::string> CallSql(const std::string& name,
                                   const std::vector<std::string>& arguments);

/// The SQL of x IN (a, b). \param members may be empty: then nothing is in
std::string MembershipSql(const std::string& value, const std::vector<std::string>& members);

/// The SQL of what is chosen by whether a value is null. DuckDB asks so for x IN (a, b), which is
/// null by itself where x is: it stays IN, of which statistics can be asked.
std::string ChoiceByNullSql(const std::string& value, const std::string& if_valid,
                            const std::string& if_null);

/// The SQL of a member by its names, from the column on.
std::string PathSql(const std::vector<std::string>& names);

/// The error for a part of an expression that the dialect has not.
arrow::Status NoSqlFor(const std::string& part);

}  // namespace lance::filter
