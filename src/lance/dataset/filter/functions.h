#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/compute/type_fwd.h"
#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/bound_value.h"

namespace lance::filter {

/// How a call is done for arguments of certain types. A plain value.
struct FunctionCall {
  std::shared_ptr<arrow::DataType> type;  // of the result
  /// What the arguments must be converted to, one for each.
  std::vector<std::shared_ptr<arrow::DataType>> argument_types;
  ValueFunction run;
  bool is_volatile = false;  // gives other values each time
};

/// What makes the call of one function; a message without place when the arguments do not fit it.
using CallResolver = arrow::Result<FunctionCall> (*)(const std::vector<BoundValue>& arguments);

/// A function of the dialect. A plain value.
struct FunctionEntry {
  std::string_view name;  // in lower case
  size_t min_arguments;
  size_t max_arguments;
  CallResolver resolve;
};

/// Functions of text.
std::vector<FunctionEntry> TextFunctions();
/// Functions of numbers.
std::vector<FunctionEntry> NumberFunctions();
/// Functions of dates and timestamps.
std::vector<FunctionEntry> TimeFunctions();
/// Functions that make dates and timestamps of others, and of texts and numbers.
std::vector<FunctionEntry> TimeConversionFunctions();
/// Functions that choose among their arguments.
std::vector<FunctionEntry> ChoiceFunctions();
/// Functions that cut, pad and put together texts.
std::vector<FunctionEntry> TextShapeFunctions();
/// Regular expressions, and texts that are looked for.
std::vector<FunctionEntry> TextSearchFunctions();
/// Digests and encodings of bytes.
std::vector<FunctionEntry> DigestFunctions();
/// Functions of lists that give something else.
std::vector<FunctionEntry> ListFunctions();
/// Functions that give lists.
std::vector<FunctionEntry> ListValueFunctions();

/// Find out how to do a call.
///
/// \return Invalid for an unknown function, a wrong number of arguments or arguments of a wrong
///   type; NotImplemented for arguments that this version cannot do. The place is the caller's
/// Source: zonemap-and-indices 11.2.
arrow::Result<FunctionCall> ResolveCall(const std::string& name,
                                        const std::vector<BoundValue>& arguments);

/// A pattern match of a text: LIKE or ILIKE.
arrow::Result<FunctionCall> ResolveLike(const std::vector<BoundValue>& arguments, bool ignores_case,
                                        std::string_view escape);

/// Joined texts: `||`, which is null when a part is, or concat(), which leaves nulls out.
arrow::Result<FunctionCall> ResolveConcatenation(const std::vector<BoundValue>& arguments,
                                                 bool leaves_nulls_out);

/// The constant text of an argument. \return Invalid or NotImplemented when it is none
arrow::Result<std::string> ConstantText(const BoundValue& argument, std::string_view what);

/// The type of a text argument, string for NULL. \return Invalid for other types
arrow::Result<std::shared_ptr<arrow::DataType>> TextTypeOf(const BoundValue& argument);

/// The type that all arguments from `first` on meet in. \return Invalid when there is none
arrow::Result<std::shared_ptr<arrow::DataType>> CommonType(const std::vector<BoundValue>& arguments,
                                                           size_t first = 0);

/// Check that an argument is a date or a timestamp. \return Invalid for other types
arrow::Status CheckTemporal(const BoundValue& argument);

/// A call of one Arrow kernel.
ValueFunction ArrowFunction(std::string kernel,
                            std::shared_ptr<arrow::compute::FunctionOptions> options = nullptr);

}  // namespace lance::filter
