#include "lance/index/address_mapping.h"

#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

constexpr uint64_t Address(uint64_t fragment, uint64_t offset) { return fragment << 32 | offset; }

/// Rows 0 and 2 of fragment 0 became fragment 1.
std::shared_ptr<const table::FragmentReuse> Reuse() {
  return std::make_shared<const table::FragmentReuse>(
      table::FragmentReuse::Make({{.dataset_version = 1,
                                   .groups = {{.survivors = {{0, {0, 2}}},
                                               .old_fragments = {{0, 3, 1}},
                                               .new_fragments = {{1, 2, 0}}}}}})
          .ValueOrDie());
}

TEST(AddressMapping, GoesThroughRecordCoverageAndRewriteInThisOrder) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto moves,
      table::RowMoves::Make({{.sources = {{1, {1}}}, .targets = {{6, 1}}}}));
  const AddressMapping mapping(
      {.reuse = Reuse(), .covered = RoaringBitmap{1, 3}, .moves = &moves});

  EXPECT_EQ(mapping.Map(Address(0, 0)), std::nullopt);  // deleted before the rewrite
  EXPECT_EQ(mapping.Map(Address(0, 1)), std::nullopt);
  EXPECT_EQ(mapping.Map(Address(0, 2)), Address(6, 0));
  EXPECT_EQ(mapping.Map(Address(1, 1)), Address(6, 0));
  EXPECT_EQ(mapping.Map(Address(3, 9)), Address(3, 9));
  EXPECT_EQ(mapping.Map(Address(2, 0)), std::nullopt);  // not covered
}

TEST(AddressMapping, WithoutStepsKeepsAllRows) {
  EXPECT_EQ(AddressMapping({}).Map(Address(8, 1)), Address(8, 1));
}

TEST(MapRows, MovesSetsOfRows) {
  const RowAddressMap rows{{{0, RoaringBitmap{1, 2}}, {1, RoaringBitmap{0}}, {4, std::nullopt}}};

  EXPECT_EQ(MapRows(rows, *Reuse()),
            (RowAddressMap{{{1, RoaringBitmap{0, 1}}, {4, std::nullopt}}}));
}

TEST(MapRows, OfAWholeFragmentTakesWhatSurvived) {
  EXPECT_EQ(MapRows({{{0, std::nullopt}}}, *Reuse()),
            (RowAddressMap{{{1, RoaringBitmap{0, 1}}}}));
  EXPECT_EQ(MapRows({{{0, RoaringBitmap{1}}}}, *Reuse()), RowAddressMap());
  EXPECT_EQ(MapRows({{{0, RoaringBitmap{0}}, {1, std::nullopt}}}, *Reuse()),
            (RowAddressMap{{{1, std::nullopt}}}));
}

TEST(MapRows, OfWhatCannotBeFollowedKeepsNothing) {
  const auto opaque = table::FragmentReuse::MakeOpaque({0, 1});

  EXPECT_EQ(MapRows({{{0, RoaringBitmap{1}}, {1, std::nullopt}, {2, RoaringBitmap{5}}}}, opaque),
            (RowAddressMap{{{2, RoaringBitmap{5}}}}));
}

}  // namespace
}  // namespace lance::index
