#pragma once

#include <memory>

#include "arrow/type_fwd.h"

namespace lance::filter {

/// Whether the type is an integer, float or double.
bool IsNumberType(const arrow::DataType& type);

/// Whether the type is string or large_string.
bool IsTextType(const arrow::DataType& type);

/// The type that two numbers of different types are computed in: the wider one, a signed one that
/// holds both, or the float.
///
/// \return null when one is no number, and for a signed integer with uint64, which no integer holds
/// Source: observed of the reference.
std::shared_ptr<arrow::DataType> CommonNumberType(const std::shared_ptr<arrow::DataType>& left,
                                                  const std::shared_ptr<arrow::DataType>& right);

/// The type that two values are compared in: for numbers as above, and decimal128(20, 0) for signed
/// integers with uint64; a text converts to what it is compared with, a date to a timestamp.
///
/// \return null when they do not compare
/// Source: observed of the reference.
std::shared_ptr<arrow::DataType> CommonComparisonType(
    const std::shared_ptr<arrow::DataType>& left, const std::shared_ptr<arrow::DataType>& right);

}  // namespace lance::filter
