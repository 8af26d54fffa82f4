#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/dataset/filter/arithmetic.h"
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

/// The type of a number argument, double for NULL; an error for other types.
arrow::Result<TypePtr> NumberTypeOf(const BoundValue& argument) {
  if (argument.type->id() == arrow::Type::NA) return arrow::float64();
  if (IsNumberType(*argument.type)) return argument.type;
  return Status::Invalid("found a value of type ", argument.type->ToString(),
                         ", expected a number");
}

/// float32 for a float, else double.
arrow::Result<TypePtr> FloatTypeOf(const BoundValue& argument) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, NumberTypeOf(argument));
  return type->id() == arrow::Type::FLOAT ? type : arrow::float64();
}

CallResult FloatCall(const Arguments& arguments, ValueFunction run) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, FloatTypeOf(arguments[0]));
  return FunctionCall{type, {type}, std::move(run)};
}

/// The processor's square root, whose NaN has a sign; Arrow's has none, and NaNs have an order.
template <typename ArrowType>
arrow::Result<Datum> Roots(const arrow::Array& values) {
  const auto& numbers = static_cast<const arrow::NumericArray<ArrowType>&>(values);
  typename arrow::TypeTraits<ArrowType>::BuilderType builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(numbers.length()));
  for (int64_t i = 0; i < numbers.length(); ++i) {
    if (numbers.IsNull(i)) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(numbers.Value(i) < 0 ? -std::numeric_limits<double>::quiet_NaN()
                                                : std::sqrt(numbers.Value(i)));
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto roots, builder.Finish());
  return Datum(std::move(roots));
}

CallResult Sqrt(const Arguments& arguments) {
  return FloatCall(arguments, [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const int64_t rows = values[0].is_scalar() ? 1 : values[0].length();
    ARROW_ASSIGN_OR_RAISE(const auto array, ToArray(values[0], rows));
    ARROW_ASSIGN_OR_RAISE(Datum roots, array->type_id() == arrow::Type::FLOAT
                                           ? Roots<arrow::FloatType>(*array)
                                           : Roots<arrow::DoubleType>(*array));
    if (!values[0].is_scalar()) return roots;
    ARROW_ASSIGN_OR_RAISE(auto scalar, roots.make_array()->GetScalar(0));
    return Datum(std::move(scalar));
  });
}
CallResult Exp(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("exp")); }
CallResult Ln(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("ln")); }
CallResult Log10(const Arguments& arguments) {
  return FloatCall(arguments, ArrowFunction("log10"));
}
CallResult Log2(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("log2")); }
CallResult Sin(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("sin")); }
CallResult Cos(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("cos")); }
CallResult Tan(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("tan")); }
CallResult Asin(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("asin")); }
CallResult Acos(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("acos")); }
CallResult Atan(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("atan")); }
CallResult Sinh(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("sinh")); }
CallResult Cosh(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("cosh")); }
CallResult Tanh(const Arguments& arguments) { return FloatCall(arguments, ArrowFunction("tanh")); }
CallResult Asinh(const Arguments& arguments) {
  return FloatCall(arguments, ArrowFunction("asinh"));
}
CallResult Acosh(const Arguments& arguments) {
  return FloatCall(arguments, ArrowFunction("acosh"));
}
CallResult Atanh(const Arguments& arguments) {
  return FloatCall(arguments, ArrowFunction("atanh"));
}

/// Compute doubles row by row.
CallResult DoubleCall(const Arguments& arguments, double (*compute)(double)) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, FloatTypeOf(arguments[0]));
  const auto run = [type, compute](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const NumberRows<arrow::DoubleType> numbers(values[0]);
    arrow::DoubleBuilder builder;
    ARROW_ASSIGN_OR_RAISE(const Datum computed, BuildRows(values, &builder, [&](int64_t i) {
                            return numbers.IsValid(i) ? builder.Append(compute(numbers.Value(i)))
                                                      : builder.AppendNull();
                          }));
    return arrow::compute::Cast(computed, type);
  };
  return FunctionCall{type, {arrow::float64()}, run};
}

CallResult Cbrt(const Arguments& arguments) { return DoubleCall(arguments, std::cbrt); }
CallResult Cot(const Arguments& arguments) {
  return DoubleCall(arguments, [](double number) { return 1 / std::tan(number); });
}
CallResult Degrees(const Arguments& arguments) {
  return DoubleCall(arguments, [](double number) { return number * (180 / M_PI); });
}
CallResult Radians(const Arguments& arguments) {
  return DoubleCall(arguments, [](double number) { return number * (M_PI / 180); });
}
/// -1, 0 or 1; NaN for NaN.
CallResult Signum(const Arguments& arguments) {
  return DoubleCall(arguments, [](double number) {
    return number == 0 || std::isnan(number) ? number + 0.0 : std::copysign(1.0, number);
  });
}

