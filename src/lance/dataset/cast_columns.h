#pragma once

#include <memory>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/field_tree.h"

namespace lance {

/// Whether a column may be converted: integers, floats, times, decimals, text, binary and lists of
/// them among themselves (table-format 9.5). \return Invalid naming both types
arrow::Status CheckCastable(const std::string& column, const arrow::DataType& from,
                            const arrow::DataType& to);

/// Take only some members out of an array.
///
/// \param whole what the array holds
/// \param part the same without some leaves (KeepLeaves)
std::shared_ptr<arrow::Array> SelectPart(const std::shared_ptr<arrow::Array>& array,
                                         const format::FieldNode& whole,
                                         const format::FieldNode& part);

/// Convert values; members of structs stay in place. \return Invalid for a value that would be lost
arrow::Result<std::shared_ptr<arrow::Array>> CastColumn(const std::shared_ptr<arrow::Array>& array,
                                                        const std::shared_ptr<arrow::DataType>& to,
                                                        arrow::MemoryPool* pool);

}  // namespace lance
