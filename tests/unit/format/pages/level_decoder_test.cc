#include "lance/format/pages/level_decoder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_leaf.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Levels stored as they are.
LevelStream Raw() {
  lance_pb::encodings21::CompressiveEncoding flat;
  flat.mutable_flat()->set_bits_per_value(16);
  return {.decoder = *MakeBlockDecoder(flat, ValueShape{.bits_per_value = 16})};
}

/// A list of nullable items; the page's kinds choose its levels.
class ListLevels {
 public:
  explicit ListLevels(const std::vector<int>& kinds)
      : path_{.layers = {PathLayer{}, PathLayer{.is_list = true}}},
        layers_(*ParsePageLayers(kinds, path_)),
        decoder_(layers_, path_) {}

  arrow::Status Decode(const std::vector<uint16_t>& rep, const std::vector<uint16_t>& def) {
    return decoder_.Decode(Raw(), AsBytes(Numbers(rep)), def.empty() ? LevelStream{} : Raw(),
                           AsBytes(Numbers(def)), rep.size());
  }

  const LevelDecoder& decoder() const { return decoder_; }

 private:
  LeafPath path_;
  PageLayers layers_;
  LevelDecoder decoder_;
};

TEST(LevelDecoder, TranslatesToCanonicalLevels) {
  // Items cannot be null in this page, lists can be empty: its level 1 is level 3 of the column.
  ListLevels levels({1, 5});

  ASSERT_THAT(levels.Decode({1, 0, 1}, {0, 0, 1}), IsOk());
  EXPECT_THAT(levels.decoder().def(), ElementsAre(0, 0, 3));
  EXPECT_THAT(levels.decoder().rep(), ElementsAre(1, 0, 1));
  EXPECT_EQ(levels.decoder().num_visible(), 2u);
  EXPECT_FALSE(levels.decoder().IsVisible(2));
}

TEST(LevelDecoder, CountsNullItemsAsVisible) {
  ListLevels levels({3, 6});

  ASSERT_THAT(levels.Decode({1, 1, 1, 1}, {1, 2, 3, 0}), IsOk());
  EXPECT_EQ(levels.decoder().num_visible(), 2u);
}

TEST(LevelDecoder, TakesAnAbsentStreamForZeros) {
  ListLevels levels({3, 6});

  ASSERT_THAT(levels.Decode({1, 0}, {}), IsOk());
  EXPECT_THAT(levels.decoder().def(), IsEmpty());
  EXPECT_EQ(levels.decoder().num_visible(), 2u);
}

TEST(LevelDecoder, RefusesLevelsThatTheLayersDoNotHave) {
  EXPECT_THAT(ListLevels({3, 6}).Decode({2}, {0}), IsSerializationError(HasSubstr("a level is 2")));
  EXPECT_THAT(ListLevels({3, 6}).Decode({1}, {4}), IsSerializationError(HasSubstr("a level is 4")));
  EXPECT_THAT(ListLevels({1, 5}).Decode({1}, {2}), IsSerializationError());
}

TEST(LevelDecoder, ComparesRowsWithTheIndex) {
  ListLevels levels({3, 6});
  ASSERT_THAT(levels.Decode({0, 0, 1, 0, 1, 0, 0}, {}), IsOk());

  EXPECT_THAT(levels.decoder().CheckRows(true, 2, 3), IsOk());
  EXPECT_THAT(levels.decoder().CheckRows(true, 2, 0), IsOk());
  EXPECT_THAT(levels.decoder().CheckRows(false, 2, 3), IsSerializationError());
  EXPECT_THAT(levels.decoder().CheckRows(true, 3, 3), IsSerializationError(HasSubstr("2 rows")));
  EXPECT_THAT(levels.decoder().CheckRows(true, 2, 2), IsSerializationError(HasSubstr("3 entries")));
}

TEST(LevelDecoder, CountsAllEntriesOfARowThatOnlyPassesThrough) {
  ListLevels levels({3, 6});
  ASSERT_THAT(levels.Decode({0, 0, 0}, {}), IsOk());

  EXPECT_THAT(levels.decoder().CheckRows(true, 0, 3), IsOk());
  EXPECT_THAT(levels.decoder().CheckRows(true, 0, 2), IsSerializationError());
}

std::vector<EntrySlice> Slices(const LevelDecoder& decoder, uint64_t rows_begun,
                               const std::vector<RowRange>& wanted) {
  std::vector<EntrySlice> slices;
  decoder.Slice(rows_begun, wanted, &slices);
  return slices;
}

TEST(LevelDecoder, FindsEntriesAndValuesOfRows) {
  // The rest of row 9 (2 entries), row 10 (an empty list), row 11 (3 items), row 12 (1 item).
  ListLevels levels({3, 6});
  ASSERT_THAT(levels.Decode({0, 0, 1, 1, 0, 0, 1}, {0, 1, 3, 0, 0, 0, 0}), IsOk());
  const LevelDecoder& decoder = levels.decoder();

  EXPECT_THAT(Slices(decoder, 10, {{9, 10}}), ElementsAre(EntrySlice{0, 2, 0, 2}));
  EXPECT_THAT(Slices(decoder, 10, {{10, 11}}), ElementsAre(EntrySlice{2, 1, 2, 0}));
  EXPECT_THAT(Slices(decoder, 10, {{0, 10}, {11, 12}}),
              ElementsAre(EntrySlice{0, 2, 0, 2}, EntrySlice{3, 3, 2, 3}));
  EXPECT_THAT(Slices(decoder, 10, {{10, 13}}), ElementsAre(EntrySlice{2, 5, 2, 4}));
  EXPECT_THAT(Slices(decoder, 10, {{12, 99}, {200, 201}}), ElementsAre(EntrySlice{6, 1, 5, 1}));
  EXPECT_THAT(Slices(decoder, 10, {{3, 9}, {13, 14}}), IsEmpty());
}

TEST(LevelDecoder, FindsRowsWithoutListsByTheirNumber) {
  const LeafPath path{.layers = {PathLayer{}}};
  const PageLayers layers = *ParsePageLayers(std::vector<int>{3}, path);
  LevelDecoder decoder(layers, path);
  ASSERT_THAT(decoder.Decode({}, {}, Raw(), AsBytes(Numbers<uint16_t>({0, 1, 0, 1})), 4), IsOk());

  EXPECT_THAT(Slices(decoder, 100, {{0, 50}, {101, 102}, {103, 110}, {200, 300}}),
              ElementsAre(EntrySlice{1, 1, 1, 1}, EntrySlice{3, 1, 3, 1}));
}

TEST(LevelDecoder, MarksNullValues) {
  ListLevels levels({3, 6});
  ASSERT_THAT(levels.Decode({1, 0, 1, 1}, {0, 1, 3, 0}), IsOk());
  std::vector<uint8_t> is_null;

  levels.decoder().MarkNulls({0, 4, 0, 3}, &is_null);
  EXPECT_THAT(is_null, ElementsAre(0, 1, 0));

  levels.decoder().MarkNulls({1, 2, 1, 1}, &is_null);
  EXPECT_THAT(is_null, ElementsAre(1));
}

}  // namespace
}  // namespace lance::format
