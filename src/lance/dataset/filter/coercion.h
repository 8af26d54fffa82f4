#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// Whether the type is an integer, float or double.
bool IsNumberType(const arrow::DataType& type);

/// Whether the type is a decimal one.
bool IsDecimalType(const arrow::DataType& type);

/// The narrower of decimal128 and decimal256 with so many digits before and behind the point.
///
/// \return null when there is none
std::shared_ptr<arrow::DataType> DecimalOf(int whole_digits, int scale);

/// The decimal type that holds the values of two types, each a decimal or an integer one.
///
/// \return null when one is neither, or together they have too many digits
std::shared_ptr<arrow::DataType> CommonDecimalType(const std::shared_ptr<arrow::DataType>& left,
                                                   const std::shared_ptr<arrow::DataType>& right);

/// Whether the type is string or large_string.
bool IsTextType(const arrow::DataType& type);

/// The type that two numbers of different types are computed in: the wider one, a signed one that
/// holds both, or the float.
///
/// \return null when one is no number, and for a signed integer with uint64, which no integer holds
/// Source: observed of the reference.
std::shared_ptr<arrow::DataType> CommonNumberType(const std::shared_ptr<arrow::DataType>& left,
                                                  const std::shared_ptr<arrow::DataType>& right);

/// What an operator between two types takes and gives; all null: it does not take them.
struct ArithmeticTypes {
  std::shared_ptr<arrow::DataType> left;
  std::shared_ptr<arrow::DataType> right;
  std::shared_ptr<arrow::DataType> result;
};

/// The types of an arithmetic operator: numbers as above, shifts of integers; + - * of a decimal
/// with a decimal or an integer, with all digits kept, and / with four more behind the point;
/// differences of timestamps, and durations added to them.
///
/// Source: observed of the reference.
ArithmeticTypes TypesOf(ArithmeticOp op, const std::shared_ptr<arrow::DataType>& left,
                        const std::shared_ptr<arrow::DataType>& right);

/// The type that two values are compared in: for numbers as above, and decimal128(20, 0) for signed
/// integers with uint64; a decimal with an integer or a decimal that holds both, with a float as
/// double; a text converts to what it is compared with, a date to a timestamp.
///
/// \return null when they do not compare
/// Source: observed of the reference.
std::shared_ptr<arrow::DataType> CommonComparisonType(
    const std::shared_ptr<arrow::DataType>& left, const std::shared_ptr<arrow::DataType>& right);

}  // namespace lance::filter