CallResult Atan2(const Arguments& arguments) {
  for (const BoundValue& argument : arguments) {
    ARROW_RETURN_NOT_OK(NumberTypeOf(argument).status());
  }
  const TypePtr type = arrow::float64();
  return FunctionCall{type, {type, type}, ArrowFunction("atan2")};
}

CallResult Abs(const Arguments& arguments) {
  TypePtr type = arguments[0].type;
  if (!IsDecimalType(*type)) {
    ARROW_ASSIGN_OR_RAISE(type, NumberTypeOf(arguments[0]));
  }
  return FunctionCall{type, {type}, ArrowFunction("abs_checked")};
}

/// The type that a value is rounded in: a decimal may get one digit more.
arrow::Result<TypePtr> RoundedType(const BoundValue& argument) {
  if (!IsDecimalType(*argument.type)) return FloatTypeOf(argument);
  const auto& decimal = static_cast<const arrow::DecimalType&>(*argument.type);
  const TypePtr wider = DecimalOf(decimal.precision() - decimal.scale() + 1, decimal.scale());
  return wider == nullptr ? argument.type : wider;
}

/// Round to some digits behind the point, or before it when negative.
CallResult RoundBy(const Arguments& arguments, arrow::compute::RoundMode mode) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, RoundedType(arguments[0]));
  int64_t digits = 0;
  if (arguments.size() > 1) {
    const BoundValue& argument = arguments[1];
    constexpr int64_t kMostDigits = 300;
    if (argument.kind != BoundValue::Kind::kConstant || !argument.constant->is_valid ||
        argument.type->id() != arrow::Type::INT64) {
      return Status::NotImplemented("the digits to round to must be a constant integer");
    }
    digits = static_cast<const arrow::Int64Scalar&>(*argument.constant).value;
    if (digits < -kMostDigits || digits > kMostDigits) {
      return Status::Invalid("found ", digits, " digits to round to, allowed are -300 to 300");
    }
  }
  auto round = ArrowFunction("round", std::make_shared<arrow::compute::RoundOptions>(digits, mode));
  return FunctionCall{
      type, {type}, [round](const std::vector<Datum>& values) { return round({values[0]}); }};
}

/// Halves go away from zero.
CallResult Round(const Arguments& arguments) {
  return RoundBy(arguments, arrow::compute::RoundMode::HALF_TOWARDS_INFINITY);
}

CallResult Trunc(const Arguments& arguments) {
  return RoundBy(arguments, arrow::compute::RoundMode::TOWARDS_ZERO);
}

CallResult Power(const Arguments& arguments) {
  for (const BoundValue& argument : arguments) {
    ARROW_RETURN_NOT_OK(NumberTypeOf(argument).status());
  }
  const TypePtr type = arrow::float64();
  return FunctionCall{type, {type, type}, ArrowFunction("power")};
}

/// The logarithm to base 10, or of the second argument to the base of the first.
CallResult Log(const Arguments& arguments) {
  if (arguments.size() == 1) return Log10(arguments);
  for (const BoundValue& argument : arguments) {
    ARROW_RETURN_NOT_OK(NumberTypeOf(argument).status());
  }
  const TypePtr type = arrow::float64();
  return FunctionCall{type, {type, type}, [](const std::vector<Datum>& values) {
                        return arrow::compute::CallFunction("logb", {values[1], values[0]});
                      }};
}

CallResult IsNan(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, FloatTypeOf(arguments[0]));
  return FunctionCall{arrow::boolean(), {type}, ArrowFunction("is_nan")};
}

CallResult IsZero(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, FloatTypeOf(arguments[0]));
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const std::shared_ptr<arrow::Scalar> zero = std::make_shared<arrow::DoubleScalar>(0);
    return arrow::compute::CallFunction("equal", {values[0], Datum(zero)});
  };
  return FunctionCall{arrow::boolean(), {type}, run};
}

/// The second argument where the first is NaN.
CallResult Nanvl(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr left, FloatTypeOf(arguments[0]));
  ARROW_ASSIGN_OR_RAISE(const TypePtr right, FloatTypeOf(arguments[1]));
  const TypePtr type = CommonNumberType(left, right);
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(Datum is_nan, arrow::compute::CallFunction("is_nan", {values[0]}));
    ARROW_ASSIGN_OR_RAISE(is_nan, arrow::compute::CallFunction("coalesce", {is_nan, Datum(false)}));
    return arrow::compute::CallFunction("if_else", {is_nan, values[1], values[0]});
  };
  return FunctionCall{type, {type, type}, run};
}

// --- integers

