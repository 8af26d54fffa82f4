#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// Divide decimals, or take the remainder: digits beyond the result's scale are cut.
///
/// \param op kDivide or kModulo
/// \param type the decimal type of the result
/// \return Invalid for a division by zero, and for a quotient that does not fit the type
arrow::Result<arrow::Datum> DivideDecimals(ArithmeticOp op, const arrow::Datum& left,
                                           const arrow::Datum& right,
                                           const std::shared_ptr<arrow::DataType>& type);

}  // namespace lance::filter
