#pragma once

#include <functional>

#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/index/bitmap_file.h"
#include "lance/index/keyed_rows.h"
#include "lance/index/scalar_index.h"

namespace lance::index {

/// Add the rows of an old segment's keys, under the numbers that they have now.
///
/// \param mapping null: no number has changed
arrow::Status AddOldRows(const BitmapFile& old, const RowMapping* mapping, const RunContext& run,
                         KeyedRows* rows);

/// Visit the batches of new rows: the values, and the number of each row.
arrow::Status VisitNewRows(
    const NewScalarIndex& request, const RunContext& run,
    const std::function<arrow::Status(const arrow::Array& values, const arrow::UInt64Array& rows)>&
        visit);

}  // namespace lance::index
