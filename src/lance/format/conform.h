#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::format {

/// Give an array the type that a schema stores it as, without copying values where layouts agree.
///
/// Extension arrays become their storage; items of lists and maps and entries of fixed-size lists
/// take the schema's inner names; members of structs are matched by name and put in the schema's
/// order, members that are missing become null; string and binary views become plain.
///
/// \param type what the schema says, without extension types
/// \return Invalid naming the part ("s.a", "l.item") whose type differs or that the schema does not
///   have; a missing member that is not nullable is left to the writer's check of nulls
arrow::Result<std::shared_ptr<arrow::Array>> ConformArray(
    const std::shared_ptr<arrow::Array>& array, const std::shared_ptr<arrow::DataType>& type,
    arrow::MemoryPool* pool);

}  // namespace lance::format
