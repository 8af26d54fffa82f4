#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/dataset/filter/arithmetic.h"
#include "lance/dataset/filter/cast_value.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/functions.h"
#include "lance/dataset/filter/like_pattern.h"
#include "lance/dataset/filter/row_values.h"
#include "lance/dataset/filter/utf8.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Status;
using Arguments = std::vector<BoundValue>;
using CallResult = arrow::Result<FunctionCall>;
using TypePtr = std::shared_ptr<arrow::DataType>;

bool IsNull(const BoundValue& argument) {
  return argument.kind == BoundValue::Kind::kConstant && !argument.constant->is_valid;
}

FunctionCall NullCall(const TypePtr& type) {
  return FunctionCall{type, {}, [type](const std::vector<Datum>&) -> arrow::Result<Datum> {
                        return Datum(arrow::MakeNullScalar(type));
                      }};
}

/// What is asked of a text and of one to look for.
using Test = bool (*)(std::string_view text, std::string_view wanted);

/// A test of two texts of each row; null where one is.
FunctionCall TestCall(Test test) {
  const auto run = [test](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const TextRows texts(values[0]);
    const TextRows wanted(values[1]);
    arrow::BooleanBuilder builder;
    return BuildRows(values, &builder, [&](int64_t i) -> Status {
      if (!texts.IsValid(i) || !wanted.IsValid(i)) return builder.AppendNull();
      return builder.Append(test(texts.Value(i), wanted.Value(i)));
    });
  };
  return FunctionCall{arrow::boolean(), {arrow::utf8(), arrow::utf8()}, run};
}

/// Look for a constant text by a kernel, for others row by row.
CallResult Find(const Arguments& arguments, const char* kernel, Test test) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, TextTypeOf(arguments[0]));
  ARROW_RETURN_NOT_OK(TextTypeOf(arguments[1]).status());
  if (IsNull(arguments[1])) return NullCall(arrow::boolean());
  if (arguments[1].kind != BoundValue::Kind::kConstant) return TestCall(test);
  ARROW_ASSIGN_OR_RAISE(auto pattern, ConstantText(arguments[1], "the text to look for"));
  auto find = ArrowFunction(
      kernel, std::make_shared<arrow::compute::MatchSubstringOptions>(std::move(pattern)));
  return FunctionCall{arrow::boolean(), {type}, [find](const std::vector<Datum>& values) {
                        return find({values[0]});
                      }};
}

CallResult StartsWith(const Arguments& arguments) {
  return Find(arguments, "starts_with", [](std::string_view text, std::string_view wanted) {
    return text.starts_with(wanted);
  });
}

CallResult EndsWith(const Arguments& arguments) {
  return Find(arguments, "ends_with", [](std::string_view text, std::string_view wanted) {
    return text.ends_with(wanted);
  });
}

CallResult Contains(const Arguments& arguments) {
  return Find(arguments, "match_substring", [](std::string_view text, std::string_view wanted) {
    return text.find(wanted) != std::string_view::npos;
  });
}

/// The words of a text: what is between characters that are no letters or digits.
std::set<std::string_view> TokensOf(std::string_view text) {
  std::set<std::string_view> tokens;
  const auto is_letter = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) != 0;
  };
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > begin) tokens.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return tokens;
}

/// Replace every occurrence. An empty one is before each character and at the end.
std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to) {
  std::string replaced;
  while (from.empty() && !text.empty()) {
    const size_t length = OffsetOfCharacter(text, 1);
    replaced.append(to).append(text.substr(0, length));
    text.remove_prefix(length);
  }
  if (from.empty()) return replaced.append(to);
  for (size_t at = text.find(from); at != text.npos; at = text.find(from)) {
    replaced.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return replaced.append(text);
}

/// Whether every word of the second text is one of the first.
CallResult ContainsTokens(const Arguments& arguments) {
  ARROW_RETURN_NOT_OK(TextTypeOf(arguments[0]).status());
  ARROW_RETURN_NOT_OK(TextTypeOf(arguments[1]).status());
  return TestCall([](std::string_view text, std::string_view wanted) {
    return std::ranges::includes(TokensOf(text), TokensOf(wanted));
  });
}

CallResult Replace(const Arguments& arguments) {
  for (const BoundValue& argument : arguments) {
    ARROW_RETURN_NOT_OK(TextTypeOf(argument).status());
  }
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const TextRows texts(values[0]);
    const TextRows wanted(values[1]);
    const TextRows replacements(values[2]);
    arrow::StringBuilder builder;
    return BuildRows(values, &builder, [&](int64_t i) -> Status {
      if (!texts.IsValid(i) || !wanted.IsValid(i) || !replacements.IsValid(i)) {
        return builder.AppendNull();
      }
      return builder.Append(ReplaceAll(texts.Value(i), wanted.Value(i), replacements.Value(i)));
    });
  };
  return FunctionCall{arrow::utf8(), std::vector<TypePtr>(3, arrow::utf8()), run};
}

