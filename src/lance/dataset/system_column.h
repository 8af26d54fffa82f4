#pragma once

#include <optional>
#include <string_view>

#include "lance/format/schema.h"

namespace lance {

/// A column that every table has without declaring it: UInt64, never null (table-format 8.7).
enum class SystemColumn {
  kRowId,                 // `_rowid`: the stable id, or the address
  kRowAddress,            // `_rowaddr`
  kRowOffset,             // `_rowoffset`: number among the live rows of the version
  kCreatedAtVersion,      // `_row_created_at_version`
  kLastUpdatedAtVersion,  // `_row_last_updated_at_version`
};

/// Its name.
std::string_view NameOf(SystemColumn column);

/// Find a system column. \return no value: the name is another's, or that of a column of the table
std::optional<SystemColumn> FindSystemColumn(const format::LanceSchema& schema,
                                             std::string_view name);

}  // namespace lance
