#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// Compute with two numbers of one type. Integers wrap around; dividing one by 0 is an error,
/// dividing floats gives an infinity or NaN.
///
/// \pre both have the same number type, and `op` is not kConcatenate
/// Source: zonemap-and-indices 11.2.
arrow::Result<arrow::Datum> Compute(ArithmeticOp op, const arrow::Datum& left,
                                    const arrow::Datum& right,
                                    const std::shared_ptr<arrow::DataType>& type);

/// The negative of a number.
arrow::Result<arrow::Datum> Negative(const arrow::Datum& value);

/// The element number `place` of each list, counted from 1, or from the end when negative; null
/// where there is none.
arrow::Result<std::shared_ptr<arrow::Array>> ElementOf(const arrow::Array& lists, int64_t place);

/// `value` as an array of `num_rows` rows.
arrow::Result<std::shared_ptr<arrow::Array>> ToArray(const arrow::Datum& value, int64_t num_rows);

}  // namespace lance::filter
