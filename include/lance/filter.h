#pragma once

#include <string>
#include <utility>

#include "arrow/status.h"
#include "arrow/type_fwd.h"

namespace lance {

/// A SQL condition over the columns of a table. A plain value: parsed and bound where it is used.
///
/// Dialect of this version: comparisons of expressions, AND, OR, NOT, [NOT] IN, [NOT] BETWEEN,
/// [NOT] LIKE, IS [NOT] NULL and IS [NOT] DISTINCT FROM; expressions have arithmetic, `||`, CAST,
/// nested fields, list elements and functions. Names are found exactly, else ignoring case when
/// unique; `` `a b` `` quotes a name, 'x' and "x" are text. See docs/guide/filters.md.
/// Source: zonemap-and-indices 11.2.
class Filter {
 public:
  /// Keep the text.
  Filter(std::string sql) : sql_(std::move(sql)) {}  // NOLINT: implicit on purpose
  /// Keep the text.
  Filter(const char* sql) : sql_(sql) {}  // NOLINT: implicit on purpose

  /// The text as given.
  const std::string& sql() const { return sql_; }
  /// Parse and bind. \return Invalid + FilterError: what was found, what is expected, and where
  arrow::Status Check(const arrow::Schema& schema) const;

 private:
  std::string sql_;
};

}  // namespace lance
