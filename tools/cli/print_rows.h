#pragma once

#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lancectl {

/// How rows are printed.
enum class RowFormat { kTable, kCsv, kJsonLines, kIpc };

/// Parse --format. \return Invalid saying what is allowed
arrow::Result<RowFormat> ParseRowFormat(const std::string& text);

/// Print all rows of a reader to standard output, batch by batch.
///
/// \return NotImplemented + UnsupportedFeature naming a column that the format cannot hold
arrow::Status PrintRows(arrow::RecordBatchReader& reader, RowFormat format);

}  // namespace lancectl
