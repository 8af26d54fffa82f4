#pragma once

#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance {

/// Puts the columns of input batches into a table's order. Immutable.
///
/// Columns are matched by name; a nullable column of the table may be missing and is then null
/// (table-format 9.5 "Append and schema").
class BatchAligner {
 public:
  /// Match columns. \return Invalid naming the column that is unknown, repeated, missing, or of
  /// another type
  static arrow::Result<BatchAligner> Make(const arrow::Schema& input,
                                          std::shared_ptr<arrow::Schema> table);

  /// The batch in the table's schema.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Align(const arrow::RecordBatch& batch) const;

 private:
  std::shared_ptr<arrow::Schema> table_;
  std::vector<int> input_columns_;  // by table column; -1: missing
};

/// Read a stream with its columns aligned.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> AlignReader(
    std::shared_ptr<arrow::RecordBatchReader> input, std::shared_ptr<arrow::Schema> table);

}  // namespace lance
