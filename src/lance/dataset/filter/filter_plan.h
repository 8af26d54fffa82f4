#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/dataset/filter/columns.h"
#include "lance/filter.h"
#include "lance/format/schema.h"
#include "lance/index/predicate.h"

namespace lance::filter {

/// A filter that is checked against a schema: what a scan evaluates and prunes with. Immutable.
///
/// Source: zonemap-and-indices 3.2 and 11.2.
class BoundFilter {
 public:
  /// Parse `sql`, look up its columns and convert its literals.
  ///
  /// \return Invalid with a FilterError detail when the text is wrong for this schema,
  ///   NotImplemented with the same detail for what this version lacks
  static arrow::Result<BoundFilter> Make(std::string_view sql, const format::LanceSchema& schema);
  /// The same of a filter, which may have a problem of its own.
  static arrow::Result<BoundFilter> FromFilter(const Filter& filter,
                                               const format::LanceSchema& schema);

  /// The columns that Evaluate needs, spelled as in the schema, each once, in the order of first
  /// use.
  const std::vector<std::string>& column_names() const;
  /// The same with what is used of them.
  const std::vector<FilterColumn>& columns() const;

  /// Say which rows pass.
  ///
  /// \param batch has at least the columns of columns(), with the schema's types or those parts
  /// \param stop looked at every few thousand rows
  /// \return true for the rows that pass, false or null for the others; as long as the batch
  arrow::Result<std::shared_ptr<arrow::BooleanArray>> Evaluate(
      const arrow::RecordBatch& batch,
      const arrow::StopToken& stop = arrow::StopToken::Unstoppable()) const;

  /// What statistics can be asked: true for every row that passes.
  const index::Predicate& predicate() const;

  /// Canonical SQL: making a filter of it gives an equal filter.
  std::string ToString() const;

 private:
  struct Parts;

  explicit BoundFilter(std::shared_ptr<const Parts> parts);

  std::shared_ptr<const Parts> parts_;
};

}  // namespace lance::filter
