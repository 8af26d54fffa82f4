#pragma once

#include <memory>
#include <string>
#include <utility>

#include "arrow/compute/type_fwd.h"
#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance {

/// A SQL condition over the columns of a table. A plain value: parsed and bound where it is used.
///
/// Dialect of this version: comparisons of expressions, AND, OR, NOT, [NOT] IN, [NOT] BETWEEN,
/// [NOT] LIKE, IS [NOT] NULL and IS [NOT] DISTINCT FROM; expressions have arithmetic, shifts, `||`,
/// CAST, nested fields, list elements, array literals and functions. Names are found exactly, else
/// ignoring case when unique; `` `a b` `` quotes a name, 'x' and "x" are text. See
/// docs/guide/filters.md. Source: zonemap-and-indices 11.2.
class Filter {
 public:
  /// Keep the text.
  Filter(std::string sql) : sql_(std::move(sql)) {}  // NOLINT: implicit on purpose
  /// Keep the text.
  Filter(const char* sql) : sql_(sql) {}  // NOLINT: implicit on purpose
  /// Write an expression over columns by name as SQL. What SQL has no words for is a problem().
  Filter(const arrow::compute::Expression& expression);  // NOLINT: implicit on purpose
  /// Read a Substrait extended expression with one expression, such as pyarrow's
  /// Expression.to_substrait gives.
  ///
  /// \return Invalid for bytes that are none; NotImplemented + UnsupportedFeature for what SQL has
  ///   no words for
  static arrow::Result<Filter> FromSubstrait(const std::shared_ptr<arrow::Buffer>& bytes);

  /// The text as given, or that of the expression.
  const std::string& sql() const { return sql_; }
  /// Why an expression cannot be used, which whoever uses it returns; OK for SQL.
  const arrow::Status& problem() const { return problem_; }
  /// Parse and bind. \return Invalid + FilterError: what was found, what is expected, and where
  arrow::Status Check(const arrow::Schema& schema) const;
  /// Canonical SQL; the text as given when it cannot be parsed.
  std::string ToString() const;

 private:
  std::string sql_;
  arrow::Status problem_;
};

}  // namespace lance
