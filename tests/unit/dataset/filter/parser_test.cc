#include "lance/dataset/filter/parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/status_detail.h"
#include "lance/testing/matchers.h"

namespace lance::filter {
namespace {

using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;

std::string Repeat(const std::string& text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) repeated += text;
  return repeated;
}

struct Canonical {
  const char* sql;
  const char* canonical;
};

/// What precedence and normal forms make of a text. Canonical text shows the tree: it has
/// parentheses where the tree is not the one that precedence gives.
const Canonical kCanonical[] = {
    {"a=1", "a = 1"},
    {"1 = a", "1 = a"},
    {"a == 1", "a = 1"},
    {"a != 1", "a <> 1"},
    {"( ( a ) ) <= ( 1 )", "a <= 1"},
    {"a = 1 or b and c", "a = 1 OR b AND c"},
    {"(a = 1 or b) and c", "(a = 1 OR b) AND c"},
    {"a and (b and c) and d", "a AND b AND c AND d"},
    {"a or (b or c and d)", "a OR b OR c AND d"},
    {"not a = 1 and b", "NOT a = 1 AND b"},
    {"not (a = 1 and b)", "NOT (a = 1 AND b)"},
    {"not not (not a)", "NOT NOT NOT a"},
    {"not a is null", "NOT a IS NULL"},
    {"(not a) is null", "(NOT a) IS NULL"},
    {"a = 1 is true", "(a = 1) IS TRUE"},
    {"a = (b is true)", "a = (b IS TRUE)"},
    {"a is null = true", "(a IS NULL) = TRUE"},
    {"a is null is not false", "(a IS NULL) IS NOT FALSE"},
    {"a = 1 = true", "(a = 1) = TRUE"},
    {"a = (b = c)", "a = (b = c)"},
    {"a = not b = c", "a = (NOT b = c)"},
    {"a = not b and c", "a = (NOT b) AND c"},
    {"a between 1 and 2 and b", "a BETWEEN 1 AND 2 AND b"},
    {"a between 1 and 2 = true", "(a BETWEEN 1 AND 2) = TRUE"},
    {"a not between -1 and - - 2", "a NOT BETWEEN -1 AND 2"},
    {"a in(1,-2,'x',null)", "a IN (1, -2, 'x', NULL)"},
    {"a not in (1) is true", "(a NOT IN (1)) IS TRUE"},
    {"not a in (1)", "NOT a IN (1)"},
    {"a in (b and c, (1))", "a IN (b AND c, 1)"},
    {"TRUE and False or nUlL", "TRUE AND FALSE OR NULL"},
    {"a = 007", "a = 7"},
    {"a = 18446744073709551615", "a = 18446744073709551615"},
    {"a = 18446744073709551616", "a = 18446744073709551616.0"},
    {"a = -0", "a = 0"},
    {"a = -0.0", "a = -0.0"},
    {"a = 1.50", "a = 1.5"},
    {"a = 2.", "a = 2.0"},
    {"a = .5e1", "a = 5.0"},
    {"a = 1e400", "a = 1e999"},
    {"a = -1e400", "a = -1e999"},
    {"a = 1e-400", "a = 0.0"},
    {"a = 'it''s'", "a = 'it''s'"},
    {"a = \"it's\"", "a = 'it''s'"},
    {"a = x'0aFf'", "a = X'0AFF'"},
    {"a = 0x0aFf", "a = X'0AFF'"},
    {"a = date '1970-1-2'", "a = DATE '1970-1-2'"},
    {"a = timestamp \"1970-01-02\"", "a = TIMESTAMP '1970-01-02'"},
    {"a = timestamp(6) '1970-01-02'", "a = TIMESTAMP '1970-01-02'"},
    {"a = timestamp ( 9 ) '1970-01-02'", "a = TIMESTAMP(9) '1970-01-02'"},
    {"`a` = `b``c`", "`a` = `b``c`"},
    {"date = timestamp", "date = timestamp"},
    {"date is null", "date IS NULL"},
    {"select = x", "select = x"},
    {"a = 1; drop table t", "a = 1"},
    {"a /* c */ = -- d\n 1", "a = 1"},
    {"a+1*b = 2", "(a + (1 * b)) = 2"},
    {"(a+1)*b", "(a + 1) * b"},
    {"a - 1 - b", "(a - 1) - b"},
    {"a / b % c", "(a / b) % c"},
    {"a + b || c", "a + (b || c)"},
    {"a < b + 1 and c", "a < (b + 1) AND c"},
    {"-a = 1", "(-(a)) = 1"},
    {"- - a", "-(-(a))"},
    {"-(1)", "-1"},
    {"-a * b", "(-(a)) * b"},
    {"a - -1", "a - -1"},
    {"a like 'x%'", "a LIKE 'x%'"},
    {"a not ilike 'x' and b", "a NOT ILIKE 'x' AND b"},
    {"a like 'x!%' escape '!'", "a LIKE 'x!%' ESCAPE '!'"},
    {"a = 1 like b", "(a = 1) LIKE b"},
    {"a is distinct from 1 and b", "a IS DISTINCT FROM 1 AND b"},
    {"a is not distinct from b + 1", "a IS NOT DISTINCT FROM (b + 1)"},
    {"cast(a as int unsigned) = 1", "CAST(a AS INT UNSIGNED) = 1"},
    {"try_cast(a + 1 as decimal(10,2))", "TRY_CAST(a + 1 AS DECIMAL(10, 2))"},
    {"a::bigint + 1", "CAST(a AS BIGINT) + 1"},
    {"-a::bigint", "CAST(-(a) AS BIGINT)"},
    {"LOWER(a) = 'x'", "lower(a) = 'x'"},
    {"pi() * coalesce(a, b, 1)", "pi() * coalesce(a, b, 1)"},
    {"a.b.c = 1", "a.b.c = 1"},
    {"`a`.`b``c`", "`a`.`b``c`"},
    {"a['b'].c", "a.b.c"},
    {"a[1][-2]", "a[1][-2]"},
    {"a[b + 1].c", "array_element(a, b + 1).c"},
    {"ARRAY[1, -2,NULL]", "[1, -2, NULL]"},
    {"[ 'a' ][1] = f(x)[2]", "['a'][1] = f(x)[2]"},
    {"[]", "[]"},
    {"a + 1 << 2 < 3", "((a + 1) << 2) < 3"},
    {"a << 1 >> 2", "(a << 1) >> 2"},
};

TEST(ParseFilter, BindsOperatorsAsInTheDialect) {
  for (const Canonical& expected : kCanonical) {
    const auto tree = ParseFilter(expected.sql);

    ASSERT_THAT(tree, testing::IsOk()) << expected.sql;
    EXPECT_EQ(CanonicalSql(**tree), expected.canonical) << expected.sql;
  }
}

TEST(ParseFilter, ReadsCanonicalTextAsTheSameTree) {
  for (const Canonical& expected : kCanonical) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto tree, ParseFilter(expected.sql));
    const auto again = ParseFilter(CanonicalSql(*tree));

