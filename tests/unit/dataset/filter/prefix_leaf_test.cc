#include "lance/dataset/filter/prefix_leaf.h"

#include <string>
#include <utility>

#include "arrow/api.h"
#include "gtest/gtest.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/dataset/filter/like_pattern.h"
#include "lance/testing/matchers.h"
#include "sample_rows.h"

namespace lance::filter {
namespace {

std::string ShowText(const std::optional<index::Bound>& bound) {
  if (!bound) return "open";
  return static_cast<const arrow::BaseBinaryScalar&>(*bound->value).value->ToString();
}

/// The range that a filter of the sample rows is asked for.
std::string RangeOf(const std::string& sql) {
  auto filter = BoundFilter::Make(sql, SampleSchema());
  if (!filter.ok()) return filter.status().message();
  const index::Predicate& leaf = filter->predicate();
  if (leaf.kind != index::Predicate::Kind::kRange) return "none";
  EXPECT_TRUE(leaf.lower->inclusive);
  const bool is_closed = leaf.upper && leaf.upper->inclusive;
  return "[" + ShowText(leaf.lower) + ", " + ShowText(leaf.upper) + (is_closed ? "]" : ")");
}

TEST(ToPrefixLeaf, AsksForTextsThatBeginSo) {
  EXPECT_EQ(RangeOf("s LIKE 'ab%'"), "[ab, ac)");
  EXPECT_EQ(RangeOf("s LIKE 'a_b%'"), "[a, b)");
  EXPECT_EQ(RangeOf("s LIKE 'ab'"), "[ab, ab]");
  EXPECT_EQ(RangeOf("s LIKE ''"), "[, ]");
  EXPECT_EQ(RangeOf("starts_with(s, 'a%')"), "[a%, a&)");
  EXPECT_EQ(RangeOf("regexp_like(s, '^ab')"), "[ab, ac)");
  EXPECT_EQ(RangeOf("regexp_like(s, '^ab.c')"), "[ab, ac)");
}

TEST(ToPrefixLeaf, AsksForLargeTextsAlike) {
  EXPECT_EQ(RangeOf("ls LIKE 'ab%'"), "[ab, ac)");
  EXPECT_EQ(RangeOf("starts_with(ls, 'ab')"), "[ab, ac)");
  EXPECT_EQ(RangeOf("regexp_like(ls, '^ab')"), "[ab, ac)");
  EXPECT_EQ(RangeOf("CAST(ls AS STRING) LIKE 'ab%'"), "[ab, ac)");
  EXPECT_EQ(RangeOf("CAST(i8 AS STRING) LIKE '1%'"), "none");
}

TEST(ToPrefixLeaf, ReadsEscapes) {
  EXPECT_EQ(RangeOf(R"(s LIKE 'a\%b%')"), "[a%b, a%c)");
  EXPECT_EQ(RangeOf(R"(s LIKE 'a\\%')"), R"([a\, a]))");
  EXPECT_EQ(RangeOf(R"(s LIKE 'a\bc%')"), "[abc, abd)");
  EXPECT_EQ(RangeOf("s LIKE 'a!_b%' ESCAPE '!'"), "[a_b, a_c)");
  EXPECT_EQ(RangeOf(R"(s LIKE 'a\b%' ESCAPE '!')"), R"([a\b, a\c))");
}

TEST(ToPrefixLeaf, TakesNoCharacterThatAnExpressionMayLeaveOut) {
  EXPECT_EQ(RangeOf("regexp_like(s, '^ab*c')"), "[a, b)");
  EXPECT_EQ(RangeOf("regexp_like(s, '^ab?')"), "[a, b)");
  EXPECT_EQ(RangeOf("regexp_like(s, '^ab{0,1}')"), "[a, b)");
  EXPECT_EQ(RangeOf("regexp_like(s, '^ab+')"), "[ab, ac)");
  EXPECT_EQ(RangeOf("regexp_like(s, '^a\xc3\xa4*')"), "[a, b)");
  EXPECT_EQ(RangeOf("regexp_like(s, '^ab|c')"), "none");
  EXPECT_EQ(RangeOf("regexp_like(s, '^(ab)?')"), "none");
  EXPECT_EQ(RangeOf("regexp_like(s, '^ab', 'i')"), "none");
  EXPECT_EQ(RangeOf("regexp_like(s, 'ab')"), "none");
}

TEST(ToPrefixLeaf, SaysNothingOfOtherCalls) {
  EXPECT_EQ(RangeOf("s LIKE '%b'"), "none");
  EXPECT_EQ(RangeOf("s LIKE '_b'"), "none");
  EXPECT_EQ(RangeOf("s ILIKE 'ab%'"), "none");
  EXPECT_EQ(RangeOf("NOT (s LIKE 'ab%')"), "none");
  EXPECT_EQ(RangeOf("s NOT LIKE 'ab%'"), "none");
  EXPECT_EQ(RangeOf("starts_with(s, s)"), "none");
  EXPECT_EQ(RangeOf("starts_with(s, '')"), "none");
  EXPECT_EQ(RangeOf("upper(s) LIKE 'AB%'"), "none");
  EXPECT_EQ(RangeOf("ends_with(s, 'b')"), "none");
}

TEST(RegexOfLike, TakesEveryOtherCharacterAsItIs) {
  EXPECT_EQ(RegexOfLike(R"(a.b\%c%_)"), R"((?s)^a\.b%c.*.$)");
  EXPECT_EQ(RegexOfLike(R"(\\)"), R"((?s)^\\$)");
  EXPECT_EQ(RegexOfLike(R"(a\)"), R"((?s)^a\\$)");
  EXPECT_EQ(RegexOfLike(R"(\a\(%)"), R"((?s)^a\(.*$)");
}

}  // namespace
}  // namespace lance::filter