// --- regular expressions

/// The letters behind a pattern, as the reference takes them: i, m, s, x, U, and what `others` has.
arrow::Result<std::string> FlagsOf(const Arguments& arguments, size_t place,
                                   std::string_view others) {
  if (arguments.size() <= place) return std::string();
  ARROW_ASSIGN_OR_RAISE(std::string flags, ConstantText(arguments[place], "the flags"));
  const size_t wrong = flags.find_first_not_of(std::string("imsU").append(others));
  if (wrong == std::string::npos) return flags;
  return Status::NotImplemented("found the flag ", flags.substr(wrong, 1),
                                " of a regular expression, allowed are i, m, s, U",
                                others.empty() ? "" : " and g");
}

std::string WithFlags(const std::string& pattern, std::string flags) {
  std::erase(flags, 'g');
  return flags.empty() ? pattern : "(?" + flags + ")" + pattern;
}

/// Runs one kernel of regular expressions. \param pattern with its flags
using RunPattern =
    std::function<arrow::Result<Datum>(const Datum& texts, const std::string& pattern)>;

/// A call whose second argument is a pattern: the same for all rows, or each row by itself.
CallResult PatternCall(const Arguments& arguments, const TypePtr& result, const std::string& flags,
                       const RunPattern& run_pattern) {
  ARROW_RETURN_NOT_OK(TextTypeOf(arguments[0]).status());
  ARROW_RETURN_NOT_OK(TextTypeOf(arguments[1]).status());
  if (IsNull(arguments[1])) return NullCall(result);
  const auto run = [=](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const TextRows patterns(values[1]);
    if (values[1].is_scalar()) {
      return run_pattern(values[0], WithFlags(std::string(patterns.Value(0)), flags));
    }
    ARROW_ASSIGN_OR_RAISE(const auto texts, ToArray(values[0], values[1].length()));
    arrow::ArrayVector rows;
    for (int64_t i = 0; i < texts->length(); ++i) {
      if (!patterns.IsValid(i)) {
        ARROW_ASSIGN_OR_RAISE(rows.emplace_back(), arrow::MakeArrayOfNull(result, 1));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(
          const Datum row,
          run_pattern(Datum(texts->Slice(i, 1)), WithFlags(std::string(patterns.Value(i)), flags)));
      rows.push_back(row.make_array());
    }
    if (rows.empty()) {
      ARROW_ASSIGN_OR_RAISE(rows.emplace_back(), arrow::MakeEmptyArray(result));
    }
    ARROW_ASSIGN_OR_RAISE(auto joined, arrow::Concatenate(rows));
    return Datum(std::move(joined));
  };
  FunctionCall call{result, {arrow::utf8(), arrow::utf8()}, run};
  return call;
}

CallResult RegexpLike(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string flags, FlagsOf(arguments, 2, ""));
  return PatternCall(
      arguments, arrow::boolean(), flags, [](const Datum& texts, const std::string& pattern) {
        const arrow::compute::MatchSubstringOptions options(pattern);
        return arrow::compute::CallFunction("match_substring_regex", {texts}, &options);
      });
}

/// A null text has no match, not an unknown number of them, as in the reference.
CallResult RegexpCount(const Arguments& arguments) {
  return PatternCall(
      arguments, arrow::int64(), "",
      [](const Datum& texts, const std::string& pattern) -> arrow::Result<Datum> {
        const arrow::compute::MatchSubstringOptions options(pattern);
        ARROW_ASSIGN_OR_RAISE(
            Datum count, arrow::compute::CallFunction("count_substring_regex", {texts}, &options));
        ARROW_ASSIGN_OR_RAISE(count, CastValue(count, arrow::int64(), /*is_try=*/false));
        return arrow::compute::CallFunction("coalesce", {count, Datum(int64_t{0})});
      });
}