    ASSERT_THAT(again, testing::IsOk()) << expected.canonical;
    EXPECT_TRUE(SameExpression(*tree, **again)) << expected.canonical;
  }
}

TEST(SameExpression, TellsTreesApart) {
  const std::vector<const char*> different = {"a",
                                              "`a`",
                                              "b",
                                              "NOT a",
                                              "a = 1",
                                              "a = 2",
                                              "a = -1",
                                              "a = 1.0",
                                              "a = '1'",
                                              "a = X'31'",
                                              "a < 1",
                                              "1 = a",
                                              "a IN (1)",
                                              "a NOT IN (1)",
                                              "a IN (1, 1)",
                                              "a IS NULL",
                                              "a IS NOT NULL",
                                              "a IS TRUE",
                                              "a IS FALSE",
                                              "a IS NOT TRUE",
                                              "a AND b",
                                              "a OR b",
                                              "a AND b AND c",
                                              "a BETWEEN 1 AND 2",
                                              "a = DATE '1970-01-02'",
                                              "a = TIMESTAMP '1970-01-02'",
                                              "a = TIMESTAMP(9) '1970-01-02'"};
  for (size_t i = 0; i < different.size(); ++i) {
    for (size_t j = 0; j < different.size(); ++j) {
      LANCE_ASSERT_OK_AND_ASSIGN(const auto left, ParseFilter(different[i]));
      LANCE_ASSERT_OK_AND_ASSIGN(const auto right, ParseFilter(different[j]));
      EXPECT_EQ(SameExpression(*left, *right), i == j) << different[i] << " | " << different[j];
    }
  }
}

TEST(ParseFilter, SpansHoldTheWholeExpression) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto tree, ParseFilter("  a IN (1, 2)  "));

  EXPECT_EQ(tree->span.offset, 2U);
  EXPECT_EQ(tree->span.length, 11U);
  EXPECT_EQ(tree->children[2]->span.offset, 11U);
}

