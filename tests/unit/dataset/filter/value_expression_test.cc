#include "lance/dataset/filter/value_expression.h"

#include "arrow/api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/status_detail.h"
#include "lance/testing/matchers.h"
#include "sample_rows.h"

namespace lance::filter {
namespace {

/// The type and the values of an expression over the sample rows.
std::string Values(const std::string& sql, std::shared_ptr<arrow::DataType> type = nullptr) {
  const auto expression = ValueExpression::Make(sql, SampleSchema(), std::move(type));
  if (!expression.ok()) return expression.status().ToString();
  const auto values = expression->Evaluate(*SampleRows());
  if (!values.ok()) return values.status().ToString();
  EXPECT_TRUE((*values)->ValidateFull().ok()) << sql;
  EXPECT_TRUE((*values)->type()->Equals(*expression->type())) << sql;
  std::string text = (*values)->type()->ToString() + ":";
  for (int64_t i = 0; i < (*values)->length(); ++i) {
    text += " " + (*values)->GetScalar(i).ValueOrDie()->ToString();
  }
  return text;
}

struct Expected {
  const char* sql;
  const char* values;
};

TEST(ValueExpression, HasTheTypesAndValuesOfTheReference) {
  const Expected all[] = {
      {"i8", "int8: -128 -1 0 1 2 3 5 127 null"},
      {"i8 + 1", "int8: -127 0 1 2 3 4 6 -128 null"},
      {"i8 + i16", "int16: 32640 -2 0 2 4 6 10 -32642 null"},
      {"u8 + i8", "int16: -128 0 2 4 6 8 11 382 null"},
      {"u8 - 1", "uint8: 255 0 1 2 3 4 5 254 null"},
      {"u8 + u64 - u64", "uint64: 0 1 2 3 4 5 6 255 null"},
      {"i8 / 2", "int8: -64 0 0 0 1 1 2 63 null"},
      {"i8 % 3", "int8: -2 -1 0 1 2 0 2 1 null"},
      {"i8 % -1", "int8: 0 0 0 0 0 0 0 0 null"},
      {"-i8", "int8: -128 1 0 -1 -2 -3 -5 -127 null"},
      {"2 + 3 * i8", "int64: -382 -1 2 5 8 11 17 383 null"},
      {"i8 * 1 + 1.5", "double: -126.5 0.5 1.5 2.5 3.5 4.5 6.5 128.5 null"},
      {"NULL + i8", "int8: null null null null null null null null null"},
      {"i8 > 1", "bool: false false false false true true true true null"},
      {"(i8 > 1) = b", "bool: false true false true null true false true null"},
      {"s || '-' || i8",
       "string: --128 a--1 b-0 ab-1 A-2 \xC3\xA9-3 \xE6\x97\xA5\xE6\x9C\xAC-5 "
       "it's-127 null"},
      {"concat(s, i8, NULL)",
       "string: -128 a-1 b0 ab1 A2 \xC3\xA9"
       "3 \xE6\x97\xA5\xE6\x9C\xAC"
       "5 it's127 "},
      {"right(s, -9223372036854775807 - 1)", "string:         null"},
      {"right(s, -1)", "string:    b   \xE6\x9C\xAC t's null"},
      {"s ILIKE concat(s, '') ESCAPE 'e'", "bool: true true true true true true true true null"},
      {"s ILIKE concat('eA', right(s, -1)) ESCAPE 'e'",
       "bool: false true false true true false false false null"},
      {"length(s)", "int32: 0 1 1 2 1 1 2 4 null"},
      {"octet_length(ls)", "int64: 0 1 1 2 1 2 6 4 null"},
      {"bit_length(s)", "int32: 0 8 8 16 8 16 48 32 null"},
      {"CAST(i8 AS string)", "string: -128 -1 0 1 2 3 5 127 null"},
      {"TRY_CAST(s AS int)", "int32: null null null null null null null null null"},
      {"TRY_CAST(i16 AS tinyint)", "int8: null -1 0 1 2 3 5 null null"},
      {"CAST(f64 AS boolean)", "bool: true true true false false true true true null"},
      {"TRY_CAST(f64 AS int)", "int32: null null -1 0 0 1 null null null"},
      {"CAST(i8 AS date)",
       "date32[day]: 1969-08-26 1969-12-31 1970-01-01 1970-01-02 1970-01-03 "
       "1970-01-04 1970-01-06 1970-05-08 null"},
      {"CAST(ts_s AS date)",
       "date32[day]: 1969-12-31 1970-01-01 1970-01-01 1970-01-01 1970-01-02 "
       "1970-01-02 2022-01-08 2022-01-08 null"},
      {"coalesce(i8, 9)", "int64: -128 -1 0 1 2 3 5 127 9"},
      {"coalesce(NULL, i8)", "int8: -128 -1 0 1 2 3 5 127 null"},
      {"nullif(i8, i16)", "int16: -128 null null null null null null 127 null"},
      {"nvl2(i8, s, 'none')", "string:  a b ab A \xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC it's none"},
      {"greatest(i8, u8, 2)", "int64: 2 2 2 3 4 5 6 255 2"},
      {"round((i8 + 0) / 2.0)", "double: -64 -1 0 1 1 2 3 64 null"},
      {"date_part('dow', d)", "int32: 3 4 5 6 6 0 1 5 null"},
      {"dec", "decimal128(5, 2): 1.00 2.00 3.00 null 5.00 6.00 7.00 8.00 null"},
      {"sqrt(i8)",
       "double: nan nan 0 1 1.4142135623730951 1.7320508075688772 "
       "2.23606797749979 11.269427669584644 null"},
  };
  for (const Expected& expected : all) {
    EXPECT_THAT(Values(expected.sql), ::testing::HasSubstr(expected.values)) << expected.sql;
  }
}

TEST(ValueExpression, ConvertsToTheTypeAskedFor) {
  EXPECT_EQ(Values("7", arrow::int16()), "int16: 7 7 7 7 7 7 7 7 7");
  EXPECT_EQ(Values("NULL", arrow::utf8()), "string: null null null null null null null null null");
  EXPECT_EQ(Values("i8 * i8", arrow::int64()), "int64: 0 1 0 1 4 9 25 1 null");
  EXPECT_EQ(Values("i8 / 2.0", arrow::int8()).substr(0, 8), "Invalid:");
  EXPECT_EQ(Values("2.5 * u8", arrow::uint16()).substr(0, 8), "Invalid:");
  EXPECT_EQ(Values("2.5 * (u8 + 0)", arrow::uint16()), "uint16: 0 2 5 7 10 12 15 637 null");
}

TEST(ValueExpression, RefusesLiteralsThatDoNotFitTheTypeAskedFor) {
  EXPECT_EQ(Values("'5'", arrow::int8()).substr(0, 7), "int8: 5");
  EXPECT_EQ(Values("1.5", arrow::int8()).substr(0, 7), "int8: 1");
  for (const char* sql : {"300", "'x'", "1e9", "DATE '2020-01-01'"}) {
    EXPECT_THAT(ValueExpression::Make(sql, SampleSchema(), arrow::int8()), testing::IsInvalid())
        << sql;
  }
}

TEST(ValueExpression, FailsForRowsThatFail) {
  EXPECT_THAT(Values("i8 / i8"), ::testing::HasSubstr("filter: i8 / i8: divide by zero"));
  EXPECT_THAT(Values("i8 % u8"), ::testing::HasSubstr("divide by zero"));
  EXPECT_THAT(Values("CAST(i16 AS tinyint)"), ::testing::HasSubstr("not in range"));
  EXPECT_THAT(Values("CAST(f64 AS int)"), ::testing::HasSubstr("does not fit int32"));
  EXPECT_THAT(Values("i8 + 1", arrow::uint8()), ::testing::HasSubstr("not in range"));
  EXPECT_THAT(Values("s LIKE concat(s, '!') ESCAPE '!'"),
              ::testing::HasSubstr("ends in its escape"));
}

TEST(ValueExpression, DecodesOnlyBase64) {
  const auto decoded = [](const std::string& text) {
    return Values("CAST(decode('" + text + "', 'base64') AS string)").substr(8, 2);
  };
  EXPECT_EQ(decoded("QUI="), "AB");
  EXPECT_EQ(decoded("QUI"), "AB");
  EXPECT_EQ(decoded("QUJD"), "AB");
  for (const char* text :
       {"Q", "QUJDR", "QU I", " QUI=", "QUI=\n", "Q=UI", "QUI===", "Q-I=", "====="}) {
    EXPECT_THAT(Values(std::string("decode('") + text + "', 'base64')"),
                ::testing::HasSubstr("no base64"))
        << text;
  }
}

TEST(ValueExpression, NamesItsColumnsOnce) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto expression,
                             ValueExpression::Make("I8 + i16 * i8", SampleSchema()));

  EXPECT_THAT(expression.column_names(), ::testing::ElementsAre("i8", "i16"));
  EXPECT_EQ(expression.ToString(), "i8 + (i16 * i8)");
}

TEST(ValueExpression, FailsCleanlyWhenItIsTooDeepOrTooLong) {
  const std::string parentheses = std::string(20000, '(') + "i8" + std::string(20000, ')');
  std::string sum = "i8";
  for (int i = 0; i < 20000; ++i) sum += " + 1";
  std::string calls;
  for (int i = 0; i < 20000; ++i) calls += "abs(";
  std::string list = "coalesce(i8";
  for (int i = 0; i < 10000; ++i) list += ", 1";

  EXPECT_THAT(ValueExpression::Make(parentheses, SampleSchema()), testing::IsInvalid());
  EXPECT_THAT(ValueExpression::Make(sum, SampleSchema()), testing::IsInvalid());
  EXPECT_THAT(ValueExpression::Make(calls, SampleSchema()), testing::IsInvalid());
  EXPECT_EQ(Values(list + ")"), "int64: -128 -1 0 1 2 3 5 127 1");
}

}  // namespace
}  // namespace lance::filter