/// The place of the first match in characters, from 1; 0: there is none.
CallResult RegexpInstr(const Arguments& arguments) {
  return PatternCall(
      arguments, arrow::int64(), "",
      [](const Datum& texts, const std::string& pattern) -> arrow::Result<Datum> {
        const arrow::compute::MatchSubstringOptions options(pattern);
        ARROW_ASSIGN_OR_RAISE(
            Datum found, arrow::compute::CallFunction("find_substring_regex", {texts}, &options));
        ARROW_ASSIGN_OR_RAISE(found, CastValue(found, arrow::int64(), /*is_try=*/false));
        const TextRows rows(texts);
        const NumberRows<arrow::Int64Type> offsets(found);
        arrow::Int64Builder builder;
        return BuildRows({texts}, &builder, [&](int64_t i) -> Status {
          if (!rows.IsValid(i)) return builder.AppendNull();
          const int64_t offset = offsets.Value(i);
          if (offset < 0) return builder.Append(0);
          return builder.Append(
              CountCharacters(rows.Value(i).substr(0, static_cast<size_t>(offset))) + 1);
        });
      });
}

/// The groups of a replacement, \1 or $1, as \1.
std::string WithBackslashGroups(std::string_view replacement) {
  std::string rewritten;
  for (size_t i = 0; i < replacement.size(); ++i) {
    const bool is_group = replacement[i] == '$' && i + 1 < replacement.size() &&
                          std::isdigit(static_cast<unsigned char>(replacement[i + 1])) != 0;
    rewritten += is_group ? '\\' : replacement[i];
  }
  return rewritten;
}

/// Replace the first match, with the flag g all; the replacement has \1 or $1 for the first group.
CallResult RegexpReplace(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string flags, FlagsOf(arguments, 3, "g"));
  ARROW_ASSIGN_OR_RAISE(std::string replacement, ConstantText(arguments[2], "the replacement"));
  replacement = WithBackslashGroups(replacement);
  const int64_t most = flags.find('g') == std::string::npos ? 1 : -1;
  return PatternCall(
      arguments, arrow::utf8(), flags,
      [replacement, most](const Datum& texts, const std::string& pattern) {
        const arrow::compute::ReplaceSubstringOptions options(pattern, replacement, most);
        return arrow::compute::CallFunction("replace_substring_regex", {texts}, &options);
      });
}

/// A pattern whose groups have names, g0 the whole match, and how many groups it has besides.
std::pair<std::string, int> NameGroups(std::string_view pattern) {
  std::string named = "(?P<g0>";
  int count = 0;
  bool is_in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    named += pattern[i];
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      named += pattern[++i];
    } else if (is_in_class) {
      is_in_class = pattern[i] != ']';
    } else if (pattern[i] == '[') {
      is_in_class = true;
    } else if (pattern[i] == '(' && (i + 1 >= pattern.size() || pattern[i + 1] != '?')) {
      named += "?P<g" + std::to_string(++count) + ">";
    }
  }
  return {named + ")", count};
}

/// The texts of the groups of the first match, or of the whole match when there is no group.
CallResult RegexpMatch(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string flags, FlagsOf(arguments, 2, ""));
  const TypePtr result = arrow::list(arrow::utf8());
  return PatternCall(
      arguments, result, flags,
      [result](const Datum& texts, const std::string& pattern) -> arrow::Result<Datum> {
        const auto [named, num_groups] = NameGroups(pattern);
        const arrow::compute::ExtractRegexOptions options(named);
        ARROW_ASSIGN_OR_RAISE(const auto values, ToArray(texts, NumRows({texts})));
        ARROW_ASSIGN_OR_RAISE(const Datum groups,
                              arrow::compute::CallFunction("extract_regex", {values}, &options));
        const auto matches = std::static_pointer_cast<arrow::StructArray>(groups.make_array());
        std::vector<TextRows> parts;
        for (int i = num_groups > 0 ? 1 : 0; i <= num_groups; ++i) {
          parts.emplace_back(Datum(matches->GetFieldByName("g" + std::to_string(i))));
        }
        auto items = std::make_shared<arrow::StringBuilder>();
        arrow::ListBuilder builder(arrow::default_memory_pool(), items, result);
        return BuildRows({texts}, &builder, [&](int64_t i) -> Status {
          if (matches->IsNull(i)) return builder.AppendNull();
          ARROW_RETURN_NOT_OK(builder.Append());
          for (const TextRows& part : parts) ARROW_RETURN_NOT_OK(items->Append(part.Value(i)));
          return Status::OK();
        });
      });
}

