#include "lance/dataset/filter/functions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/executor.h"
#include "lance/base/near_names.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/filter_problem.h"

namespace lance::filter {

namespace {

using arrow::Status;

const std::map<std::string_view, FunctionEntry>& AllFunctions() {
  static const auto* const all = [] {
    auto* entries = new std::map<std::string_view, FunctionEntry>();
    for (const auto& group :
         {TextFunctions(), TextShapeFunctions(), TextSearchFunctions(), DigestFunctions(),
          NumberFunctions(), TimeFunctions(), TimeConversionFunctions(), ChoiceFunctions(),
          ListFunctions(), ListValueFunctions()}) {
      for (const FunctionEntry& entry : group) entries->emplace(entry.name, entry);
    }
    return entries;
  }();
  return *all;
}

/// What other dialects call differently, and what does it here.
constexpr std::pair<std::string_view, std::string_view> kOtherDialects[] = {
    {"year", "date_part('year', x)"},
    {"quarter", "date_part('quarter', x)"},
    {"month", "date_part('month', x)"},
    {"week", "date_part('week', x)"},
    {"day", "date_part('day', x)"},
    {"dayofweek", "date_part('dow', x)"},
    {"dayofyear", "date_part('doy', x)"},
    {"hour", "date_part('hour', x)"},
    {"minute", "date_part('minute', x)"},
    {"second", "date_part('second', x)"},
    {"date", "to_date(x) or CAST(x AS DATE)"},
    {"len", "length(x)"},
    {"ucase", "upper(x)"},
    {"lcase", "lower(x)"},
    {"mod", "x % y"},
    {"if", "coalesce(), nullif() or nvl2(), or AND and OR"},
    {"iff", "coalesce(), nullif() or nvl2(), or AND and OR"},
    {"mid", "left(), right() or split_part()"},
    {"sign", "signum(x)"},
    {"ceiling", "x > 2 AND x <= 3 for ceiling(x) = 3"},
    {"truncate", "trunc(x)"},
    {"size", "array_length(x)"},
    {"isnull", "x IS NULL"},
};

Status Unknown(const std::string& name) {
  constexpr const char* kPage = "; all functions: docs/guide/filters.md";
  for (const auto& [other, replacement] : kOtherDialects) {
    if (other != name) continue;
    return Status::Invalid("there is no function ", name, "; write ", replacement, kPage);
  }
  std::vector<std::string> names;
  for (const auto& [known, entry] : AllFunctions()) names.emplace_back(known);
  const auto near = NearNames(name, names);
  const std::string hint = near.empty() ? "" : "; near names: " + ListNames(near, near.size());
  return Status::Invalid("there is no function ", Shorten(name), hint, kPage);
}

Status WrongCount(const FunctionEntry& entry, size_t count) {
  const std::string allowed =
      entry.min_arguments == entry.max_arguments
          ? std::to_string(entry.min_arguments)
          : std::to_string(entry.min_arguments) +
                (entry.max_arguments == SIZE_MAX ? " or more"
                                                 : " to " + std::to_string(entry.max_arguments));
  return Status::Invalid("found ", count, " arguments, ", std::string(entry.name), "() takes ",
                         allowed);
}

}  // namespace

ValueFunction ArrowFunction(std::string kernel,
                            std::shared_ptr<arrow::compute::FunctionOptions> options) {
  return [kernel = std::move(kernel),
          options = std::move(options)](const std::vector<arrow::Datum>& arguments) {
    return arrow::compute::CallFunction(kernel, arguments, options.get());
  };
}

arrow::Result<std::string> ConstantText(const BoundValue& argument, std::string_view what) {
  if (argument.kind != BoundValue::Kind::kConstant) {
    return Status::NotImplemented(std::string(what), " must be a constant text such as 'abc'");
  }
  if (!argument.constant->is_valid || !arrow::is_base_binary_like(argument.type->id())) {
    return Status::Invalid("found ", argument.constant->ToString(),
                           ", expected a constant text as ", std::string(what));
  }
  return static_cast<const arrow::BaseBinaryScalar&>(*argument.constant).value->ToString();
}

arrow::Result<std::shared_ptr<arrow::DataType>> TextTypeOf(const BoundValue& argument) {
  if (argument.type->id() == arrow::Type::NA) return arrow::utf8();
  if (IsTextType(*argument.type)) return argument.type;
  return Status::Invalid("found a value of type ", argument.type->ToString(), ", expected a text");
}

arrow::Result<std::shared_ptr<arrow::DataType>> CommonType(const std::vector<BoundValue>& arguments,
                                                           size_t first) {
  std::shared_ptr<arrow::DataType> common = arrow::null();
  for (size_t i = first; i < arguments.size(); ++i) {
    const auto& type = arguments[i].type;
    auto next = CommonComparisonType(common, type);
    if (next == nullptr) {
      return Status::Invalid("found values of type ", common->ToString(), " and ", type->ToString(),
                             ", expected one type");
    }
    common = std::move(next);
  }
  return common;
}

Status CheckTemporal(const BoundValue& argument) {
  const auto id = argument.type->id();
  if (id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP) return Status::OK();
  return Status::Invalid("found a value of type ", argument.type->ToString(),
                         ", expected a date or a timestamp");
}

arrow::Result<FunctionCall> ResolveCall(const std::string& name,
                                        const std::vector<BoundValue>& arguments) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const auto found = AllFunctions().find(name);
  if (found == AllFunctions().end()) return Unknown(name);
  const FunctionEntry& entry = found->second;
  if (arguments.size() < entry.min_arguments || arguments.size() > entry.max_arguments) {
    return WrongCount(entry, arguments.size());
  }
  ARROW_ASSIGN_OR_RAISE(FunctionCall call, entry.resolve(arguments));
  call.argument_types.resize(arguments.size());
  return call;
}

}  // namespace lance::filter
