#include "lance/table/row_moves.h"

#include "lance/testing/matchers.h"

namespace lance::table {
namespace {

using lance::testing::IsInvalid;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t Address(uint64_t fragment, uint64_t offset) { return fragment << 32 | offset; }

RoaringBitmap Range(uint64_t begin, uint64_t end) {
  RoaringBitmap rows;
  rows.AddRange(begin, end);
  return rows;
}

/// Fragments 0 (rows 0 to 3 but 1) and 2 (rows 0 to 2) become 5 (4 rows) and 6 (2 rows).
MovedGroup Merged() {
  return {.sources = {{0, {0, 2, 3}}, {2, Range(0, 3)}}, .targets = {{5, 4}, {6, 2}}};
}

TEST(RowMoves, KeepsTheOrderOfWhatSurvives) {
  LANCE_ASSERT_OK_AND_ASSIGN(const RowMoves moves, RowMoves::Make({Merged()}));

  EXPECT_EQ(moves.Map(Address(0, 0)), Address(5, 0));  // address 0 is one like others
  EXPECT_EQ(moves.Map(Address(0, 1)), std::nullopt);
  EXPECT_EQ(moves.Map(Address(0, 3)), Address(5, 2));
  EXPECT_EQ(moves.Map(Address(2, 0)), Address(5, 3));
  EXPECT_EQ(moves.Map(Address(2, 1)), Address(6, 0));
  EXPECT_EQ(moves.Map(Address(2, 2)), Address(6, 1));
  EXPECT_EQ(moves.Map(Address(2, 3)), std::nullopt);
}

TEST(RowMoves, LeavesOtherFragmentsAlone) {
  LANCE_ASSERT_OK_AND_ASSIGN(const RowMoves moves, RowMoves::Make({Merged()}));

  EXPECT_EQ(moves.Map(Address(1, 7)), Address(1, 7));
  EXPECT_EQ(moves.Map(Address(5, 0)), Address(5, 0));
  EXPECT_EQ(moves.Map(~0ull), ~0ull);
}

TEST(RowMoves, GoesByPlacesWhenTheOrderChanged) {
  MovedGroup group = Merged();
  group.places = std::make_shared<const std::vector<uint32_t>>(
      std::initializer_list<uint32_t>{5, 0, 4, 1, 3, 2});
  LANCE_ASSERT_OK_AND_ASSIGN(const RowMoves moves, RowMoves::Make({group}));

  EXPECT_EQ(moves.Map(Address(0, 0)), Address(6, 1));
  EXPECT_EQ(moves.Map(Address(0, 2)), Address(5, 0));
  EXPECT_EQ(moves.Map(Address(2, 2)), Address(5, 2));
}

TEST(RowMoves, TakesSourcesInTheOrderGiven) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const RowMoves moves,
      RowMoves::Make({{.sources = {{9, {0, 1}}, {3, {4}}}, .targets = {{11, 3}}}}));

  EXPECT_EQ(moves.Map(Address(9, 1)), Address(11, 1));
  EXPECT_EQ(moves.Map(Address(3, 4)), Address(11, 2));
}

TEST(RowMoves, MovesCoverageOfWholeGroupsOnly) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const RowMoves moves,
      RowMoves::Make({Merged(), {.sources = {{7, {0}}, {8, {}}}, .targets = {{9, 1}}}}));
  const auto moved = [&](RoaringBitmap coverage) {
    moves.MoveCoverage(&coverage);
    return coverage.ToVector();
  };

  EXPECT_THAT(moved({0, 1, 2}), ElementsAre(1, 5, 6));
  EXPECT_THAT(moved({0, 1}), ElementsAre(1));
  EXPECT_THAT(moved({1, 7, 8}), ElementsAre(1, 9));
  EXPECT_THAT(moved({}), ElementsAre());
  EXPECT_TRUE(moves.Straddles({0, 1}));
  EXPECT_FALSE(moves.Straddles({0, 2, 7, 8}));
  EXPECT_FALSE(moves.Straddles({1, 3}));
}

TEST(RowMoves, OfAGroupWithoutSurvivorsNothingComes) {
  LANCE_ASSERT_OK_AND_ASSIGN(const RowMoves moves,
                             RowMoves::Make({{.sources = {{4, {}}}, .targets = {}}}));

  EXPECT_EQ(moves.Map(Address(4, 0)), std::nullopt);
}

TEST(RowMoves, RefusesWhatCannotBe) {
  MovedGroup short_of_rows = Merged();
  short_of_rows.targets.pop_back();
  EXPECT_THAT(RowMoves::Make({short_of_rows}), IsInvalid(HasSubstr("6 rows of old fragments")));
  EXPECT_THAT(RowMoves::Make({Merged(), Merged()}), IsInvalid(HasSubstr("0 is replaced twice")));
  MovedGroup short_of_places = Merged();
  short_of_places.places = std::make_shared<const std::vector<uint32_t>>(5, 0);
  EXPECT_THAT(RowMoves::Make({short_of_places}), IsInvalid());
  EXPECT_THAT(RowMoves::Make({{.sources = {{0, {0}}}, .targets = {{1, ~0ull}, {2, 2}}}}),
              IsInvalid());
}

}  // namespace
}  // namespace lance::table
