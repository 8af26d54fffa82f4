// The worked examples of file-format 13, byte for byte as they are printed there.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_leaf.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// file-format 13.3, column a: 1, 2, null, 4.
HandMadeLeaf Integers() {
  HandMadeLeaf leaf(arrow::int32());
  leaf.Page(EncodingOf(Bytes({0x0A, 0x13, 0x12, 0x04, 0x0A, 0x02, 0x08, 0x10, 0x1A, 0x04, 0x0A,
                              0x02, 0x08, 0x20, 0x32, 0x01, 0x03, 0x38, 0x01, 0x48, 0x04})),
            {Bytes({0x30, 0x00}), Bytes({4, 0, 8, 0, 16, 0, 0xFE, 0xFE, 0, 0, 0, 0, 1, 0, 0, 0,
                                         1, 0, 0, 0, 2,  0, 0,    0,    0, 0, 0, 0, 4, 0, 0, 0})},
            4);
  return leaf;
}

TEST(PublishedPages, MiniBlockOfIntegersWithANull) {
  const auto column = Integers().ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_EQ(column->num_rows, 4u);
  EXPECT_EQ(column->num_entries, 4u);
  EXPECT_THAT(column->def, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(column->rep, IsEmpty());
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(1, 2, 0, 4));
}

TEST(PublishedPages, RowsOfAMiniBlock) {
  const auto column = Integers().Read({{1, 2}, {3, 4}});

  ASSERT_THAT(column, IsOk());
  EXPECT_EQ(column->num_rows, 2u);
  EXPECT_THAT(column->def, IsEmpty());
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(2, 4));
}

TEST(PublishedPages, MiniBlockOfText) {
  HandMadeLeaf leaf(arrow::utf8());
  leaf.Page(
      EncodingOf(
          Bytes({0x0A, 0x17, 0x12, 0x04, 0x0A, 0x02, 0x08, 0x10, 0x1A, 0x08, 0x12, 0x06, 0x0A,
                 0x04, 0x0A, 0x02, 0x08, 0x20, 0x32, 0x01, 0x03, 0x38, 0x01, 0x48, 0x04})),
      {Bytes({0x40, 0x00}), Bytes({4,    0, 8,    0, 0x18, 0, 0xFE, 0xFE, 0,   0,   0,    0,  1, 0,
                                   0,    0, 0x14, 0, 0,    0, 0x15, 0,    0,   0,   0x17, 0,  0, 0,
                                   0x17, 0, 0,    0, 0x18, 0, 0,    0,    'x', 'y', 'y',  'w'})},
      4);

  const auto column = leaf.ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(TextValues(*column), ElementsAre("x", "yy", "", "w"));
}

TEST(PublishedPages, MiniBlockOf22HasWiderWords) {
  HandMadeLeaf leaf(arrow::int32(), FileVersion::k2_2);
  leaf.Page(
      EncodingOf(Bytes({0x0A, 0x15, 0x12, 0x04, 0x0A, 0x02, 0x08, 0x10, 0x1A, 0x04, 0x0A, 0x02,
                        0x08, 0x20, 0x32, 0x01, 0x03, 0x38, 0x01, 0x48, 0x04, 0x50, 0x01})),
      {Bytes({0x30, 0, 0, 0}), Bytes({4, 0, 8, 0, 16, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                      1, 0, 0, 0, 2,  0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0})},
      4);

  const auto column = leaf.ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(1, 2, 0, 4));
}

/// file-format 13.4: [1, 2], null, [], [3, null].
HandMadeLeaf Lists() {
  HandMadeLeaf leaf(arrow::int32());
  leaf.Below({{.is_list = true}})
      .Page(EncodingOf(Bytes({0x0A, 0x1C, 0x0A, 0x04, 0x0A, 0x02, 0x08, 0x10, 0x12, 0x04,
                              0x0A, 0x02, 0x08, 0x10, 0x1A, 0x04, 0x0A, 0x02, 0x08, 0x20,
                              0x32, 0x02, 0x03, 0x06, 0x38, 0x01, 0x40, 0x01, 0x48, 0x04})),
            {Bytes({0x60, 0}),
             Bytes({6,    0,    12,   0,    12,   0, 16, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0,    0,
                    0,    0xFE, 0xFE, 0xFE, 0xFE, 0, 0,  0, 0, 2, 0, 3, 0, 0, 0, 1, 0, 0xFE, 0xFE,
                    0xFE, 0xFE, 1,    0,    0,    0, 2,  0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}),
             Numbers<uint64_t>({4, 0})},
            4);
  return leaf;
}

TEST(PublishedPages, MiniBlockOfLists) {
  const auto column = Lists().ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_EQ(column->num_rows, 4u);
  EXPECT_EQ(column->num_entries, 6u);
  EXPECT_THAT(column->rep, ElementsAre(1, 0, 1, 1, 1, 0));
  EXPECT_THAT(column->def, ElementsAre(0, 0, 2, 3, 0, 1));
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(1, 2, 3, 0));
}

