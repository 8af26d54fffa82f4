#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/filter/value_expression.h"
#include "lance/dataset/filter_columns.h"
#include "lance/dataset/system_column.h"
#include "lance/format/field_tree.h"
#include "lance/scan.h"

namespace lance {

/// One output column of a scan: a field or a member of one, a system column, or a computed one. A
/// plain value.
struct OutputColumn {
  /// What is read for it: a top-level field, perhaps with some of its members only.
  std::shared_ptr<const format::FieldNode> field;
  /// What comes out of `field`: the field itself, or the member at `path`.
  const format::FieldNode* part = nullptr;
  std::vector<std::string> path;
  std::set<int32_t> used_ids;  // the fields that are kept of `field`, each with all below it
  std::optional<SystemColumn> system;
  std::shared_ptr<const filter::ValueExpression> computed;
};

/// What becomes of the paths of members.
enum class MemberShape {
  kColumns,  // a column each, called as it was asked for, as scans give
  kNested    // one struct with the members that were asked for, as takes give
};

/// Find a column that is called by its name or path, as a column of its own.
///
/// \return KeyError for a name that is not there, Invalid for a path through a list
arrow::Result<OutputColumn> FindOutputColumn(const Dataset::Impl& dataset, const std::string& name);

/// What a scan gives. A plain value.
struct OutputColumns {
  std::vector<OutputColumn> columns;
  std::shared_ptr<arrow::Schema> schema;
};

/// Find the columns that a scan asks for.
arrow::Result<OutputColumns> FindOutputColumns(const Dataset::Impl& dataset,
                                               const ScanOptions& options, MemberShape shape);

/// What must be read for output columns: top-level fields, each once, with the members needed.
std::vector<format::FieldNode> SourcesOf(const Dataset::Impl& dataset,
                                         const std::vector<OutputColumn>& columns);

/// Make the output of rows whose sources were read.
///
/// \param sources the fields of SourcesOf by name, or more of them; and no others
/// \param read_system gives a system column of these rows
arrow::Result<arrow::ArrayVector> MakeOutput(const Dataset::Impl& dataset,
                                             const std::vector<OutputColumn>& columns,
                                             std::shared_ptr<arrow::RecordBatch> sources,
                                             const RowRanges& rows,
                                             const ReadSystemColumn& read_system);

}  // namespace lance
