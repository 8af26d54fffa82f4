#include "lance/dataset/filter/lexer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/status_detail.h"
#include "lance/testing/matchers.h"

namespace lance::filter {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

/// The tokens as written, each behind a letter for its kind.
std::vector<std::string> Kinds(std::string_view sql) {
  std::vector<std::string> texts;
  const auto tokens = Tokenize(sql);
  if (!tokens.ok()) return {tokens.status().ToString()};
  for (const Token& token : *tokens) {
    constexpr std::string_view kLetters = "EWQNTDBS";
    texts.push_back(std::string(1, kLetters[static_cast<size_t>(token.kind)]) + " " +
                    std::string(token.text));
  }
  return texts;
}

TEST(Tokenize, CutsWordsNumbersTextsAndSymbols) {
  EXPECT_THAT(Kinds("a>=1.5 AND`b c`<>'x''y'"),
              ElementsAre("W a", "S >=", "N 1.5", "W AND", "Q `b c`", "S <>", "T 'x''y'", "E "));
  EXPECT_THAT(Kinds("\"q\"\"r\" X'0a' x'' 0x0A"),
              ElementsAre("D \"q\"\"r\"", "B X'0a'", "B x''", "B 0x0A", "E "));
  EXPECT_THAT(Kinds("x0 x 'a'"), ElementsAre("W x0", "W x", "T 'a'", "E "));
}

TEST(Tokenize, KnowsEveryFormOfNumber) {
  EXPECT_THAT(Kinds("0 007 1. .5 1.5 1e3 1.e0 1E-2 1e+2"),
              ElementsAre("N 0", "N 007", "N 1.", "N .5", "N 1.5", "N 1e3", "N 1.e0", "N 1E-2",
                          "N 1e+2", "E "));
}

TEST(Tokenize, TakesTheLongestSymbol) {
  EXPECT_THAT(Kinds("< <= <> <=> = == != || :: -> - ("),
              ElementsAre("S <", "S <=", "S <>", "S <=>", "S =", "S ==", "S !=", "S ||",
                          "S ::", "S ->", "S -", "S (", "E "));
}

TEST(Tokenize, SkipsCommentsAndBlanks) {
  EXPECT_THAT(Kinds("a -- b 'c\n= /* d ' */ 1\t\r\n"), ElementsAre("W a", "S =", "N 1", "E "));
}

TEST(Tokenize, IgnoresWhatFollowsASemicolon) {
  EXPECT_THAT(Kinds("a; 'open"), ElementsAre("W a", "E "));
  EXPECT_THAT(Kinds("a = ';'"), ElementsAre("W a", "S =", "T ';'", "E "));
}

TEST(Tokenize, TakesLettersOfEveryLanguage) {
  EXPECT_THAT(Kinds("gr\xC3\xB6\xC3\x9F"
                    "e=\xE6\x97\xA5\xE6\x9C\xAC"),
              ElementsAre("W gr\xC3\xB6\xC3\x9F"
                          "e",
                          "S =", "W \xE6\x97\xA5\xE6\x9C\xAC", "E "));
}

TEST(Tokenize, CountsSpansInBytes) {
  const auto tokens = Tokenize("\xC3\xB6 = 'x'");

  ASSERT_THAT(tokens, testing::IsOk());
  EXPECT_EQ((*tokens)[2].span.offset, 5U);
  EXPECT_EQ((*tokens)[2].span.length, 3U);
  EXPECT_EQ((*tokens)[3].span.offset, 8U);
  EXPECT_EQ((*tokens)[3].span.length, 0U);
}

struct BadText {
  const char* name;
  std::string_view sql;
  size_t offset;
  size_t length;
  const char* message;
};

class TokenizeBadText : public ::testing::TestWithParam<BadText> {};

TEST_P(TokenizeBadText, NamesThePlace) {
  const BadText& bad = GetParam();

  const auto tokens = Tokenize(bad.sql);

  EXPECT_THAT(tokens, testing::IsInvalid(HasSubstr(bad.message)));
  EXPECT_THAT(tokens,
              testing::HasDetail<FilterError>(AllOf(Field(&FilterError::offset, bad.offset),
                                                    Field(&FilterError::length, bad.length))));
}

INSTANTIATE_TEST_SUITE_P(
    All, TokenizeBadText,
    ::testing::Values(
        BadText{"OpenText", "a = 'it", 4, 3, "the text is never closed, expected '"},
        BadText{"OpenTextAfterDoubledQuote", "a = ''' ", 4, 4, "the text is never closed"},
        BadText{"OpenDoubleQuotes", "a = \"it", 4, 3, "the text is never closed, expected \""},
        BadText{"OpenBackticks", "`a = 1", 0, 6, "the column name is never closed, expected `"},
        BadText{"OpenBinary", "a = X'0A", 4, 4, "the binary literal is never closed"},
        BadText{"OpenComment", "a /* b", 2, 4, "the comment is never closed, expected */"},
        BadText{"OddBinary", "a = X'0'", 4, 4, "found X'0', expected an even number"},
        BadText{"BinaryWithOtherLetters", "a = X'0g'", 4, 5,
                "found X'0g', expected an even number"},
        BadText{"OddHexNumber", "a = 0x0", 4, 3, "found 0x0, expected an even number"},
        BadText{"NumberThenLetters", "a = 1abc", 4, 4, "found 1abc, expected a number"},
        BadText{"ExponentWithoutDigits", "a = 1e", 4, 2, "found 1e, expected a number"},
        BadText{"NumberWithUnderscore", "a = 1_000", 4, 5, "found 1_000, expected a number"},
        BadText{"ControlCharacter", "a \x01 b", 2, 1, "found a control character"},
        BadText{"ZeroByte", std::string_view("a = 1\0", 6), 5, 1, "found a control character"},
        BadText{"BrokenUtf8", "\xC3\xB6 = '\xFF'", 6, 1, "byte 6 is not part of a UTF-8"},
        BadText{"CutUtf8", "a = '\xE6\x97", 5, 1, "byte 5 is not part of a UTF-8"}),
    [](const auto& param) { return param.param.name; });

TEST(Unquote, MakesDoubledQuotesSingle) {
  EXPECT_EQ(Unquote("'it''s'"), "it's");
  EXPECT_EQ(Unquote("''''"), "'");
  EXPECT_EQ(Unquote("''"), "");
  EXPECT_EQ(Unquote("`a``b'`"), "a`b'");
}

TEST(IsBareIdentifier, RefusesReservedWordsAndPunctuation) {
  for (const char* name : {"a", "_a1", "select", "date", "\xC3\xB6", "Unknown"}) {
    EXPECT_TRUE(IsBareIdentifier(name)) << name;
  }
  for (const char* name : {"", "1a", "a b", "a.b", "and", "Not", "NULL", "between", "a`"}) {
    EXPECT_FALSE(IsBareIdentifier(name)) << name;
  }
}

}  // namespace
}  // namespace lance::filter