TEST(ParseFilter, AcceptsNestingUpToTheLimit) {
  for (const int depth : {400, kMaxNesting}) {
    EXPECT_THAT(ParseFilter(Repeat("(", depth) + "a = 1" + Repeat(")", depth)), testing::IsOk());
    EXPECT_THAT(ParseFilter("a = " + Repeat("- ", depth) + "1"), testing::IsOk());
  }
  EXPECT_THAT(ParseFilter(Repeat("NOT ", Expression::kMaxDepth - 1) + "a"), testing::IsOk());
  EXPECT_THAT(ParseFilter("a" + Repeat(" IS NULL", Expression::kMaxDepth - 1)), testing::IsOk());
}

TEST(ParseFilter, ReadsTheCanonicalTextOfTheHighestTree) {
  const int height = Expression::kMaxDepth - 1;
  for (const std::string& sql : {"a" + Repeat(" = b", height), "a" + Repeat(" IS NULL", height),
                                 Repeat("NOT ", height) + "a",
                                 Repeat("NOT (a AND ", height / 2) + "b" + Repeat(")", height / 2),
                                 Repeat("a = (NOT ", height / 2) + "b" + Repeat(")", height / 2)}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto tree, ParseFilter(sql));
    const auto again = ParseFilter(CanonicalSql(*tree));

    ASSERT_THAT(again, testing::IsOk());
    EXPECT_TRUE(SameExpression(*tree, **again));
  }
}

TEST(ParseFilter, RefusesDeeperNestingAtItsPlace) {
  const auto parentheses = ParseFilter(Repeat("(", 20000) + "a = 1" + Repeat(")", 20000));

  EXPECT_THAT(parentheses, testing::IsInvalid(HasSubstr("nest more than 500 deep")));
  EXPECT_THAT(parentheses, testing::HasDetail<FilterError>(Field(&FilterError::offset, 500U)));
  for (const std::string& sql :
       {Repeat("NOT ", 20000) + "a", "a = " + Repeat("- ", 20000) + "1", Repeat("a IN (", 20000),
        Repeat("[", 20000), Repeat("a[", 20000), Repeat("f(", 20000), Repeat("[-", 20000)}) {
    EXPECT_THAT(ParseFilter(sql), testing::IsInvalid(HasSubstr("nest more than 500 deep")));
  }
  for (const std::string& sql :
       {"a" + Repeat(" = b", 20000), "a" + Repeat(" IS NULL", 20000),
        "a" + Repeat(" IN (1)", 20000), "a" + Repeat("[1]", 20000), "a" + Repeat(" << 1", 20000)}) {
    EXPECT_THAT(ParseFilter(sql), testing::IsInvalid(HasSubstr("more than 500 operators deep")));
  }
}

TEST(ParseFilter, KeepsLongChainsFlat) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto chain, ParseFilter("a" + Repeat(" AND a", 9999)));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto list, ParseFilter("a IN (1" + Repeat(", 1", 9999) + ")"));

  EXPECT_EQ(chain->children.size(), 10000U);
  EXPECT_EQ(chain->depth, 2);
  EXPECT_EQ(list->children.size(), 10001U);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto array, ParseFilter("[1" + Repeat(", -1", 9999) + "]"));
  EXPECT_EQ(array->children.size(), 10000U);
}

struct BadText {
  const char* name;
  const char* sql;
  size_t offset;
  size_t length;
  const char* message;
};

class ParseFilterWrong : public ::testing::TestWithParam<BadText> {};

