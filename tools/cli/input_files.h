#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/write.h"

namespace lancectl {

/// Read files one after another as one stream.
///
/// \param files paths, or "-" for an Arrow IPC stream on standard input
/// \param format "parquet", "csv" or "ipc"; "": by the ending of each name
/// \param table_schema of an existing table: CSV columns are cast to its types by name; null: types
///   are inferred, and NA and the empty text are null
arrow::Result<lance::BatchSource> OpenInput(const std::vector<std::string>& files,
                                            const std::string& format,
                                            const std::shared_ptr<arrow::Schema>& table_schema);

}  // namespace lancectl
