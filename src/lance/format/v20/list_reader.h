#pragma once

#include <functional>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"
#include "lance/format/v20/array_reader.h"
#include "lance/format/v20/column_reader.h"

namespace lance::format::v20 {

/// Makes the reader of a list's items: some of the item column's `num_items` values.
using MakeItemReader = std::function<arrow::Result<std::unique_ptr<ArrayReader>>(
    uint64_t num_items, const RowRanges& items)>;

/// Make a reader of a list column and its items.
///
/// Items of pages that are read as a whole do not wait for the offsets: both are read at once.
///
/// \param request of the offsets column
/// \param type list or large_list; its item field names the items
/// \return SerializationError when a page is not a list
arrow::Result<std::unique_ptr<ArrayReader>> MakeListReader(
    const ColumnRequest& request, const std::shared_ptr<arrow::DataType>& type,
    MakeItemReader make_items);

/// Make a reader of text or binary values that are stored as lists of bytes (file-format 4.2).
///
/// \param request of the offsets column; the next column has the bytes
arrow::Result<std::unique_ptr<ArrayReader>> MakeListedBytesReader(
    const ColumnRequest& request, const std::shared_ptr<arrow::DataType>& type);

/// Whether the pages of a text or binary column are lists of bytes.
bool IsListedBytes(const FieldRequest& request, int column);

}  // namespace lance::format::v20
