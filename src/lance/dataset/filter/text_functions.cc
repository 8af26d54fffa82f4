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

/// The type of a text argument, string for NULL; an error for other types.
arrow::Result<TypePtr> TextTypeOf(const BoundValue& argument) {
  if (argument.type->id() == arrow::Type::NA) return arrow::utf8();
  if (IsTextType(*argument.type)) return argument.type;
  return Status::Invalid("found a value of type ", argument.type->ToString(), ", expected a text");
}

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

/// Look for a constant text.
CallResult Find(const Arguments& arguments, const char* kernel, const char* what) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, TextTypeOf(arguments[0]));
  ARROW_RETURN_NOT_OK(TextTypeOf(arguments[1]).status());
  ARROW_ASSIGN_OR_RAISE(auto pattern, ConstantText(arguments[1], what));
  auto find = ArrowFunction(
      kernel, std::make_shared<arrow::compute::MatchSubstringOptions>(std::move(pattern)));
  return FunctionCall{arrow::boolean(), {type}, [find](const std::vector<Datum>& values) {
                        return find({values[0]});
                      }};
}

CallResult StartsWith(const Arguments& arguments) {
  return Find(arguments, "starts_with", "the start to look for");
}
CallResult EndsWith(const Arguments& arguments) {
  return Find(arguments, "ends_with", "the end to look for");
}
CallResult Contains(const Arguments& arguments) {
  return Find(arguments, "match_substring", "the text to look for");
}
CallResult RegexpLike(const Arguments& arguments) {
  return Find(arguments, "match_substring_regex", "the regular expression");
}

CallResult Replace(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, TextTypeOf(arguments[0]));
  ARROW_ASSIGN_OR_RAISE(auto pattern, ConstantText(arguments[1], "the text to replace"));
  ARROW_ASSIGN_OR_RAISE(auto replacement, ConstantText(arguments[2], "the replacement"));
  auto replace =
      ArrowFunction("replace_substring", std::make_shared<arrow::compute::ReplaceSubstringOptions>(
                                             std::move(pattern), std::move(replacement)));
  return FunctionCall{
      type, {type}, [replace](const std::vector<Datum>& values) { return replace({values[0]}); }};
}

CallResult Concat(const Arguments& arguments) { return ResolveConcatenation(arguments, true); }

/// A pattern whose escape is a backslash.
arrow::Result<std::string> WithBackslash(const std::string& pattern, std::string_view escape) {
  if (escape.empty() || escape == "\\") return pattern;
  std::string rewritten;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      rewritten += "\\\\";
    } else if (pattern[i] != escape.front()) {
      rewritten += pattern[i];
    } else if (++i < pattern.size()) {
      rewritten += '\\';
      rewritten += pattern[i];
    } else {
      return Status::Invalid("the pattern ends in its escape character");
    }
  }
  return rewritten;
}

}  // namespace

CallResult ResolveLike(const Arguments& arguments, bool ignores_case, std::string_view escape) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, TextTypeOf(arguments[0]));
  if (arguments[1].kind == BoundValue::Kind::kConstant && !arguments[1].constant->is_valid) {
    const auto run = [](const std::vector<Datum>&) -> arrow::Result<Datum> {
      return Datum(arrow::MakeNullScalar(arrow::boolean()));
    };
    return FunctionCall{arrow::boolean(), {type, nullptr}, run};
  }
  ARROW_ASSIGN_OR_RAISE(auto pattern, ConstantText(arguments[1], "the pattern of LIKE"));
  ARROW_ASSIGN_OR_RAISE(pattern, WithBackslash(pattern, escape));
  auto like = ArrowFunction("match_like", std::make_shared<arrow::compute::MatchSubstringOptions>(
                                              std::move(pattern), ignores_case));
  return FunctionCall{arrow::boolean(), {type, nullptr}, [like](const std::vector<Datum>& values) {
                        return like({values[0]});
                      }};
}

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
          {"starts_with", 2, 2, StartsWith},
          {"ends_with", 2, 2, EndsWith},
          {"contains", 2, 2, Contains},
          {"regexp_like", 2, 2, RegexpLike},
          {"replace", 3, 3, Replace},
          {"concat", 1, SIZE_MAX, Concat}};
}

}  // namespace lance::filter