TEST_P(ParseFilterWrong, SaysWhatIsExpectedAtThePlace) {
  const BadText& bad = GetParam();

  const auto tree = ParseFilter(bad.sql);

  EXPECT_THAT(tree, testing::IsInvalid(HasSubstr(bad.message)));
  EXPECT_THAT(tree,
              testing::HasDetail<FilterError>(AllOf(Field(&FilterError::offset, bad.offset),
                                                    Field(&FilterError::length, bad.length))));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseFilterWrong,
    ::testing::Values(
        BadText{"Empty", "", 0, 0, "the filter is empty, expected an expression"},
        BadText{"Blank", " \n", 2, 0, "the filter is empty"},
        BadText{"OnlyComment", "-- a", 4, 0, "the filter is empty"},
        BadText{"OnlySemicolon", "; a = 1", 0, 0, "the filter is empty"},
        BadText{"NoRightSide", "a =", 3, 0, "found the end of the filter, expected a column or"},
        BadText{"TwoOperators", "a = = 1", 4, 1, "found =, expected a column or a value"},
        BadText{"BrokenOperator", "a < > 1", 4, 1, "found >, expected a column or a value"},
        BadText{"LoneExclamationMark", "a ! = 1", 2, 1, "found !, expected AND, OR or the end"},
        BadText{"OpenParenthesis", "(a = 1", 6, 0, "found the end of the filter, expected )"},
        BadText{"StrayParenthesis", "a = 1)", 5, 1, "found ), expected AND, OR or the end"},
        BadText{"TrailingWord", "a = 1 b", 6, 1, "found b, expected AND, OR or the end"},
        BadText{"TrailingComma", "a = 1,", 5, 1, "found ,, expected AND, OR or the end"},
        BadText{"TwoTexts", "a = 'a' 'b'", 8, 3, "found 'b', expected AND, OR or the end"},
        BadText{"MissingLeftSide", "and a", 0, 3, "found and, expected a column or a value; a co"},
        BadText{"ReservedColumn", "between = 1", 0, 7,
                "a column of that name is written `between`"},
        BadText{"MissingRightOfAnd", "a and", 5, 0, "found the end of the filter, expected a colu"},
        BadText{"NotAlone", "not", 3, 0, "found the end of the filter"},
        BadText{"NotBeforeOperator", "a not = 1", 2, 3, "found not, expected AND, OR or the end"},
        BadText{"EmptyList", "a in ()", 6, 1, "found ), expected a column or a value"},
        BadText{"ListWithoutParentheses", "a in 1", 5, 1, "found 1, expected a list in parenthe"},
        BadText{"OpenList", "a in (1", 7, 0, "found the end of the filter, expected , or )"},
        BadText{"ListEndsWithComma", "a in (1,)", 8, 1, "found ), expected a column or a value"},
        BadText{"Subquery", "a in (select 1)", 6, 6, "found a subquery, expected values"},
        BadText{"Tuple", "(a, b) = (1, 2)", 2, 1, "found a list, expected one value and )"},
        BadText{"BetweenWithoutAnd", "a between 1 or 2", 12, 2, "found or, expected AND and the u"},
        BadText{"BetweenWithoutUpper", "a between 1", 11, 0, "expected AND and the upper bound"},
        BadText{"IsNothing", "a is", 4, 0, "found the end of the filter, expected NULL, TRUE, F"},
        BadText{"IsNumber", "a is not 5", 9, 1, "found 5, expected NULL, TRUE, FALSE or"},
        BadText{"IsUnknown", "a is unknown", 5, 7, "found unknown, expected NULL, TRUE, FALSE"},
        BadText{"MinusText", "a = -'x'", 5, 3, "found the text 'x' after -, expected a number"},
        BadText{"MinusNull", "a = - null", 6, 4, "found NULL after -, expected a number"},
        BadText{"BadDate", "a = date '2022-02-30'", 9, 12, "found '2022-02-30', expected a date"},
        BadText{"BadTime", "a = timestamp '24:00'", 14, 7,
                "found '24:00', expected a time such as"},
        BadText{"BadPrecision", "timestamp(2) 'x' = a", 10, 1, "allowed are 0, 3, 6 and 9"},
        BadText{"PrecisionWithoutText", "timestamp(3) = a", 13, 1, "found =, expected a text"},
        BadText{"OpenPrecision", "timestamp(3 'x'", 12, 3, "found 'x', expected )"},
        BadText{"Placeholder", "a = ?", 4, 1, "found the placeholder ?, expected a value"},
        BadText{"NamedPlaceholder", "a = :x", 4, 1, "found the placeholder :"},
        BadText{"Case", "case when a then b end", 0, 4, "CASE is not part of the filter dialect"}),
    [](const auto& param) { return param.param.name; });

struct LaterText {
  const char* name;
  const char* sql;
  size_t offset;
  size_t length;
  const char* message;
};

class ParseFilterLater : public ::testing::TestWithParam<LaterText> {};

TEST_P(ParseFilterLater, SaysWhatIsAllowedNow) {
  const LaterText& later = GetParam();

  const auto tree = ParseFilter(later.sql);

  EXPECT_THAT(tree, testing::IsNotImplemented(AllOf(
                        HasSubstr(later.message),
                        HasSubstr("not supported yet; allowed now: = <> < <= > >=, AND, OR"))));
  EXPECT_THAT(tree,
              testing::HasDetail<FilterError>(AllOf(Field(&FilterError::offset, later.offset),
                                                    Field(&FilterError::length, later.length))));
}

INSTANTIATE_TEST_SUITE_P(All, ParseFilterLater,
                         ::testing::Values(LaterText{"And", "a & 1 = 2", 2, 1, "the operator & is"},
                                           LaterText{"Tilde", "~a = 2", 0, 1, "the operator ~ is"},
                                           LaterText{"SimilarTo", "a similar to 'x'", 2, 7,
                                                     "the operator similar is"},
                                           LaterText{"TypedLiteral", "a = time '00:00:00'", 4, 15,
                                                     "typed literals other"}),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace lance::filter
