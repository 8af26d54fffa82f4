#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lancectl {

/// Parse the name of a type: as `schema` prints it, or one of the shorter names of the guide, also
/// for the parts of nested types: `list<int32>`.
///
/// \return Invalid saying what is allowed
arrow::Result<std::shared_ptr<arrow::DataType>> ParseType(std::string_view text);

/// Parse `a=int32,b=decimal(10,2)`: types by column. Commas in brackets separate no columns, and
/// `"a,b=int32"` quotes as CSV does.
arrow::Result<std::map<std::string, std::shared_ptr<arrow::DataType>>> ParseColumnTypes(
    const std::string& text);

}  // namespace lancectl
