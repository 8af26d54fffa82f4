#include "lance/index/zone_rollup.h"

#include "index_fixtures.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FragmentZones Fragment(uint64_t id, const arrow::Array& values) {
  FragmentZones zones = ZonesOf(values, 2);
  zones.fragment_id = id;
  return zones;
}

table::Fragment Rows(uint64_t id, uint64_t physical_rows) {
  table::Fragment fragment;
  fragment.id = id;
  fragment.physical_rows = physical_rows;
  return fragment;
}

std::vector<std::string> RolledUp(const std::vector<FragmentZones>& zones,
                                  const std::shared_ptr<arrow::DataType>& type,
                                  const std::vector<table::Fragment>& fragments) {
  return Describe(RollUp(zones, type, fragments).ValueOrDie().zones);
}

TEST(RollUp, GivesOneZoneForEachFragmentInTheOrderOfTheManifest) {
  const auto type = arrow::int32();
  const std::vector<FragmentZones> zones = {Fragment(2, *ArrayOf(type, "[5, null, 1, 9, 3]")),
                                            Fragment(7, *ArrayOf(type, "[-4, -4]"))};

  EXPECT_THAT(RolledUp(zones, type, {Rows(7, 2), Rows(2, 5)}),
              ElementsAre("0+2 [-4, -4] nulls 0 nans 0", "2+5 [1, 9] nulls 1 nans 0"));
}

TEST(RollUp, LeavesOutFragmentsWithoutZones) {
  const auto type = arrow::int32();

  EXPECT_THAT(RolledUp({Fragment(2, *ArrayOf(type, "[5]"))}, type, {Rows(1, 10), Rows(2, 1)}),
              ElementsAre("10+1 [5, 5] nulls 0 nans 0"));
}

TEST(RollUp, LeavesOutFragmentsWhoseZonesDoNotCoverThem) {
  const auto type = arrow::int32();

  EXPECT_THAT(RolledUp({Fragment(2, *ArrayOf(type, "[5, 6, 7]"))}, type, {Rows(2, 4)}), IsEmpty());
}

TEST(RollUp, LeavesOutFragmentsWithNans) {
  const auto values = FloatsOf(arrow::float64(), {1, 2, kNan});

  EXPECT_THAT(RolledUp({Fragment(2, *values)}, arrow::float64(), {Rows(2, 3)}), IsEmpty());
}

TEST(RollUp, LeavesOutFragmentsWithAnUnknownBound) {
  FragmentZones zones = Fragment(2, *ArrayOf(arrow::int32(), "[1, 2, 3]"));
  ChangeZones(&zones.zones, [](std::vector<Zone>* changed) {
    (*changed)[1].min = (*changed)[1].max = arrow::MakeNullScalar(arrow::int32());
  });

  EXPECT_THAT(RolledUp({zones}, arrow::int32(), {Rows(2, 3)}), IsEmpty());
}

TEST(RollUp, TakesZonesOfNullsForWhatTheyAre) {
  const auto type = arrow::utf8();

  EXPECT_THAT(RolledUp({Fragment(1, *ArrayOf(type, R"([null, null, "b", "a"])")),
                        Fragment(2, *ArrayOf(type, "[null]"))},
                       type, {Rows(1, 4), Rows(2, 1)}),
              ElementsAre("0+4 [a, b] nulls 2 nans 0", "4+1 [null, null] nulls 1 nans 0"));
}

}  // namespace
}  // namespace lance::index