arrow::Result<Datum> PatternsWithBackslash(const Datum& given, std::string_view escape) {
  const TextRows patterns(given);
  arrow::StringBuilder builder;
  return BuildRows({given}, &builder, [&](int64_t i) -> Status {
    if (!patterns.IsValid(i)) return builder.AppendNull();
    ARROW_ASSIGN_OR_RAISE(const std::string pattern, WithBackslash(patterns.Value(i), escape));
    return builder.Append(pattern);
  });
}

/// LIKE with a pattern that differs from row to row.
FunctionCall LikeRows(bool ignores_case, std::string_view escape) {
  const auto run =
      [=, escape = std::string(escape)](const std::vector<Datum>& given) -> arrow::Result<Datum> {
    std::vector<Datum> values = given;
    // Before the case is changed: the escape may be a letter.
    if (!escape.empty() && escape != "\\") {
      ARROW_ASSIGN_OR_RAISE(values[1], PatternsWithBackslash(values[1], escape));
    }
    for (Datum& value : values) {
      if (!ignores_case) break;
      ARROW_ASSIGN_OR_RAISE(value, arrow::compute::CallFunction("utf8_lower", {value}));
    }
    const TextRows texts(values[0]);
    const TextRows patterns(values[1]);
    arrow::BooleanBuilder builder;
    return BuildRows(values, &builder, [&](int64_t i) -> Status {
      if (!texts.IsValid(i) || !patterns.IsValid(i)) return builder.AppendNull();
      return builder.Append(MatchesLike(texts.Value(i), patterns.Value(i)));
    });
  };
  return FunctionCall{arrow::boolean(), {arrow::utf8(), arrow::utf8()}, run};
}

}  // namespace

CallResult ResolveLike(const Arguments& arguments, bool ignores_case, std::string_view escape) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, TextTypeOf(arguments[0]));
  ARROW_RETURN_NOT_OK(TextTypeOf(arguments[1]).status());
  if (IsNull(arguments[1])) {
    FunctionCall call = NullCall(arrow::boolean());
    call.argument_types = {type, nullptr};
    return call;
  }
  if (arguments[1].kind != BoundValue::Kind::kConstant) return LikeRows(ignores_case, escape);
  ARROW_ASSIGN_OR_RAISE(auto pattern, ConstantText(arguments[1], "the pattern of LIKE"));
  ARROW_ASSIGN_OR_RAISE(pattern, WithBackslash(pattern, escape));
  // Arrow takes some patterns with a backslash for others: 'a\\\\%' for the start 'a\\\\'.
  const bool has_escape = pattern.find('\\') != pattern.npos;
  if (has_escape) pattern = RegexOfLike(pattern);
  auto like = ArrowFunction(
      has_escape ? "match_substring_regex" : "match_like",
      std::make_shared<arrow::compute::MatchSubstringOptions>(std::move(pattern), ignores_case));
  return FunctionCall{arrow::boolean(), {type, nullptr}, [like](const std::vector<Datum>& values) {
                        return like({values[0]});
                      }};
}

std::vector<FunctionEntry> TextSearchFunctions() {
  return {{"starts_with", 2, 2, StartsWith},   {"ends_with", 2, 2, EndsWith},
          {"contains", 2, 2, Contains},        {"contains_tokens", 2, 2, ContainsTokens},
          {"replace", 3, 3, Replace},          {"regexp_like", 2, 3, RegexpLike},
          {"regexp_match", 2, 3, RegexpMatch}, {"regexp_replace", 3, 4, RegexpReplace},
          {"regexp_count", 2, 2, RegexpCount}, {"regexp_instr", 2, 2, RegexpInstr}};
}

}  // namespace lance::filter
