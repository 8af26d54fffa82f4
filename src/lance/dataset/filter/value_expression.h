#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/columns.h"
#include "lance/format/schema.h"

namespace lance::filter {

/// A SQL expression that gives a value for each row, checked against a schema: what an update sets
/// a column to, or a new column holds. Immutable.
///
/// The dialect is that of filters. Source: zonemap-and-indices 11.2.
class ValueExpression {
 public:
  /// Parse `sql`, look up its columns and convert its literals.
  ///
  /// \param type what the value is converted to, as by CAST; null: the type that the expression has
  ///   by itself
  /// \return Invalid with a FilterError detail when the text is wrong for this schema,
  ///   NotImplemented with the same detail for what this version lacks
  static arrow::Result<ValueExpression> Make(std::string_view sql,
                                             const format::LanceSchema& schema,
                                             std::shared_ptr<arrow::DataType> type = nullptr);

  /// The top-level columns that Evaluate needs, spelled as in the schema, each once.
  const std::vector<std::string>& column_names() const;
  /// The same with what is used of them.
  const std::vector<FilterColumn>& columns() const;

  /// The type of the values; null() for a bare NULL without a type to convert to.
  const std::shared_ptr<arrow::DataType>& type() const;

  /// Give the value of each row.
  ///
  /// \param batch has at least the columns of columns(), with the schema's types or those parts
  /// \return an array of type(), as long as the batch; Invalid when a row fails: a cast, a division
  ///   by zero
  arrow::Result<std::shared_ptr<arrow::Array>> Evaluate(const arrow::RecordBatch& batch) const;

  /// Canonical SQL: making an expression of it gives an equal one.
  std::string ToString() const;

 private:
  struct Parts;

  explicit ValueExpression(std::shared_ptr<const Parts> parts);

  std::shared_ptr<const Parts> parts_;
};

}  // namespace lance::filter
