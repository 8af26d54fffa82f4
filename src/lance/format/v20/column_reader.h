#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/v20/array_encoding.h"
#include "lance/format/v20/array_encoding_proto.h"
#include "lance/format/v20/array_reader.h"
#include "lance/format/v20/read_field.h"

namespace lance::format::v20 {

/// Some values of one column, counted in the column's own domain. Borrows the request.
struct ColumnRequest {
  const FieldRequest& field;
  int column = -1;
  /// What the pages of the column must add up to.
  uint64_t num_values = 0;
  /// Below num_values.
  RowRanges rows;
  /// Bytes that null values may take without bytes in the file.
  uint64_t max_null_bytes = 0;
};

/// One page of a column and the rows of it that are read.
struct PageRows {
  const PageMetadata* page = nullptr;
  size_t index = 0;
  /// First value of the page, counted over the column.
  uint64_t first = 0;
  /// Of the page, ascending.
  std::vector<RowRange> rows;
};

/// Check that the column exists, is of a kind, and has as many values as it must.
arrow::Status CheckColumn(const ColumnRequest& request, ColumnEncodingKind kind);

/// Find the pages that hold asked values. Linear in the pages and ranges. \pre CheckColumn
std::vector<PageRows> PlanPages(const ColumnRequest& request);

/// Name column and page in a failure.
arrow::Status InPage(const arrow::Status& status, int column, size_t page);

/// Put the arrays of pages together.
///
/// \return CapacityError when one array cannot hold them
arrow::Result<std::shared_ptr<arrow::Array>> ConcatenatePages(
    std::vector<std::shared_ptr<arrow::Array>> arrays, const std::shared_ptr<arrow::DataType>& type,
    arrow::MemoryPool* pool);

/// Make a reader of a column without columns below it.
///
/// \param type of the array; blobs: their descriptors
arrow::Result<std::unique_ptr<ArrayReader>> MakeColumnReader(
    const ColumnRequest& request, const std::shared_ptr<arrow::DataType>& type,
    ColumnEncodingKind kind);

}  // namespace lance::format::v20
