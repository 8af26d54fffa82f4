#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/system_column.h"

namespace lance {

/// Gives a system column of some rows.
using ReadSystemColumn = std::function<arrow::Result<std::shared_ptr<arrow::Array>>(
    SystemColumn column, const RowRanges& rows)>;

/// Read the columns that a filter needs, by the names of the table.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadFilterColumns(
    const Dataset::Impl& dataset, const filter::BoundFilter& filter, BlobForm blob_form,
    FragmentReader* fragment, const ReadSystemColumn& read_system, const RowRanges& rows);

/// The rows of `rows` whose mask is true.
RowRanges KeepTrue(const RowRanges& rows, const arrow::BooleanArray& mask);

/// Rows number `begin` to `end` of a set, counted within it.
RowRanges SliceRows(const RowRanges& rows, uint64_t begin, uint64_t end);

}  // namespace lance
