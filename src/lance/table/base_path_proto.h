#pragma once

#include "arrow/result.h"
#include "lance/table/manifest.h"
#include "lance_table.pb.h"

namespace lance::table {

/// Check and take over a base path (table-format 1.9). \return SerializationError: not UTF-8
arrow::Result<BasePath> ParseBasePath(const lance_pb::table::BasePath& message);

/// The inverse of ParseBasePath.
void WriteBasePath(const BasePath& base, lance_pb::table::BasePath* message);

}  // namespace lance::table
