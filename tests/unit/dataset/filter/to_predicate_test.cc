#include "lance/dataset/filter/to_predicate.h"

#include "arrow/api.h"
#include "gtest/gtest.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/testing/matchers.h"
#include "sample_rows.h"
#include "show_predicate.h"

namespace lance::filter {
namespace {

/// The predicate of a filter on SampleSchema, where i8 is field 0, f64 9, b 11 and b2 12.
std::string PredicateOf(const std::string& sql) {
  const auto filter = BoundFilter::Make(sql, SampleSchema());
  return filter.ok() ? Show(filter->predicate()) : filter.status().ToString();
}

struct Extracted {
  const char* sql;
  const char* predicate;
};

void ExpectExtracted(const std::vector<Extracted>& cases) {
  for (const Extracted& extracted : cases) {
    EXPECT_EQ(PredicateOf(extracted.sql), extracted.predicate) << extracted.sql;
  }
}

TEST(ToPredicate, MakesRangesOfComparisons) {
  ExpectExtracted({
      {"i8 = 1", "c0[1,1]"},
      {"i8 < 1", "c0(,1)"},
      {"i8 <= 1", "c0(,1]"},
      {"i8 > 1", "c0(1,)"},
      {"i8 >= 1", "c0[1,)"},
      {"1 < i8", "c0(1,)"},
      {"i8 <> 1", "or(c0(,1), c0(1,))"},
      {"i8 BETWEEN 1 AND 5", "c0[1,5]"},
      {"i8 NOT BETWEEN 1 AND 5", "or(c0(,1), c0(5,))"},
      {"i8 > 1 AND b AND i8 <= 5", "and(c0(1,5], c11[true,true])"},
      {"i8 < 5 AND i8 > 1", "c0(1,5)"},
      {"i8 > 1 AND i8 > 2 AND i8 < 5", "and(c0(1,5), c0(2,))"},
      {"i8 > 1 AND i8 < 3 AND i8 < 5", "and(c0(1,3), c0(,5))"},
      {"i8 > 1 OR i8 < 5", "or(c0(1,), c0(,5))"},
      {"i8 IN (1, 2)", "c0 in {1,2}"},
      {"i8 NOT IN (1, 2)", "not(c0 in {1,2})"},
      {"i8 IS NULL", "c0 null"},
      {"i8 IS NOT NULL", "not(c0 null)"},
  });
}

TEST(ToPredicate, PushesNotToTheLeaves) {
  ExpectExtracted({
      {"NOT i8 = 1", "or(c0(,1), c0(1,))"},
      {"NOT i8 <> 1", "c0[1,1]"},
      {"NOT i8 > 1", "c0(,1]"},
      {"NOT i8 >= 1", "c0(,1)"},
      {"NOT i8 < 1", "c0[1,)"},
      {"NOT i8 <= 1", "c0(1,)"},
      {"NOT (i8 > 1 AND b)", "or(c0(,1], c11[false,false])"},
      {"NOT (i8 > 1 OR b)", "and(c0(,1], c11[false,false])"},
      {"NOT (i8 NOT IN (1))", "c0 in {1}"},
      {"NOT (i8 IS NOT NULL)", "c0 null"},
      {"NOT (NOT (i8 > 1 OR NOT b))", "or(c0(1,), c11[false,false])"},
      {"NOT (i8 <= 1 OR i8 >= 5)", "c0(1,5)"},
  });
}

TEST(ToPredicate, TurnsNullLiteralsIntoNothing) {
  ExpectExtracted({
      {"i8 = NULL", "false"},
      {"NOT (i8 = NULL)", "false"},
      {"i8 <> NULL", "false"},
      {"i8 IN (1, NULL)", "c0 in {1}"},
      {"i8 NOT IN (1, NULL)", "false"},
      {"NOT (i8 IN (1, NULL))", "false"},
      {"NOT (i8 NOT IN (1, NULL))", "c0 in {1}"},
      {"i8 IN (NULL)", "false"},
      {"i8 BETWEEN 1 AND NULL", "false"},
      {"i8 NOT BETWEEN 1 AND NULL", "c0(,1)"},
      {"i8 = NULL OR b", "c11[true,true]"},
      {"i8 = NULL AND b", "false"},
      {"(i8 = NULL) IS NULL", "unknown"},
      {"(i8 = NULL) IS NOT TRUE", "unknown"},
      {"i8 = NULL OR i8 <> NULL", "false"},
  });
}

TEST(ToPredicate, MeansBothZerosOfFloats) {
  ExpectExtracted({
      {"f64 = 0", "c9 in {-0,0}"},
      {"f64 = -0.0", "c9 in {-0,0}"},
      {"f64 <> 0", "or(c9(,-0), c9(0,))"},
      {"f64 < 0", "c9(,-0)"},
      {"f64 <= -0.0", "c9(,0]"},
      {"f64 > -0.0", "c9(0,)"},
      {"f64 >= 0", "c9[-0,)"},
      {"f64 BETWEEN 0 AND 0", "c9[-0,0]"},
      {"f64 IN (0, 1)", "c9 in {-0,0,1}"},
      {"f64 NOT IN (-0.0)", "not(c9 in {-0,0})"},
      {"f64 = 1", "c9[1,1]"},
  });
}

TEST(ToPredicate, AsksBoolColumnsForTheirValue) {
  ExpectExtracted({
      {"b", "c11[true,true]"},
      {"NOT b", "c11[false,false]"},
      {"b = true", "c11[true,true]"},
      {"b IS TRUE", "c11[true,true]"},
      {"b IS FALSE", "c11[false,false]"},
      {"b IN (true)", "c11 in {true}"},
      {"b IS NULL", "c11 null"},
      {"b AND NOT b2", "and(c11[true,true], c12[false,false])"},
      {"(i8 = 1) IS TRUE", "c0[1,1]"},
      {"(i8 > 1) IS FALSE", "c0(,1]"},
      {"NOT ((i8 > 1) IS NOT TRUE)", "c0(1,)"},
  });
}

TEST(ToPredicate, KnowsNothingAboutTheRest) {
  ExpectExtracted({
      {"i64 = i642", "unknown"},
      {"NOT (i64 = i642)", "unknown"},
      {"b = b2", "unknown"},
      {"(i8 = 1) = b", "unknown"},
      {"(i8 = 1) IS NULL", "unknown"},
      {"(i8 = 1) IS NOT TRUE", "unknown"},
      {"b IS NOT FALSE", "unknown"},
      {"true", "unknown"},
      {"1 = 1 AND i8 = 1", "and(unknown, c0[1,1])"},
      {"i64 = i642 OR i8 = 1", "or(unknown, c0[1,1])"},
      {"1 = 2", "false"},
      {"NOT 1 = 1", "false"},
      {"1 = 2 OR i8 = 1", "c0[1,1]"},
  });
}

TEST(ToPredicate, ConvertsLiteralsToTheColumnsType) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto filter,
      BoundFilter::Make("ts_s = TIMESTAMP '1970-01-01 00:00:05.5'", SampleSchema()));

