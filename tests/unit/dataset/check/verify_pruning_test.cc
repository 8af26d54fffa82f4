#include "damages.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

arrow::Result<VerifyPruningResult> Verify(const CheckedTable& table,
                                          const VerifyPruningRequest& request) {
  ARROW_ASSIGN_OR_RAISE(const Dataset dataset, Dataset::Open(FaultySession::kUri, table.options()));
  return VerifyPruning(dataset, request);
}

/// Zonemaps that let scans skip what they should read. Wrong places of nulls do not: a scan reads
/// every zone that has some.
std::vector<Damage> WrongZones() {
  std::vector<Damage> damages = DamagesOfIndices();
  std::erase_if(damages, [](const Damage& damage) {
    return damage.code != "zone_wrong" || damage.name == "ZoneHasOtherNulls";
  });
  return damages;
}

class VerifyPruningOf : public ::testing::TestWithParam<Damage> {};

TEST_P(VerifyPruningOf, CatchesAWrongZonemap) {
  const CheckedTable table = CheckedTable::Make(GetParam().sample);
  GetParam().plant(table);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto result, Verify(table, {.num_generated_filters = 300}));

  EXPECT_EQ(result.num_filters, 300u);
  ASSERT_THAT(result.missed, Not(IsEmpty()));
  EXPECT_THAT(result.missed[0].message, ::testing::ContainsRegex("pass(es)? the filter"));
}

INSTANTIATE_TEST_SUITE_P(Zones, VerifyPruningOf, ::testing::ValuesIn(WrongZones()),
                         [](const auto& instance) { return instance.param.name; });

TEST(VerifyPruning, FindsNothingInHealthyTables) {
  EXPECT_THAT(WrongZones(), SizeIs(5));
  for (const Sample sample :
       {Sample::kPlain, Sample::kStable, Sample::kDeclared, Sample::kOldFormat}) {
    const CheckedTable table = CheckedTable::Make(sample);

    EXPECT_THAT(Verify(table, {}).ValueOrDie().missed, IsEmpty());
  }
}

TEST(VerifyPruning, TriesAGivenFilterAndRefusesWrongRequests) {
  const CheckedTable table = CheckedTable::Make(Sample::kPlain);

  EXPECT_EQ(Verify(table, {.filter = Filter("id < 3")}).ValueOrDie().num_filters, 1u);
  EXPECT_THAT(Verify(table, {.filter = Filter("nope < 3")}), IsInvalid(HasSubstr("nope")));
  for (const double fraction : {0.0, -1.0, 1.5}) {
    EXPECT_THAT(Verify(table, {.sample_fraction = fraction}),
                IsInvalid(HasSubstr("allowed: above 0 to 1")));
  }
}

}  // namespace
}  // namespace lance::testing
