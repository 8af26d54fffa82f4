#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/base/row_ranges.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/field_tree.h"

namespace lance::format::v20 {

/// Which rows of which field of a 2.0 file to read, and from where. Borrows everything.
struct FieldRequest {
  const DataFileLocation& location;
  const DataFileMetadata& metadata;
  /// The column of every field of `node`'s tree that owns one.
  const ColumnMap& columns;
  /// Blobs give their descriptors: struct<position: uint64, size: uint64>.
  const FieldNode& node;
  /// Rows of the file, below its num_rows.
  const RowRanges& rows;
  arrow::MemoryPool* pool;
  const arrow::StopToken& stop;
};

/// Read some rows of a field, children included.
///
/// Reads only the bytes that the rows need; the number of requests depends on the nesting depth,
/// not on the number of rows or pages.
///
/// \return SerializationError, NotImplemented + UnsupportedFeature, CapacityError; naming column
///   and page
///
/// Source: file-format 4.
arrow::Result<std::shared_ptr<arrow::Array>> ReadField(const FieldRequest& request);

}  // namespace lance::format::v20
