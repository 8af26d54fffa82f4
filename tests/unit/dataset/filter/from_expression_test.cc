#include "lance/dataset/filter/from_expression.h"

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/compute/expression.h"
#include "arrow/json/from_string.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/base/executor.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/dataset/filter/scalar_sql.h"
#include "lance/filter.h"
#include "lance/status_detail.h"
#include "lance/testing/matchers.h"
#include "sample_rows.h"

namespace lance::filter {
namespace {

namespace cp = arrow::compute;
using cp::call;
using cp::field_ref;
using cp::literal;
using ::testing::HasSubstr;

cp::Expression IsIn(const char* column, const char* members,
                    cp::SetLookupOptions::NullMatchingBehavior nulls) {
  const auto set = arrow::json::ArrayFromJSONString(arrow::int8(), members).ValueOrDie();
  return call("is_in", {field_ref(column)}, cp::SetLookupOptions(set, nulls));
}

cp::Expression Match(const char* function, const char* pattern, bool ignores_case = false) {
  return call(function, {field_ref("s")}, cp::MatchSubstringOptions(pattern, ignores_case));
}

TEST(ScalarSql, WritesDaysAndTimesOfAllYears) {
  const auto time = [](int64_t value, arrow::TimeUnit::type unit, const char* zone = "") {
    return *ScalarSql(arrow::TimestampScalar(value, arrow::timestamp(unit, zone)));
  };
  using arrow::TimeUnit;
  EXPECT_EQ(ScalarSql(arrow::Date32Scalar(0)), "DATE '1970-01-01'");
  EXPECT_EQ(ScalarSql(arrow::Date32Scalar(2932897)), "DATE '+10000-01-01'");
  EXPECT_EQ(ScalarSql(arrow::Date32Scalar(-719529)), "DATE '-0001-12-31'");
  EXPECT_EQ(ScalarSql(arrow::Date32Scalar(INT32_MAX)), "arrow_cast(2147483647, 'Date32')");
  EXPECT_EQ(ScalarSql(arrow::Date64Scalar(86'400'000)), "DATE '1970-01-02'");
  EXPECT_EQ(ScalarSql(arrow::Date64Scalar(-86'400'000)), "DATE '1969-12-31'");
  EXPECT_EQ(ScalarSql(arrow::Date64Scalar(INT64_MAX)), "arrow_cast(9223372036854775807, 'Date64')");
  EXPECT_EQ(time(253402300799, TimeUnit::SECOND), "TIMESTAMP '9999-12-31 23:59:59'");
  EXPECT_EQ(time(253402300800, TimeUnit::SECOND),
            "arrow_cast(253402300800, 'Timestamp(Second, None)')");
  EXPECT_EQ(time(-62167219200000, TimeUnit::MILLI), "TIMESTAMP '0000-01-01 00:00:00.000'");
  EXPECT_EQ(time(-62167219200001, TimeUnit::MILLI),
            "arrow_cast(-62167219200001, 'Timestamp(Millisecond, None)')");
  EXPECT_EQ(time(INT64_MIN, TimeUnit::MICRO, "UTC"),
            "arrow_cast(-9223372036854775808, 'Timestamp(Microsecond, Some(\"UTC\"))')");
  EXPECT_EQ(time(1001, TimeUnit::NANO), "TIMESTAMP(9) '1970-01-01 00:00:00.000001001'");
  EXPECT_EQ(time(1000, TimeUnit::NANO), "TIMESTAMP '1970-01-01 00:00:00.000001000'");
}

struct Case {
  cp::Expression expression;
  const char* sql;
};

TEST(SqlOf, WritesWhatTheDialectHas) {
  ASSERT_TRUE(InitializeLibrary().ok());
  const auto i8 = field_ref("i8");
  const auto s = field_ref("s");
  const Case cases[] = {
      {cp::greater(i8, literal(int8_t{1})), "`i8` > 1"},
      {cp::and_(cp::greater(i8, literal(1)), cp::not_(field_ref("b"))), "`i8` > 1 AND NOT `b`"},
      {cp::or_(cp::is_null(i8), cp::is_valid(s)), "`i8` IS NULL OR `s` IS NOT NULL"},
      {cp::equal(s, literal("it's")), "`s` = 'it''s'"},
      {cp::equal(field_ref("f64"), literal(0.1)), "`f64` = 0.1"},
      {cp::less(call("add", {i8, literal(1)}), literal(5)), "(`i8` + 1) < 5"},
      {Match("starts_with", "a%"), "starts_with(`s`, 'a%')"},
      {Match("match_substring", "b"), "contains(`s`, 'b')"},
      {Match("match_like", "a%"), "`s` LIKE 'a%'"},
      {Match("match_like", "a%", true), "`s` ILIKE 'a%'"},
      {Match("match_substring_regex", "^a+", true), "regexp_like(`s`, '^a+', 'i')"},
      {cp::equal(field_ref(arrow::FieldRef("st", "a")), literal(1)), "`st`.a = 1"},
      {cp::equal(call("cast", {i8}, cp::CastOptions::Safe(arrow::int64())), literal(3)),
       "arrow_cast(`i8`, 'Int64') = 3"},
      {IsIn("i8", "[1, 2]", cp::SetLookupOptions::INCONCLUSIVE), "`i8` IN (1, 2)"},
      {IsIn("i8", "[1, null]", cp::SetLookupOptions::INCONCLUSIVE), "`i8` IN (1, NULL)"},
      {IsIn("i8", "[1, 2]", cp::SetLookupOptions::MATCH), "(`i8` IN (1, 2)) IS TRUE"},
      {IsIn("i8", "[1, null]", cp::SetLookupOptions::MATCH),
       "(`i8` IN (1)) IS TRUE OR `i8` IS NULL"},
      {IsIn("i8", "[1, null]", cp::SetLookupOptions::SKIP), "(`i8` IN (1)) IS TRUE"},
      {call("if_else", {cp::is_valid(i8), cp::equal(i8, literal(1)), literal(true)}),
       "nvl2(`i8`, `i8` = 1, TRUE)"},
  };
  for (const Case& each : cases) {
    const Filter filter(each.expression);

    EXPECT_THAT(filter.problem(), testing::IsOk()) << each.expression.ToString();
    EXPECT_EQ(filter.ToString(), each.sql) << filter.sql();
  }
}

TEST(SqlOf, MeansWhatArrowMeans) {
  ASSERT_TRUE(InitializeLibrary().ok());
  const auto rows = SampleRows();
  const auto i8 = field_ref("i8");
  const cp::Expression expressions[] = {
      cp::greater(i8, literal(int8_t{1})),
      cp::not_(IsIn("i8", "[1, 2]", cp::SetLookupOptions::MATCH)),
      cp::not_(IsIn("i8", "[1, null]", cp::SetLookupOptions::MATCH)),
      cp::not_(IsIn("i8", "[1, null]", cp::SetLookupOptions::SKIP)),
      cp::not_(IsIn("i8", "[1, null]", cp::SetLookupOptions::INCONCLUSIVE)),
      cp::or_(cp::is_null(i8), Match("ends_with", "b")),
      cp::and_(field_ref("b"), cp::less_equal(i8, literal(int8_t{3}))),
      cp::equal(call("utf8_upper", {field_ref("s")}), literal("AB")),
  };
  for (const cp::Expression& expression : expressions) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto filter,
                               BoundFilter::FromFilter(expression, SampleSchema()));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto kept, filter.Evaluate(*rows));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto bound, expression.Bind(*rows->schema()));
    LANCE_ASSERT_OK_AND_ASSIGN(
        const auto expected,
        cp::ExecuteScalarExpression(bound, *rows->schema(), arrow::Datum(rows)));

    const auto& truths = static_cast<const arrow::BooleanArray&>(*expected.make_array());
    for (int64_t i = 0; i < kept->length(); ++i) {
      EXPECT_EQ(kept->IsValid(i) && kept->Value(i), truths.IsValid(i) && truths.Value(i))
          << expression.ToString() << " row " << i;
    }
  }
}

