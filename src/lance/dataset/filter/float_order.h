#pragma once

#include <cstdint>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// Compare an array of a float type with a literal of the same type.
///
/// The order is IEEE 754's total order: -NaN < -inf < ... < +inf < +NaN; a zero literal means both
/// zeros. Nulls stay null.
///
/// Source: zonemap-and-indices 3.2.
arrow::Result<std::shared_ptr<arrow::BooleanArray>> CompareFloatsWithLiteral(
    CompareOp op, const arrow::Array& values, const arrow::Scalar& literal);

/// Compare two arrays of the same float type by the total order, in which -0.0 < +0.0.
arrow::Result<std::shared_ptr<arrow::BooleanArray>> CompareFloats(CompareOp op,
                                                                  const arrow::Array& left,
                                                                  const arrow::Array& right);

/// Integers of the floats' width in the order of their total order; nulls stay null.
arrow::Result<std::shared_ptr<arrow::Array>> TotalOrderKeys(const arrow::Array& values);

}  // namespace lance::filter
