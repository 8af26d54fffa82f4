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

bool IsLarge(const arrow::DataType& type) { return type.id() == arrow::Type::LARGE_STRING; }

/// One text to a text.
CallResult TextToText(const Arguments& arguments, const char* kernel) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, TextTypeOf(arguments[0]));
  return FunctionCall{type, {type}, ArrowFunction(kernel)};
}

CallResult Lower(const Arguments& arguments) { return TextToText(arguments, "utf8_lower"); }
CallResult Upper(const Arguments& arguments) { return TextToText(arguments, "utf8_upper"); }
CallResult Reverse(const Arguments& arguments) { return TextToText(arguments, "utf8_reverse"); }

/// A length, of type int32, for large texts int64.
CallResult LengthBy(const Arguments& arguments, const char* kernel, int factor) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, TextTypeOf(arguments[0]));
  const TypePtr result = IsLarge(*type) ? arrow::int64() : arrow::int32();
  const auto run = [kernel, factor,
                    result](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    auto length = arrow::compute::CallFunction(kernel, values);
    if (factor == 1) return length;
    ARROW_ASSIGN_OR_RAISE(const Datum many, CastValue(Datum(factor), result, false));
    return arrow::compute::CallFunction("multiply", {*std::move(length), many});
  };
  return FunctionCall{result, {type}, run};
}

CallResult Length(const Arguments& arguments) { return LengthBy(arguments, "utf8_length", 1); }
CallResult OctetLength(const Arguments& arguments) {
  return LengthBy(arguments, "binary_length", 1);
}
CallResult BitLength(const Arguments& arguments) { return LengthBy(arguments, "binary_length", 8); }

/// Take characters off the ends: blanks, or those of the second argument.
CallResult Trim(const Arguments& arguments, const char* kernel) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, TextTypeOf(arguments[0]));
  std::string characters = " ";
  if (arguments.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(characters, ConstantText(arguments[1], "the characters to trim"));
  }
  auto trim =
      ArrowFunction(kernel, std::make_shared<arrow::compute::TrimOptions>(std::move(characters)));
  return FunctionCall{
      type, {type}, [trim](const std::vector<Datum>& values) { return trim({values[0]}); }};
}

CallResult TrimBoth(const Arguments& arguments) { return Trim(arguments, "utf8_trim"); }
CallResult TrimLeft(const Arguments& arguments) { return Trim(arguments, "utf8_ltrim"); }
CallResult TrimRight(const Arguments& arguments) { return Trim(arguments, "utf8_rtrim"); }

CallResult Concat(const Arguments& arguments) { return ResolveConcatenation(arguments, true); }

}  // namespace

CallResult ResolveConcatenation(const Arguments& arguments, bool leaves_nulls_out) {
  TypePtr type = arrow::utf8();
  bool has_text = leaves_nulls_out;
  for (const BoundValue& argument : arguments) {
    if (IsLarge(*argument.type)) type = argument.type;
    has_text = has_text || IsTextType(*argument.type);
    if (!CanCast(*argument.type, *type)) {
      return Status::NotImplemented("values of type ", argument.type->ToString(),
                                    " cannot be joined to a text yet");
    }
  }
  if (!has_text) {
    return Status::Invalid("found ", arguments[0].type->ToString(), " || ",
                           arguments[1].type->ToString(), ", expected a text on one side");
  }
  const arrow::compute::JoinOptions options(leaves_nulls_out
                                                ? arrow::compute::JoinOptions::REPLACE
                                                : arrow::compute::JoinOptions::EMIT_NULL,
                                            "");
  const auto run = [options, type](std::vector<Datum> values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(Datum separator, CastValue(Datum(""), type, false));
    values.push_back(std::move(separator));
    return arrow::compute::CallFunction("binary_join_element_wise", values, &options);
  };
  return FunctionCall{type, std::vector<TypePtr>(arguments.size(), type), run};
}

std::vector<FunctionEntry> TextFunctions() {
  return {{"lower", 1, 1, Lower},
          {"upper", 1, 1, Upper},
          {"reverse", 1, 1, Reverse},
          {"length", 1, 1, Length},
          {"char_length", 1, 1, Length},
          {"character_length", 1, 1, Length},
          {"octet_length", 1, 1, OctetLength},
          {"bit_length", 1, 1, BitLength},
          {"btrim", 1, 2, TrimBoth},
          {"ltrim", 1, 2, TrimLeft},
          {"rtrim", 1, 2, TrimRight},
          {"concat", 1, SIZE_MAX, Concat}};
}

}  // namespace lance::filter