  const auto& value = *filter.predicate().lower->value;
  EXPECT_EQ(*value.type, *arrow::timestamp(arrow::TimeUnit::SECOND));
  EXPECT_EQ(static_cast<const arrow::TimestampScalar&>(value).value, 5);
}

TEST(ToPredicate, CarriesTheTextOfLeaves) {
  const std::pair<const char*, const char*> cases[] = {
      {"`my col`=1", "`my col` = 1"},
      {"not 'LAX' < s", "s <= 'LAX'"},
      {"b", "b = TRUE"},
      {"i8 between 1 and 5", "i8 >= 1 AND i8 <= 5"},
      {"i8 in (1,2)", "i8 IN (1, 2)"},
      {"i8 in (1,2,3,4,5,6,7)", "i8 IN (1, 2, 3, 4, 5, ... 7 values)"},
      {"i8 is null", "i8 IS NULL"},
      {"i8 = null", "i8 = NULL"},
      {"i8 between null and 1", "i8 BETWEEN NULL AND 1"},
      {"i64=i642", "i64 = i642"},
      {"not i64=i642", "NOT (i64 = i642)"},
      {"(i8=1) is not true", "NOT ((i8 = 1) IS NOT TRUE)"},
      {"true", "TRUE"},
  };
  for (const auto& [sql, text] : cases) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto filter, BoundFilter::Make(sql, SampleSchema()));
    EXPECT_EQ(filter.predicate().text, text) << sql;
  }
}

}  // namespace
}  // namespace lance::filter
