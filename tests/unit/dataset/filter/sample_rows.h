#pragma once

#include <memory>
#include <string>

#include "arrow/type_fwd.h"
#include "lance/format/schema.h"

namespace lance::filter {

/// Nine rows of every type that filters compare; the last row is all null. Column names say the
/// type.
std::shared_ptr<arrow::RecordBatch> SampleRows();

/// The schema of SampleRows; field ids count from 0 in the order of the columns.
format::LanceSchema SampleSchema();

/// The rows that a filter keeps of SampleRows, as "0,3,4"; "error: ..." when it fails.
std::string KeptRows(const std::string& sql);

}  // namespace lance::filter
