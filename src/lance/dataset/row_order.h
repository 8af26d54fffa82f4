#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/scan.h"

namespace lance {

/// Sort a table by its last columns, one for each ordering. Stable.
arrow::Result<std::shared_ptr<arrow::Table>> SortRows(const std::shared_ptr<arrow::Table>& table,
                                                      const std::vector<ColumnOrdering>& order_by);

/// Tells rows apart that may be among the first k, once k rows are known. Immutable.
///
/// Looks at the first ordering alone, so some of the rows that it keeps are not among them either.
class KeyBound {
 public:
  /// \param first_rows the first k rows that are known, sorted; k is 1 or more
  static arrow::Result<KeyBound> Make(const arrow::Table& first_rows,
                                      const std::vector<ColumnOrdering>& order_by);

  /// The rows of a batch, which come behind those that are known, that may be among the first k.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Keep(
      const std::shared_ptr<arrow::RecordBatch>& batch) const;

 private:
  KeyBound() = default;

  arrow::Result<arrow::Datum> MayBeFirst(const std::shared_ptr<arrow::Array>& values) const;

  ColumnOrdering ordering_;
  int place_ = 0;                        // of the first key in a batch
  bool is_only_ = false;                 // no other ordering decides among equal rows
  std::shared_ptr<arrow::Scalar> last_;  // the key of the last row; null scalar: it is null
};

}  // namespace lance