/// Compute integers row by row.
CallResult IntegerCall(const Arguments& arguments,
                       arrow::Result<int64_t> (*compute)(int64_t left, int64_t right)) {
  for (const BoundValue& argument : arguments) {
    if (arrow::is_integer(argument.type->id()) || argument.type->id() == arrow::Type::NA) continue;
    return Status::Invalid("found a value of type ", argument.type->ToString(),
                           ", expected an integer");
  }
  const auto run = [compute](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const NumberRows<arrow::Int64Type> lefts(values.front());
    const NumberRows<arrow::Int64Type> rights(values.back());
    arrow::Int64Builder builder;
    return BuildRows(values, &builder, [&](int64_t i) -> Status {
      if (!lefts.IsValid(i) || !rights.IsValid(i)) return builder.AppendNull();
      ARROW_ASSIGN_OR_RAISE(const int64_t result, compute(lefts.Value(i), rights.Value(i)));
      return builder.Append(result);
    });
  };
  return FunctionCall{arrow::int64(), std::vector<TypePtr>(arguments.size(), arrow::int64()), run};
}

uint64_t Magnitude(int64_t number) {
  return number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

arrow::Result<int64_t> Signed(uint64_t number, const char* function) {
  if (number <= INT64_MAX) return static_cast<int64_t>(number);
  return Status::Invalid(function, "() gives ", number, ", which is no int64");
}

CallResult Gcd(const Arguments& arguments) {
  return IntegerCall(arguments, [](int64_t left, int64_t right) {
    return Signed(std::gcd(Magnitude(left), Magnitude(right)), "gcd");
  });
}

CallResult Lcm(const Arguments& arguments) {
  return IntegerCall(arguments, [](int64_t left, int64_t right) -> arrow::Result<int64_t> {
    if (left == 0 || right == 0) return 0;
    const uint64_t quotient = Magnitude(left) / std::gcd(Magnitude(left), Magnitude(right));
    uint64_t product = 0;
    if (__builtin_mul_overflow(quotient, Magnitude(right), &product)) product = UINT64_MAX;
    return Signed(product, "lcm");
  });
}

CallResult Factorial(const Arguments& arguments) {
  return IntegerCall(arguments, [](int64_t number, int64_t) -> arrow::Result<int64_t> {
    constexpr int64_t kGreatest = 20;
    if (number < 0 || number > kGreatest) {
      return Status::Invalid("factorial() takes 0 to 20, found ", number);
    }
    int64_t product = 1;
    for (int64_t i = 2; i <= number; ++i) product *= i;
    return product;
  });
}

/// A number from 0 to 1, another for each row and each time.
CallResult Random(const Arguments&) {
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const int64_t rows = static_cast<const arrow::Int64Scalar&>(*values[0].scalar()).value;
    std::mt19937_64 engine(std::random_device{}());
    std::uniform_real_distribution<double> numbers(0, 1);
    arrow::DoubleBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Reserve(rows));
    for (int64_t i = 0; i < rows; ++i) builder.UnsafeAppend(numbers(engine));
    ARROW_ASSIGN_OR_RAISE(auto array, builder.Finish());
    return Datum(std::move(array));
  };
  return FunctionCall{arrow::float64(), {}, run, /*is_volatile=*/true};
}

CallResult Pi(const Arguments&) {
  const auto run = [](const std::vector<Datum>&) -> arrow::Result<Datum> { return Datum(M_PI); };
  return FunctionCall{arrow::float64(), {}, run};
}

}  // namespace

std::vector<FunctionEntry> NumberFunctions() {
  return {{"abs", 1, 1, Abs},
          {"round", 1, 2, Round},
          {"trunc", 1, 2, Trunc},
          {"sqrt", 1, 1, Sqrt},
          {"power", 2, 2, Power},
          {"pow", 2, 2, Power},
          {"exp", 1, 1, Exp},
          {"ln", 1, 1, Ln},
          {"log", 1, 2, Log},
          {"log10", 1, 1, Log10},
          {"log2", 1, 1, Log2},
          {"sin", 1, 1, Sin},
          {"cos", 1, 1, Cos},
          {"tan", 1, 1, Tan},
          {"asin", 1, 1, Asin},
          {"acos", 1, 1, Acos},
          {"atan", 1, 1, Atan},
          {"atan2", 2, 2, Atan2},
          {"sinh", 1, 1, Sinh},
          {"cosh", 1, 1, Cosh},
          {"tanh", 1, 1, Tanh},
          {"asinh", 1, 1, Asinh},
          {"acosh", 1, 1, Acosh},
          {"atanh", 1, 1, Atanh},
          {"cbrt", 1, 1, Cbrt},
          {"cot", 1, 1, Cot},
          {"degrees", 1, 1, Degrees},
          {"radians", 1, 1, Radians},
          {"signum", 1, 1, Signum},
          {"gcd", 2, 2, Gcd},
          {"lcm", 2, 2, Lcm},
          {"factorial", 1, 1, Factorial},
          {"random", 0, 0, Random},
          {"isnan", 1, 1, IsNan},
          {"iszero", 1, 1, IsZero},
          {"nanvl", 2, 2, Nanvl},
          {"pi", 0, 0, Pi}};
}

}  // namespace lance::filter
