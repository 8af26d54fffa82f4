#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// Parse a number token: an integer when it has neither point nor exponent and fits 64 bits without
/// sign, else a float64 (infinite beyond its range, 0 below).
Literal ParseNumber(std::string_view text);

/// Decode an even number of hexadecimal digits.
std::string DecodeHex(std::string_view digits);

/// The negative of a number. \pre its kind is kInteger or kFloat
Literal NegateNumber(Literal number);

/// What a literal is, for messages: "the number 5", "the text 'a'".
std::string Describe(const Literal& literal);

/// Convert a literal to a column's type, or say why it does not fit.
///
/// Allowed with change of value: numbers to floats (rounded), finer times to the column's unit
/// (cut). A null literal gives a null scalar.
///
/// \return Invalid for a literal of the wrong kind or out of range, NotImplemented for types that
///   filters cannot compare yet. The message names the column; the place is the caller's
/// Source: zonemap-and-indices 11.2.
arrow::Result<std::shared_ptr<arrow::Scalar>> ConvertLiteral(
    const Literal& literal, const std::string& column,
    const std::shared_ptr<arrow::DataType>& type);

/// Whether filters can compare values of this type.
bool IsComparableType(const arrow::DataType& type);

/// The error's text for a column that filters cannot compare.
std::string NotComparable(const std::string& column, const std::string& type);

/// Compare two literals without a column, as the filter's constants.
///
/// \return negative, 0 or positive; Invalid when the kinds do not compare or one is null
arrow::Result<int> CompareLiterals(const Literal& left, const Literal& right);

}  // namespace lance::filter
