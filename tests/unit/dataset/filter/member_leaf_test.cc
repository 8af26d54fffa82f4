#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "gtest/gtest.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/testing/matchers.h"
#include "show_predicate.h"

namespace lance::filter {
namespace {

/// x is field 1, y 2, b 3, f 4, t 5, n.k 7, n.tags 8, n.d 10, `my x` 11, inner structs of `l` 13.
format::LanceSchema NestedSchema() {
  using arrow::field;
  const auto inner =
      arrow::struct_({field("k", arrow::int64()), field("tags", arrow::list(arrow::utf8())),
                      field("d", arrow::date32())});
  const auto point = arrow::struct_({field("x", arrow::int32()), field("y", arrow::utf8()),
                                     field("b", arrow::boolean()), field("f", arrow::float64()),
                                     field("t", arrow::timestamp(arrow::TimeUnit::MICRO)),
                                     field("n", inner), field("my x", arrow::int32())});
  const auto items = arrow::list(arrow::struct_({field("a", arrow::int32())}));
  return format::MakeLanceSchema(
             *arrow::schema(
                 {field("p", point), field("l", items),
                  field("dic", arrow::dictionary(arrow::int32(), arrow::utf8())),
                  field("q", arrow::struct_(
                                 {field("dic", arrow::dictionary(arrow::int32(), arrow::utf8())),
                                  field("h", arrow::float16())}))}))
      .ValueOrDie();
}

std::string PredicateOf(const std::string& sql) {
  const auto filter = BoundFilter::Make(sql, NestedSchema());
  return filter.ok() ? Show(filter->predicate()) : filter.status().ToString();
}

std::string TextOf(const std::string& sql) {
  const auto filter = BoundFilter::Make(sql, NestedSchema());
  return filter.ok() ? filter->predicate().text : filter.status().ToString();
}

TEST(MemberLeaf, AsksForMembersThatAreCompared) {
  EXPECT_EQ(PredicateOf("p.x = 3"), "c1[3,3]");
  EXPECT_EQ(PredicateOf("p.x < 3"), "c1(,3)");
  EXPECT_EQ(PredicateOf("p.x <= 3"), "c1(,3]");
  EXPECT_EQ(PredicateOf("p.x > 3"), "c1(3,)");
  EXPECT_EQ(PredicateOf("p.x >= 3"), "c1[3,)");
  EXPECT_EQ(PredicateOf("p.x <> 3"), "or(c1(,3), c1(3,))");
  EXPECT_EQ(PredicateOf("3 < p.x"), "c1(3,)");
  EXPECT_EQ(PredicateOf("NOT 3 <= p.x"), "c1(,3)");
  EXPECT_EQ(PredicateOf("NOT p.x <> 3"), "c1[3,3]");
  EXPECT_EQ(PredicateOf("p.x BETWEEN 1 AND 3"), "c1[1,3]");
  EXPECT_EQ(PredicateOf("p.x NOT BETWEEN 1 AND 3"), "or(c1(,1), c1(3,))");
  EXPECT_EQ(PredicateOf("p.x = NULL"), "false");
  EXPECT_EQ(PredicateOf("p.f = 0"), "c4 in {-0,0}");
  EXPECT_EQ(PredicateOf("p.y >= 'a' AND p.y < 'b'"), "c2[a,b)");
  EXPECT_EQ(PredicateOf("p.n.k = 5"), "c7[5,5]");
  EXPECT_EQ(PredicateOf("get_field(get_field(p, 'n'), 'k') = 5"), "c7[5,5]");
  EXPECT_EQ(PredicateOf("P.N.K = 5 AND p.`my x` > 1"), "and(c7[5,5], c11(1,))");
  EXPECT_EQ(PredicateOf("p.x = 1 + 2"), "c1[3,3]");
}

TEST(MemberLeaf, KnowsTheMemberWhateverElseIsUsedOfTheStruct) {
  EXPECT_EQ(PredicateOf("p.n.d IS NULL"), "c10 null");
  EXPECT_EQ(PredicateOf("p.n.d IS NULL AND p.x = 1"), "and(c10 null, c1[1,1])");
  EXPECT_EQ(PredicateOf("p.n IS NULL AND p.n.d IS NULL"), "and(unknown, c10 null)");
  EXPECT_EQ(PredicateOf("p IS NULL AND p.n.d IS NULL"), "and(c0 null, c10 null)");
}

TEST(MemberLeaf, AsksForMembersInListsAndForNulls) {
  EXPECT_EQ(PredicateOf("p.x IN (1, 2)"), "c1 in {1,2}");
  EXPECT_EQ(PredicateOf("p.x NOT IN (1, 2)"), "not(c1 in {1,2})");
  EXPECT_EQ(PredicateOf("p.x IN (1, NULL)"), "c1 in {1}");
  EXPECT_EQ(PredicateOf("p.x NOT IN (1, NULL)"), "false");
  EXPECT_EQ(PredicateOf("p.f IN (0.0, 1.5)"), "c4 in {-0,0,1.5}");
  EXPECT_EQ(PredicateOf("p.x IS NULL"), "c1 null");
  EXPECT_EQ(PredicateOf("p.x IS NOT NULL"), "not(c1 null)");
  EXPECT_EQ(PredicateOf("p.n.tags IS NULL"), "c8 null");
}

TEST(MemberLeaf, AsksBoolMembersForTheirValue) {
  EXPECT_EQ(PredicateOf("p.b"), "c3[true,true]");
  EXPECT_EQ(PredicateOf("NOT p.b"), "c3[false,false]");
  EXPECT_EQ(PredicateOf("p.b IS TRUE"), "c3[true,true]");
  EXPECT_EQ(PredicateOf("p.b IS FALSE"), "c3[false,false]");
  EXPECT_EQ(PredicateOf("p.b IS NOT TRUE"), "unknown");
  EXPECT_EQ(PredicateOf("p.b = false"), "c3[false,false]");
  EXPECT_EQ(PredicateOf("p.b IS NULL"), "c3 null");
}

TEST(MemberLeaf, LooksThroughCastsAndCalls) {
  EXPECT_EQ(PredicateOf("CAST(p.x AS BIGINT) >= 5"), "c1[5,)");
  EXPECT_EQ(PredicateOf("5.5 > CAST(p.x AS DOUBLE)"), "c1(,5]");
  EXPECT_EQ(PredicateOf("CAST(p.t AS DATE) = DATE '2020-01-02'"),
            "c5[2020-01-02 00:00:00.000000,2020-01-03 00:00:00.000000]");
  EXPECT_EQ(PredicateOf("p.y LIKE 'ab%c'"), "c2[ab,ac)");
  EXPECT_EQ(PredicateOf("NOT p.y LIKE 'ab%c'"), "unknown");
  EXPECT_EQ(PredicateOf("starts_with(p.y, 'ab')"), "c2[ab,ac)");
  EXPECT_EQ(PredicateOf("array_has(p.n.tags, 'u')"), "c8 any {u}");
  EXPECT_EQ(PredicateOf("NOT array_has_all(p.n.tags, ['u', 'v'])"), "not(c8 all {u,v})");
}

TEST(MemberLeaf, KnowsNothingOfWhatIsNoMemberOfStructs) {
  EXPECT_EQ(PredicateOf("l[1].a = 1"), "unknown");
  EXPECT_EQ(PredicateOf("l[1].a IS NULL"), "unknown");
  EXPECT_EQ(PredicateOf("p.n.tags[1] = 'a'"), "unknown");
  EXPECT_EQ(PredicateOf("p.n IS NULL"), "unknown");
  EXPECT_EQ(PredicateOf("p.x + 1 = 3"), "unknown");
  EXPECT_EQ(PredicateOf("p.x = p.n.k"), "unknown");
  EXPECT_EQ(PredicateOf("TRY_CAST(p.x AS BIGINT) = 5"), "unknown");
  EXPECT_EQ(PredicateOf("p.n.tags = ['a']"), "unknown");
  // Compared as other values than the stored ones.
  EXPECT_EQ(PredicateOf("q.dic = 'a'"), "unknown");
  EXPECT_EQ(PredicateOf("q.dic IS NULL"), "unknown");
  EXPECT_EQ(PredicateOf("q.h = 1"), "unknown");
}

TEST(MemberLeaf, ShowsMembersByTheirPath) {
  const std::pair<const char*, const char*> cases[] = {
      {"p.x=3", "p.x = 3"},
      {"not 'it''s' < p.y", "p.y <= 'it''s'"},
      {"p.f between 0.1 and 2", "p.f >= 0.1 AND p.f <= 2"},
      {"p.n.d = date '2020-01-02'", "p.n.d = DATE '2020-01-02'"},
      {"P.`my x` is null", "p.`my x` IS NULL"},
      {"p.b", "p.b = TRUE"},
      {"p.x in (1,2,3,4,5,6,7)", "p.x IN (1, 2, 3, 4, 5, ... 7 values)"},
      {"p.y in ('a','b')", "p.y IN ('a', 'b')"},
  };
  for (const auto& [sql, text] : cases) EXPECT_EQ(TextOf(sql), text) << sql;
}

}  // namespace
}  // namespace lance::filter
