#include <compare>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/functions.h"
#include "lance/dataset/filter/row_values.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Status;
using Arguments = std::vector<BoundValue>;
using CallResult = arrow::Result<FunctionCall>;
using TypePtr = std::shared_ptr<arrow::DataType>;

CallResult OfOneType(const Arguments& arguments, ValueFunction run) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, CommonType(arguments));
  return FunctionCall{type, std::vector<TypePtr>(arguments.size(), type), std::move(run)};
}

CallResult Coalesce(const Arguments& arguments) {
  return OfOneType(arguments, ArrowFunction("coalesce"));
}

/// The greatest or least of floats by their total order, in which NaN is above infinity.
template <typename ArrowType>
arrow::Result<Datum> ExtremeFloats(const std::vector<Datum>& values, bool is_greatest) {
  std::vector<NumberRows<ArrowType>> rows;
  for (const Datum& value : values) rows.emplace_back(value);
  typename arrow::TypeTraits<ArrowType>::BuilderType builder;
  return BuildRows(values, &builder, [&](int64_t i) -> Status {
    const NumberRows<ArrowType>* best = nullptr;
    for (const auto& row : rows) {
      if (!row.IsValid(i)) continue;
      const bool is_better =
          best == nullptr ||
          std::is_gt(is_greatest ? std::strong_order(row.Value(i), best->Value(i))
                                 : std::strong_order(best->Value(i), row.Value(i)));
      if (is_better) best = &row;
    }
    return best == nullptr ? builder.AppendNull() : builder.Append(best->Value(i));
  });
}

CallResult Extreme(const Arguments& arguments, bool is_greatest) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, CommonType(arguments));
  if (!arrow::is_floating(type->id())) {
    return OfOneType(arguments,
                     ArrowFunction(is_greatest ? "max_element_wise" : "min_element_wise"));
  }
  return OfOneType(arguments, [is_greatest](const std::vector<Datum>& values) {
    return values[0].type()->id() == arrow::Type::FLOAT
               ? ExtremeFloats<arrow::FloatType>(values, is_greatest)
               : ExtremeFloats<arrow::DoubleType>(values, is_greatest);
  });
}

CallResult Greatest(const Arguments& arguments) { return Extreme(arguments, true); }
CallResult Least(const Arguments& arguments) { return Extreme(arguments, false); }

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

}  // namespace

std::vector<FunctionEntry> ChoiceFunctions() {
  return {{"coalesce", 1, SIZE_MAX, Coalesce},
          {"nvl", 2, 2, Coalesce},
          {"ifnull", 2, 2, Coalesce},
          {"nvl2", 3, 3, Nvl2},
          {"nullif", 2, 2, NullIf},
          {"greatest", 1, SIZE_MAX, Greatest},
          {"least", 1, SIZE_MAX, Least}};
}

}  // namespace lance::filter
