#pragma once

#include <map>
#include <memory>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/format/field_tree.h"

namespace lance {

/// What a merge takes from its source. A plain value.
struct MergeSource {
  /// Columns of the table, in its order; of structs the members that the source has.
  std::shared_ptr<arrow::Schema> schema;
  /// By column, the members that the source lacks: updated rows keep them.
  std::map<std::string, format::FieldNode> kept_members;

  bool has(const std::string& column) const;
};

/// Match the columns of a source with those of a table.
///
/// \return Invalid naming a column that the table lacks, or whose values do not fit
arrow::Result<MergeSource> MatchSource(const arrow::Schema& source, const Dataset::Impl& dataset);

/// A column of the table from what the source has of it.
///
/// \param given of the type in source.schema
/// \param kept the same rows as the table has them; null: they are new, and what the source lacks
///   is null
arrow::Result<std::shared_ptr<arrow::Array>> CompleteColumn(
    const MergeSource& source, const format::FieldNode& column,
    const std::shared_ptr<arrow::Array>& given, const std::shared_ptr<arrow::Array>& kept,
    arrow::MemoryPool* pool);

}  // namespace lance