TEST(PublishedPages, RowsOfLists) {
  const auto column = Lists().Read({{0, 1}, {2, 3}});

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->rep, ElementsAre(1, 0, 1));
  EXPECT_THAT(column->def, ElementsAre(0, 0, 3));
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(1, 2));
}

/// file-format 13.5: "abc", null, "", "de".
HandMadeLeaf ZippedText() {
  HandMadeLeaf leaf(arrow::utf8());
  leaf.Page(
      EncodingOf(Bytes({0x1A, 0x15, 0x10, 0x01, 0x20, 0x20, 0x28, 0x04, 0x30, 0x04, 0x3A, 0x08,
                        0x12, 0x06, 0x0A, 0x04, 0x0A, 0x02, 0x08, 0x20, 0x42, 0x01, 0x03})),
      {Bytes({0, 3, 0, 0, 0, 'a', 'b', 'c', 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 'd', 'e'}),
       Bytes({0, 8, 9, 0x0E, 0x15})},
      4);
  return leaf;
}

TEST(PublishedPages, FullZipOfText) {
  const auto column = ZippedText().ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(TextValues(*column), ElementsAre("abc", "", "", "de"));
}

TEST(PublishedPages, RowsOfFullZip) {
  const auto column = ZippedText().Read({{1, 2}, {3, 4}});

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, ElementsAre(1, 0));
  EXPECT_THAT(TextValues(*column), ElementsAre("", "de"));
}

/// file-format 13.5: ["abc", null], null, [], ["de"].
HandMadeLeaf ZippedLists() {
  HandMadeLeaf leaf(arrow::utf8());
  leaf.Below({{.is_list = true}})
      .Page(EncodingOf(Bytes({0x1A, 0x18, 0x08, 0x01, 0x10, 0x02, 0x20, 0x20, 0x28,
                              0x05, 0x30, 0x03, 0x3A, 0x08, 0x12, 0x06, 0x0A, 0x04,
                              0x0A, 0x02, 0x08, 0x20, 0x42, 0x02, 0x03, 0x06})),
            {Bytes({4, 3, 0, 0, 0, 'a', 'b', 'c', 1, 6, 7, 4, 2, 0, 0, 0, 'd', 'e'}),
             Bytes({0, 9, 0x0A, 0x0B, 0x12})},
            4);
  return leaf;
}

TEST(PublishedPages, FullZipOfLists) {
  const auto column = ZippedLists().ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->rep, ElementsAre(1, 0, 1, 1, 1));
  EXPECT_THAT(column->def, ElementsAre(0, 1, 2, 3, 0));
  EXPECT_THAT(TextValues(*column), ElementsAre("abc", "", "de"));
}

TEST(PublishedPages, RowsOfZippedLists) {
  const auto column = ZippedLists().Read({{0, 1}, {2, 4}});

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->rep, ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(column->def, ElementsAre(0, 1, 3, 0));
  EXPECT_THAT(TextValues(*column), ElementsAre("abc", "", "de"));
}

TEST(PublishedPages, ConstantText) {
  // file-format 13.6: "xyz", "xyz", null, "xyz".
  HandMadeLeaf leaf(arrow::utf8(), FileVersion::k2_2);
  leaf.Page(EncodingOf(Bytes({0x12, 0x03, 0x2A, 0x01, 0x03})),
            {Bytes({2, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 'x', 'y', 'z'}), "",
             Bytes({0, 0, 0, 0, 1, 0, 0, 0})},
            4);

  const auto all = leaf.ReadAll();
  const auto some = leaf.Read({{2, 4}});

  ASSERT_THAT(all, IsOk());
  EXPECT_THAT(all->def, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(TextValues(*all), ElementsAre("xyz", "xyz", "", "xyz"));
  ASSERT_THAT(some, IsOk());
  EXPECT_THAT(some->def, ElementsAre(1, 0));
  EXPECT_THAT(TextValues(*some), ElementsAre("", "xyz"));
}

TEST(PublishedPages, DictionaryOfOneWord) {
  // file-format 13.7: the dictionary buffer of "hello"; the indices are packed to no bits at all.
  lance_pb::encodings21::PageLayout layout;
  auto* mini = layout.mutable_mini_block_layout();
  mini->mutable_value_compression()->mutable_inline_bitpacking()->set_uncompressed_bits_per_value(
      32);
  mini->mutable_dictionary()
      ->mutable_variable()
      ->mutable_offsets()
      ->mutable_flat()
      ->set_bits_per_value(32);
  mini->set_num_dictionary_items(1);
  mini->add_layers(lance_pb::encodings21::REPDEF_ALL_VALID_ITEM);
  mini->set_num_buffers(1);
  mini->set_num_items(3);
  HandMadeLeaf leaf(arrow::utf8());
  leaf.Page(
      EncodingOf(layout),
      {Bytes({0x10, 0}), Bytes({0, 0, 4, 0, 0xFE, 0xFE, 0xFE, 0xFE, 0, 0, 0, 0, 0, 0, 0, 0}),
       Bytes({0x20, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 'h', 'e', 'l', 'l', 'o'})},
      3);

  const auto column = leaf.ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(TextValues(*column), ElementsAre("hello", "hello", "hello"));
}

}  // namespace
}  // namespace lance::format
