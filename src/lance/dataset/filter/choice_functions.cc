#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/dataset/filter/cast_value.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/functions.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Status;
using Arguments = std::vector<BoundValue>;
using CallResult = arrow::Result<FunctionCall>;
using TypePtr = std::shared_ptr<arrow::DataType>;

/// The type that all arguments from `first` on meet in.
arrow::Result<TypePtr> CommonType(const Arguments& arguments, size_t first = 0) {
  TypePtr common = arrow::null();
  for (size_t i = first; i < arguments.size(); ++i) {
    const TypePtr& type = arguments[i].type;
    const TypePtr next = CommonComparisonType(common, type);
    if (next == nullptr) {
      return Status::Invalid("found values of type ", common->ToString(), " and ", type->ToString(),
                             ", expected one type");
    }
    common = next;
  }
  return common;
}

CallResult OfOneType(const Arguments& arguments, ValueFunction run) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, CommonType(arguments));
  return FunctionCall{type, std::vector<TypePtr>(arguments.size(), type), std::move(run)};
}

CallResult Coalesce(const Arguments& arguments) {
  return OfOneType(arguments, ArrowFunction("coalesce"));
}

CallResult Greatest(const Arguments& arguments) {
  return OfOneType(arguments, ArrowFunction("max_element_wise"));
}

CallResult Least(const Arguments& arguments) {
  return OfOneType(arguments, ArrowFunction("min_element_wise"));
}

/// NULL where both are equal, else the first.
CallResult NullIf(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, CommonType(arguments));
  const auto run = [type](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(Datum same, arrow::compute::CallFunction("equal", values));
    ARROW_ASSIGN_OR_RAISE(same, arrow::compute::CallFunction("coalesce", {same, Datum(false)}));
    return arrow::compute::CallFunction("if_else",
                                        {same, Datum(arrow::MakeNullScalar(type)), values[0]});
  };
  return FunctionCall{type, {type, type}, run};
}

/// The second argument where the first is not NULL, else the third.
CallResult Nvl2(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, CommonType(arguments, 1));
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Datum is_valid,
                          arrow::compute::CallFunction("is_valid", {values[0]}));
    return arrow::compute::CallFunction("if_else", {is_valid, values[1], values[2]});
  };
  return FunctionCall{type, {nullptr, type, type}, run};
}

CallResult ArrayLength(const Arguments& arguments) {
  const auto id = arguments[0].type->id();
  if (id != arrow::Type::LIST && id != arrow::Type::LARGE_LIST &&
      id != arrow::Type::FIXED_SIZE_LIST) {
    return Status::Invalid("found a value of type ", arguments[0].type->ToString(),
                           ", expected a list");
  }
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Datum length,
                          arrow::compute::CallFunction("list_value_length", values));
    return CastValue(length, arrow::uint64(), /*is_try=*/false);
  };
  return FunctionCall{arrow::uint64(), {nullptr}, run};
}

}  // namespace

std::vector<FunctionEntry> ChoiceFunctions() {
  return {{"coalesce", 1, SIZE_MAX, Coalesce},
          {"nvl", 2, 2, Coalesce},
          {"ifnull", 2, 2, Coalesce},
          {"nvl2", 3, 3, Nvl2},
          {"nullif", 2, 2, NullIf},
          {"greatest", 1, SIZE_MAX, Greatest},
          {"least", 1, SIZE_MAX, Least},
          {"array_length", 1, 1, ArrayLength},
          {"cardinality", 1, 1, ArrayLength}};
}

}  // namespace lance::filter