TEST(SqlOf, NamesWhatTheDialectHasNot) {
  const auto i8 = field_ref("i8");
  const auto b = field_ref("b");
  for (const auto& [expression, part] : std::vector<std::pair<cp::Expression, const char*>>{
           {cp::equal(call("year", {field_ref("d")}), literal(2020)), "the function year"},
           {call("if_else", {b, b, b}), "the function if_else"},
           {cp::equal(call("max_element_wise", {i8, i8},
                           cp::ElementWiseAggregateOptions(/*skip_nulls=*/false)),
                      literal(1)),
            "max_element_wise that minds nulls"},
           {cp::equal(call("cast", {i8}, cp::CastOptions::Unsafe(arrow::int8())), literal(1)),
            "a cast that is not safe"},
           {Match("starts_with", "a", true), "starts_with that ignores case"},
           {cp::equal(i8, literal(arrow::MakeNullScalar(arrow::int8()))), ""}}) {
    const Filter filter(expression);
    if (*part == '\0') {
      EXPECT_THAT(filter.problem(), testing::IsOk());
      continue;
    }
    EXPECT_THAT(filter.problem(), testing::IsNotImplemented(HasSubstr(part)));
    EXPECT_THAT(BoundFilter::FromFilter(filter, SampleSchema()),
                testing::IsNotImplemented(HasSubstr(part)));
  }
  EXPECT_THAT(Filter(cp::greater(field_ref(0), literal(1))).problem(),
              testing::IsInvalid(HasSubstr("expected the names of columns")));
}

TEST(SqlOf, RefusesExpressionsThatNestTooDeep) {
  cp::Expression deep = field_ref("b");
  for (int i = 0; i < 5000; ++i) deep = cp::not_(deep);
  EXPECT_THAT(Filter(deep).problem(), testing::IsInvalid(HasSubstr("400 calls deep")));
}

TEST(SqlOf, WritesEveryPartOnce) {
  // Choices whose conditions are choices: a part that were written twice a level is never done.
  const auto b = field_ref("b");
  cp::Expression choice = b;
  for (int i = 0; i < 60; ++i) choice = call("if_else", {cp::is_valid(choice), b, b});
  EXPECT_THAT(Filter(choice).problem(), testing::IsOk());
}

TEST(FilterFromSubstrait, RefusesOtherBytes) {
  const auto bytes = [](const char* text) { return arrow::Buffer::FromString(text); };
  EXPECT_THAT(Filter::FromSubstrait(nullptr), testing::IsInvalid(HasSubstr("no bytes")));
  EXPECT_THAT(Filter::FromSubstrait(bytes("a > 1")),
              testing::IsInvalid(HasSubstr("no Substrait extended expression")));
  EXPECT_THAT(Filter::FromSubstrait(bytes("")), testing::IsInvalid(HasSubstr("has 0 expressions")));
}

}  // namespace
}  // namespace lance::filter
