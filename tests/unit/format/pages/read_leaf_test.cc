#include "lance/format/pages/read_leaf.h"

#include <functional>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_leaf.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

namespace pb = lance_pb::encodings21;

using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A chunk's word of 16 bits.
uint16_t Word(const std::string& chunk, int log_values) {
  return static_cast<uint16_t>((chunk.size() / 8 - 1) << 4 | log_values);
}

std::string Padded(std::string bytes) {
  bytes.resize((bytes.size() + 7) / 8 * 8, '\xFE');
  return bytes;
}

/// A chunk of int32 values with raw levels where there are any.
std::string Chunk(const std::vector<uint16_t>& rep, const std::vector<uint16_t>& def,
                  const std::vector<uint32_t>& values) {
  const auto size = [](size_t bytes) { return static_cast<uint16_t>(bytes); };
  std::vector<uint16_t> header = {size(std::max(rep.size(), def.size()))};
  if (!rep.empty()) header.push_back(size(rep.size() * 2));
  if (!def.empty()) header.push_back(size(def.size() * 2));
  header.push_back(size(values.size() * 4));
  return Padded(Numbers(header)) + Padded(Numbers(rep)) + Padded(Numbers(def)) +
         Padded(Numbers(values));
}

pb::PageLayout MiniBlock(uint64_t num_items, bool has_def = false, bool has_rep = false) {
  pb::PageLayout layout;
  auto* mini = layout.mutable_mini_block_layout();
  if (has_rep) mini->mutable_rep_compression()->mutable_flat()->set_bits_per_value(16);
  if (has_def) mini->mutable_def_compression()->mutable_flat()->set_bits_per_value(16);
  mini->mutable_value_compression()->mutable_flat()->set_bits_per_value(32);
  mini->add_layers(has_def ? pb::REPDEF_NULLABLE_ITEM : pb::REPDEF_ALL_VALID_ITEM);
  if (has_rep) {
    mini->add_layers(pb::REPDEF_NULL_AND_EMPTY_LIST);
    mini->set_repetition_index_depth(1);
  }
  mini->set_num_buffers(1);
  mini->set_num_items(num_items);
  return layout;
}

std::vector<uint32_t> Counted(uint32_t from, uint32_t count) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), from);
  return values;
}

/// Two chunks of 4 and 3 values without nulls, counted from `from`.
void AddPlainPage(uint32_t from, HandMadeLeaf* leaf) {
  const std::string first = Chunk({}, {}, Counted(from, 4));
  const std::string second = Chunk({}, {}, Counted(from + 4, 3));
  leaf->Page(EncodingOf(MiniBlock(7)),
             {Numbers<uint16_t>({Word(first, 2), Word(second, 0)}), first + second}, 7);
}

TEST(ReadLeaf, CutsRowsOutOfChunksAndPages) {
  HandMadeLeaf leaf(arrow::int32());
  AddPlainPage(0, &leaf);
  AddPlainPage(7, &leaf);
  AddPlainPage(14, &leaf);

  const auto column = leaf.Read({{3, 5}, {6, 8}, {15, 16}, {20, 21}});

  ASSERT_THAT(column, IsOk());
  EXPECT_EQ(column->num_rows, 6u);
  EXPECT_EQ(column->num_entries, 6u);
  EXPECT_THAT(column->def, IsEmpty());
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(3, 4, 6, 7, 15, 20));
}

TEST(ReadLeaf, OfNoRowsReadsNothing) {
  HandMadeLeaf leaf(arrow::int32());
  AddPlainPage(0, &leaf);

  const auto column = leaf.Read({});

  ASSERT_THAT(column, IsOk());
  EXPECT_EQ(column->num_entries, 0u);
  EXPECT_EQ(leaf.counters().requests, 0u);
}

TEST(ReadLeaf, FillsLevelsOnlyFromTheFirstNullOn) {
  HandMadeLeaf leaf(arrow::int32());
  AddPlainPage(0, &leaf);
  const std::string chunk = Chunk({}, {0, 1, 0}, {7, 0, 9});
  leaf.Page(EncodingOf(MiniBlock(3, true)), {Numbers<uint16_t>({Word(chunk, 0)}), chunk}, 3);
  AddPlainPage(10, &leaf);

  const auto all = leaf.ReadAll();
  const auto first = leaf.Read({{0, 8}, {9, 12}});

  ASSERT_THAT(all, IsOk());
  EXPECT_THAT(all->def, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0));
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(first->def, IsEmpty());
  EXPECT_THAT(FixedValues<uint32_t>(*first), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11));
}

/// Four rows: [0 1 2], [3 .. 12] over three chunks, [] and [13].
HandMadeLeaf ListsOverChunks() {
  const std::string first = Chunk({1, 0, 0, 1}, {0, 0, 0, 0}, Counted(0, 4));
  const std::string second =
      Chunk({0, 0, 0, 0, 0, 0, 0, 0}, std::vector<uint16_t>(8, 0), Counted(4, 8));
  const std::string third = Chunk({0, 1, 1}, {0, 3, 0}, Counted(12, 2));
  HandMadeLeaf leaf(arrow::int32());
  leaf.Below({{.is_list = true}})
      .Page(EncodingOf(MiniBlock(14, true, true)),
            {Numbers<uint16_t>({Word(first, 2), Word(second, 3), Word(third, 0)}),
             first + second + third, Numbers<uint64_t>({1, 1, 0, 8, 3, 0})},
            4);
  return leaf;
}

TEST(ReadLeaf, GivesEveryRowOfListsAlone) {
  HandMadeLeaf leaf = ListsOverChunks();
  const std::vector<std::vector<uint32_t>> rows = {Counted(0, 3), Counted(3, 10), {}, {13}};
  for (uint64_t i = 0; i < rows.size(); ++i) {
    const auto column = leaf.Read({{i, i + 1}});

    ASSERT_THAT(column, IsOk()) << i;
    EXPECT_EQ(FixedValues<uint32_t>(*column), rows[i]) << i;
    EXPECT_EQ(column->num_entries, std::max<size_t>(1, rows[i].size())) << i;
    EXPECT_EQ(column->rep[0], 1) << i;
  }
}

TEST(ReadLeaf, GivesRunsOfListRows) {
  HandMadeLeaf leaf = ListsOverChunks();

  const auto ends = leaf.Read({{0, 1}, {2, 4}});
  const auto middle = leaf.Read({{1, 3}});
  const auto all = leaf.ReadAll();

  ASSERT_THAT(ends, IsOk());
  EXPECT_THAT(FixedValues<uint32_t>(*ends), ElementsAre(0, 1, 2, 13));
  EXPECT_THAT(ends->rep, ElementsAre(1, 0, 0, 1, 1));
  EXPECT_THAT(ends->def, ElementsAre(0, 0, 0, 3, 0));
  ASSERT_THAT(middle, IsOk());
  EXPECT_EQ(FixedValues<uint32_t>(*middle), Counted(3, 10));
  EXPECT_EQ(middle->num_entries, 11u);
  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(FixedValues<uint32_t>(*all), Counted(0, 14));
}

TEST(ReadLeaf, ReadsNestedPagesWithLevelsOfTheirOwn) {
  HandMadeLeaf leaf(arrow::int32());
  leaf.Below({{.is_list = true}});
  // Lists that are never null in a page without nulls: level 1 means empty.
  pb::PageLayout layout = MiniBlock(2, true, true);
  layout.mutable_mini_block_layout()->set_layers(0, pb::REPDEF_ALL_VALID_ITEM);
  layout.mutable_mini_block_layout()->set_layers(1, pb::REPDEF_EMPTYABLE_LIST);
  const std::string chunk = Chunk({1, 1, 0}, {1, 0, 0}, {5, 6});
  leaf.Page(EncodingOf(layout),
            {Numbers<uint16_t>({Word(chunk, 0)}), chunk, Numbers<uint64_t>({2, 0})}, 2);

  const auto column = leaf.ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, ElementsAre(3, 0, 0));
}

// ---- requests ----

/// Many chunks, too large to be read with the header: 64 chunks of 1024 values.
HandMadeLeaf LargePages(int num_pages) {
  HandMadeLeaf leaf(arrow::int32());
  for (int page = 0; page < num_pages; ++page) {
    std::vector<uint16_t> words;
    std::string chunks;
    for (uint32_t i = 0; i < 64; ++i) {
      const std::string chunk =
          Chunk({}, {}, Counted((static_cast<uint32_t>(page) * 64 + i) * 1024, 1024));
      words.push_back(Word(chunk, 10));
      chunks += chunk;
    }
    leaf.Page(EncodingOf(MiniBlock(65536)), {Numbers(words), chunks}, 65536).Gap(10000);
  }
  return leaf;
}

uint64_t NumRequests(HandMadeLeaf* leaf, const std::vector<RowRange>& rows) {
  const uint64_t before = leaf->counters().requests;
  EXPECT_THAT(leaf->Read(rows), IsOk());
  return leaf->counters().requests - before;
}

TEST(ReadLeaf, TakesOneRequestForWholePages) {
  HandMadeLeaf leaf = LargePages(3);

  EXPECT_EQ(NumRequests(&leaf, {{0, 3 * 65536}}), 1u);
  EXPECT_EQ(NumRequests(&leaf, {{0, 3 * 65536}}), 1u);
}

TEST(ReadLeaf, TakesTwoRequestsForPartsAndOneMoreTime) {
  HandMadeLeaf leaf = LargePages(3);
  const std::vector<RowRange> rows = {{5, 6}, {70000, 70001}, {150000, 150010}};

  EXPECT_EQ(NumRequests(&leaf, rows), 2u);
  EXPECT_EQ(NumRequests(&leaf, rows), 1u);
}

TEST(ReadLeaf, ReadsOnlyTheChunksOfTheRows) {
  HandMadeLeaf leaf = LargePages(1);
  ASSERT_THAT(leaf.Read({{0, 1}}), IsOk());
  const uint64_t before = leaf.counters().bytes_read;

  ASSERT_THAT(leaf.Read({{1023, 1025}, {60000, 60001}}), IsOk());

  EXPECT_EQ(leaf.counters().bytes_read - before, 3u * 4104);
}

TEST(ReadLeaf, JoinsRangesOverSmallGaps) {
  HandMadeLeaf leaf = LargePages(1);
  ASSERT_THAT(leaf.Read({{0, 1}}), IsOk());
  const uint64_t before = leaf.counters().iops;

  // Chunk 1 of 4104 bytes lies between: too far. Neighbours are one range.
  ASSERT_THAT(leaf.Read({{0, 1}, {2048, 2049}, {3072, 3073}}), IsOk());

  EXPECT_EQ(leaf.counters().iops - before, 2u);
}

// ---- full-zip ----

/// Values of 300 bytes, the i-th full of 'a' + i % 26.
HandMadeLeaf ZippedTexts(uint32_t num_rows, uint32_t index_width) {
  pb::PageLayout layout;
  auto* zip = layout.mutable_full_zip_layout();
  zip->set_bits_per_offset(32);
  zip->set_num_items(num_rows);
  zip->set_num_visible_items(num_rows);
  zip->mutable_value_compression()
      ->mutable_variable()
      ->mutable_offsets()
      ->mutable_flat()
      ->set_bits_per_value(32);
  zip->add_layers(pb::REPDEF_ALL_VALID_ITEM);
  std::string data;
  std::string index;
  for (uint32_t i = 0; i <= num_rows; ++i) {
    index += Numbers<uint64_t>({data.size()}).substr(0, index_width);
    if (i == num_rows) break;
    data += Numbers<uint32_t>({300}) + std::string(300, static_cast<char>('a' + i % 26));
  }
  HandMadeLeaf leaf(arrow::utf8());
  leaf.Page(EncodingOf(layout), {data, index}, num_rows);
  return leaf;
}

TEST(ReadLeaf, FindsFullZipRowsThroughALargeIndex) {
  HandMadeLeaf leaf = ZippedTexts(20000, 8);

  const auto column = leaf.Read({{0, 1}, {9999, 10001}, {19999, 20000}});

  ASSERT_THAT(column, IsOk());
  const auto texts = TextValues(*column);
  ASSERT_THAT(texts, SizeIs(4));
  EXPECT_EQ(texts[0], std::string(300, 'a'));
  EXPECT_EQ(texts[1], std::string(300, 'a' + 9999 % 26));
  EXPECT_EQ(texts[3], std::string(300, 'a' + 19999 % 26));
  // Entries of the index, then the rows: nothing else.
  EXPECT_EQ(leaf.counters().requests, 2u);
  EXPECT_LT(leaf.counters().bytes_read, 6000u);
}

TEST(ReadLeaf, KeepsASmallRowIndex) {
  HandMadeLeaf leaf = ZippedTexts(2000, 4);

  EXPECT_EQ(NumRequests(&leaf, {{1000, 1001}}), 2u);
  EXPECT_EQ(NumRequests(&leaf, {{500, 501}, {1500, 1501}}), 1u);
}

TEST(ReadLeaf, TakesOneRequestForAWholeFullZipPage) {
  HandMadeLeaf leaf = ZippedTexts(20000, 4);

  EXPECT_EQ(NumRequests(&leaf, {{0, 20000}}), 1u);
}

/// Nullable values of two bytes in full-zip.
HandMadeLeaf ZippedNumbers(const std::string& data, uint32_t num_rows) {
  pb::PageLayout layout;
  auto* zip = layout.mutable_full_zip_layout();
  zip->set_bits_def(1);
  zip->set_bits_per_value(16);
  zip->set_num_items(num_rows);
  zip->set_num_visible_items(num_rows);
  zip->mutable_value_compression()->mutable_flat()->set_bits_per_value(16);
  zip->add_layers(pb::REPDEF_NULLABLE_ITEM);
  HandMadeLeaf leaf(arrow::int16());
  leaf.Page(EncodingOf(layout), {data}, num_rows);
  return leaf;
}

TEST(ReadLeaf, FindsFullZipRowsOfFixedWidthByArithmetic) {
  std::string data;
  for (int i = 0; i < 20000; ++i) data += Bytes({i % 2, i % 256, i / 256});
  HandMadeLeaf leaf = ZippedNumbers(data, 20000);

  const auto column = leaf.Read({{0, 2}, {19999, 20000}});

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, ElementsAre(0, 1, 1));
  EXPECT_THAT(FixedValues<uint16_t>(*column), ElementsAre(0, 1, 19999));
  EXPECT_EQ(leaf.counters().requests, 1u);
  EXPECT_EQ(leaf.counters().bytes_read, 9u);
}

TEST(ReadLeaf, RefusesFullZipPagesOfAnotherSize) {
  EXPECT_THAT(ZippedNumbers(Bytes({0, 1, 0, 1, 2}), 2).ReadAll(),
              IsSerializationError(AllOf(HasSubstr("page 0"), HasSubstr("its 2 rows need 6"))));
}

TEST(ReadLeaf, RefusesLevelsOfFullZipPagesThatTheLayersDoNotHave) {
  EXPECT_THAT(ZippedNumbers(Bytes({2, 1, 0}), 1).ReadAll(),
              IsSerializationError(HasSubstr("entry 0 of those read: levels are 1 and 0")));
}

/// Texts in full-zip whose bytes the test chooses.
arrow::Result<LeafColumn> ReadZipped(const std::string& data, const std::string& index,
                                     uint32_t num_items) {
  pb::PageLayout layout;
  auto* zip = layout.mutable_full_zip_layout();
  zip->set_bits_rep(1);
  zip->set_bits_def(2);
  zip->set_bits_per_offset(32);
  zip->set_num_items(num_items);
  zip->set_num_visible_items(num_items);
  zip->mutable_value_compression()
      ->mutable_variable()
      ->mutable_offsets()
      ->mutable_flat()
      ->set_bits_per_value(32);
  zip->add_layers(pb::REPDEF_NULLABLE_ITEM);
  zip->add_layers(pb::REPDEF_NULL_AND_EMPTY_LIST);
  HandMadeLeaf leaf(arrow::utf8());
  leaf.Below({{.is_list = true}}).Page(EncodingOf(layout), {data, index}, 2);
  return leaf.ReadAll();
}

TEST(ReadLeaf, RefusesBrokenFullZipPages) {
  const std::string row = Bytes({4, 1, 0, 0, 0, 'x'});
  const auto refused = [](const std::string& expected) {
    return IsSerializationError(AllOf(HasSubstr("page 0"), HasSubstr(expected)));
  };
  ASSERT_THAT(ReadZipped(row + row, Bytes({0, 6, 12}), 2), IsOk());
  EXPECT_THAT(ReadZipped(row + row, Bytes({0, 5, 12}), 2), refused("the row index says another"));
  EXPECT_THAT(ReadZipped(row + row, Bytes({0, 6, 11}), 2), refused("RowIndex"));
  EXPECT_THAT(ReadZipped(row + row, Bytes({0, 6}), 2), refused("RowIndex"));
  EXPECT_THAT(ReadZipped(row + row, Bytes({0, 6, 12}), 3), refused("FullZipLayout says 3"));
  EXPECT_THAT(ReadZipped(Bytes({0, 1, 0, 0, 0, 'x'}) + row, Bytes({0, 6, 12}), 2),
              refused("rows begin with 1"));
  EXPECT_THAT(ReadZipped(row + Bytes({4, 2, 0, 0, 0, 'x'}), Bytes({0, 6, 12}), 2),
              refused("its value needs 2 bytes, 1 are left"));
  EXPECT_THAT(ReadZipped(row + Bytes({4, 1, 0}), Bytes({0, 6, 9}), 2),
              refused("its length needs 4 bytes, 2 are left"));
  EXPECT_THAT(ReadZipped(row + Bytes({0, 1, 0, 0, 0, 'x'}), Bytes({0, 6, 12}), 2),
              refused("begin 1 rows, expected are 2"));
  EXPECT_THAT(ReadZipped(row + row + row, Bytes({0, 6, 18}), 3), refused("begin 3 rows"));
}

// ---- constant and all-null pages ----

pb::PageLayout Constant(std::initializer_list<pb::RepDefLayer> layers) {
  pb::PageLayout layout;
  for (const auto layer : layers) layout.mutable_constant_layout()->add_layers(layer);
  return layout;
}

TEST(ReadLeaf, MakesNullsWithoutReading) {
  HandMadeLeaf leaf(arrow::int32());
  leaf.Page(EncodingOf(Constant({pb::REPDEF_NULLABLE_ITEM})), {}, 1000);

  const auto column = leaf.Read({{10, 12}, {900, 901}});

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, ElementsAre(1, 1, 1));
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(0, 0, 0));
  EXPECT_EQ(leaf.counters().bytes_read, 0u);
}

TEST(ReadLeaf, GivesRowsOfAnEmptyStructThatAreThere) {
  HandMadeLeaf leaf(arrow::struct_({}));
  leaf.OfKind(FieldKind::kStruct).Page(EncodingOf(Constant({pb::REPDEF_NULLABLE_ITEM})), {}, 3);

  const auto column = leaf.ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, IsEmpty());
  EXPECT_EQ(column->num_entries, 3u);
}

TEST(ReadLeaf, RepeatsAnInlineValue) {
  pb::PageLayout layout = Constant({pb::REPDEF_ALL_VALID_ITEM});
  layout.mutable_constant_layout()->set_inline_value(Bytes({7, 0, 0, 0}));
  HandMadeLeaf leaf(arrow::int32(), FileVersion::k2_2);
  leaf.Page(EncodingOf(layout), {}, 100);

  const auto column = leaf.Read({{0, 2}, {99, 100}});

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(7, 7, 7));
  EXPECT_THAT(column->def, IsEmpty());
}

TEST(ReadLeaf, RefusesAnInlineValueOfAnotherWidth) {
  pb::PageLayout layout = Constant({pb::REPDEF_ALL_VALID_ITEM});
  layout.mutable_constant_layout()->set_inline_value(Bytes({7, 0, 0}));
  HandMadeLeaf leaf(arrow::int32(), FileVersion::k2_2);
  leaf.Page(EncodingOf(layout), {}, 100);

  EXPECT_THAT(leaf.ReadAll(), IsSerializationError(HasSubstr("has 3 bytes, the type needs 4")));
}

/// Lists of nothing: null, empty, null and a null item.
HandMadeLeaf NoValues(const std::string& rep, const std::string& def) {
  HandMadeLeaf leaf(arrow::int32());
  leaf.Below({{.is_list = true}})
      .Page(EncodingOf(Constant({pb::REPDEF_NULLABLE_ITEM, pb::REPDEF_NULL_AND_EMPTY_LIST})),
            {rep, def}, 3);
  return leaf;
}

TEST(ReadLeaf, ReadsLevelsOfPagesWithoutValues) {
  HandMadeLeaf leaf = NoValues(Numbers<uint16_t>({1, 1, 1, 0}), Numbers<uint16_t>({2, 3, 1, 1}));

  const auto all = leaf.ReadAll();
  const auto last = leaf.Read({{2, 3}});

  ASSERT_THAT(all, IsOk());
  EXPECT_THAT(all->rep, ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(all->def, ElementsAre(2, 3, 1, 1));
  EXPECT_EQ(all->values.num_values, 2u);
  ASSERT_THAT(last, IsOk());
  EXPECT_THAT(last->rep, ElementsAre(1, 0));
  EXPECT_EQ(last->values.num_values, 2u);
}

TEST(ReadLeaf, RefusesBrokenLevelsOfPagesWithoutValues) {
  const auto levels = [](const std::vector<uint16_t>& numbers) { return Numbers(numbers); };
  const std::string rep = levels({1, 1, 1});
  EXPECT_THAT(NoValues(rep, levels({2, 3, 0})).ReadAll(),
              IsSerializationError(HasSubstr("the page has no values")));
  EXPECT_THAT(NoValues(rep, levels({2, 3})).ReadAll(),
              IsSerializationError(HasSubstr("3 repetition and 2 definition levels for 3 rows")));
  EXPECT_THAT(NoValues("", levels({2, 3, 2})).ReadAll(),
              IsSerializationError(HasSubstr("no repetition levels and 1 list layers")));
  EXPECT_THAT(NoValues(levels({1, 1, 0}), levels({2, 3, 2})).ReadAll(),
              IsSerializationError(HasSubstr("begin 2 rows")));
  EXPECT_THAT(NoValues(rep + "x", levels({2, 3, 2})).ReadAll(), IsSerializationError());
}

TEST(ReadLeaf, ReadsTheLevelsOfTheRowsAlone) {
  HandMadeLeaf leaf(arrow::int32(), FileVersion::k2_2);
  pb::PageLayout layout = Constant({pb::REPDEF_NULLABLE_ITEM});
  layout.mutable_constant_layout()->set_inline_value(Bytes({7, 0, 0, 0}));
  std::vector<uint16_t> def(50000);
  def[40000] = 1;
  leaf.Page(EncodingOf(layout), {"", Numbers(def)}, 50000);

  const auto column = leaf.Read({{5, 6}, {39999, 40002}});

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(7, 7, 0, 7));
  EXPECT_EQ(leaf.counters().bytes_read, 8u);
}

// ---- blobs ----

/// Descriptors (position, size) of legacy blobs.
HandMadeLeaf Blobs(const std::vector<uint64_t>& descriptors) {
  pb::PageLayout layout;
  auto* blob = layout.mutable_blob_layout();
  blob->add_layers(pb::REPDEF_NULLABLE_ITEM);
  auto* mini = blob->mutable_inner_layout()->mutable_mini_block_layout();
  auto* packed = mini->mutable_value_compression()->mutable_packed_struct();
  packed->add_bits_per_value(64);
  packed->add_bits_per_value(64);
  packed->mutable_values()->mutable_flat()->set_bits_per_value(128);
  mini->add_layers(pb::REPDEF_ALL_VALID_ITEM);
  mini->set_num_buffers(1);
  mini->set_num_items(descriptors.size() / 2);
  const std::string values = Numbers(descriptors);
  const std::string chunk =
      Numbers<uint16_t>({0, static_cast<uint16_t>(values.size()), 0, 0}) + values;
  HandMadeLeaf leaf(arrow::large_binary());
  leaf.OfKind(FieldKind::kBlob)
      .Page(EncodingOf(layout), {Numbers<uint16_t>({Word(chunk, 0)}), chunk},
            descriptors.size() / 2);
  return leaf;
}

TEST(ReadLeaf, TakesLevelsOutOfBlobDescriptors) {
  const auto column = Blobs({64, 5, 0, 0, 1 << 16, 0, 10, 20}).ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(column->def, ElementsAre(0, 0, 1, 0));
  ASSERT_THAT(column->values.members, SizeIs(2));
  EXPECT_EQ(LoadLittleEndian<uint64_t>(column->values.members[0].bytes.data()), 64u);
  EXPECT_EQ(LoadLittleEndian<uint64_t>(column->values.members[0].bytes.data() + 16), 0u);
  EXPECT_EQ(LoadLittleEndian<uint64_t>(column->values.members[1].bytes.data() + 24), 20u);
}

TEST(ReadLeaf, RefusesBrokenBlobDescriptors) {
  EXPECT_THAT(Blobs({100, 1000}).ReadAll(), IsSerializationError(HasSubstr("[100, +1000)")));
  EXPECT_THAT(Blobs({~uint64_t{0}, 2}).ReadAll(), IsSerializationError(HasSubstr("blob 0")));
  EXPECT_THAT(Blobs({2 << 16, 0}).ReadAll(), IsSerializationError(HasSubstr("levels 0 and 2")));
  EXPECT_THAT(Blobs({1, 0}).ReadAll(), IsSerializationError(HasSubstr("levels 1 and 0")));
}

TEST(ReadLeaf, RefusesBlobsInsideLists) {
  HandMadeLeaf leaf = Blobs({0, 0});
  leaf.Below({{.is_list = true}});

  EXPECT_THAT(leaf.ReadAll(), IsNotImplemented(HasSubstr("inside lists")));
}

std::shared_ptr<arrow::DataType> DescriptorType() {
  return arrow::struct_(
      {arrow::field("kind", arrow::uint8()), arrow::field("position", arrow::uint64()),
       arrow::field("size", arrow::uint64()), arrow::field("blob_id", arrow::uint32()),
       arrow::field("blob_uri", arrow::utf8())});
}

/// One blob (v2).
arrow::Result<LeafColumn> ReadDescriptor(uint8_t kind, uint64_t position, uint64_t size,
                                         uint32_t blob_id) {
  pb::PageLayout layout;
  auto* zip = layout.mutable_full_zip_layout();
  zip->set_bits_per_offset(32);
  zip->set_num_items(1);
  zip->set_num_visible_items(1);
  zip->add_layers(pb::REPDEF_ALL_VALID_ITEM);
  auto* packed = zip->mutable_value_compression()->mutable_variable_packed_struct();
  for (const uint64_t bits : {8, 64, 64, 32}) {
    auto* field = packed->add_fields();
    field->set_bits_per_value(bits);
    field->mutable_value()->mutable_flat()->set_bits_per_value(bits);
  }
  auto* uri = packed->add_fields();
  uri->set_bits_per_length(32);
  uri->mutable_value()->mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(
      32);
  const std::string row = Bytes({kind}) + Numbers<uint64_t>({position, size}) +
                          Numbers<uint32_t>({blob_id}) + Numbers<uint32_t>({3}) + "uri";
  const std::string data = Numbers<uint32_t>({static_cast<uint32_t>(row.size())}) + row;
  HandMadeLeaf leaf(DescriptorType(), FileVersion::k2_2);
  leaf.OfKind(FieldKind::kBlobV2)
      .Page(EncodingOf(layout), {data, Bytes({0, static_cast<int>(data.size())})}, 1);
  return leaf.ReadAll();
}

TEST(ReadLeaf, ChecksDescriptorsOfBlobs) {
  EXPECT_THAT(ReadDescriptor(0, 0, 20, 0), IsOk());
  EXPECT_THAT(ReadDescriptor(0, 100, 2000, 0), IsSerializationError(HasSubstr("[100, +2000)")));
  EXPECT_THAT(ReadDescriptor(1, 1 << 20, 2000, 1), IsOk());
  EXPECT_THAT(ReadDescriptor(1, 0, 2000, 0), IsSerializationError(HasSubstr("side file 0")));
  EXPECT_THAT(ReadDescriptor(2, 0, 2000, 0), IsSerializationError(HasSubstr("side file 0")));
  EXPECT_THAT(ReadDescriptor(3, 5, 7, 0), IsOk());
  EXPECT_THAT(ReadDescriptor(4, 5, 7, 0), IsNotImplemented(HasSubstr("managed blobs")));
  EXPECT_THAT(ReadDescriptor(6, 5, 7, 0), IsSerializationError(HasSubstr("of kind 6")));
}

// ---- fixed-size lists of struct, dictionaries ----

TEST(ReadLeaf, CountsPagesBelowFixedSizeListsInEntries) {
  HandMadeLeaf leaf(arrow::int32(), FileVersion::k2_1);
  leaf.Below({{}, {.dimension = 3}});
  pb::PageLayout layout = MiniBlock(6, true);
  layout.mutable_mini_block_layout()->add_layers(pb::REPDEF_ALL_VALID_ITEM);
  layout.mutable_mini_block_layout()->add_layers(pb::REPDEF_NULLABLE_ITEM);
  for (uint32_t page = 0; page < 2; ++page) {
    const std::string chunk = Chunk({}, {0, 0, 1, 2, 2, 2}, Counted(page * 6, 6));
    leaf.Page(EncodingOf(layout), {Numbers<uint16_t>({Word(chunk, 0)}), chunk}, 6);
  }

  const auto column = leaf.Read({{1, 3}});

  ASSERT_THAT(column, IsOk());
  EXPECT_EQ(column->num_rows, 2u);
  EXPECT_EQ(column->num_entries, 6u);
  EXPECT_THAT(column->def, ElementsAre(3, 3, 3, 0, 0, 1));
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(3, 4, 5, 6, 7, 8));
}

TEST(ReadLeaf, RefusesPagesThatCutFixedSizeLists) {
  HandMadeLeaf leaf(arrow::int32());
  leaf.Below({{}, {.dimension = 2}});
  const auto all_null =
      Constant({pb::REPDEF_NULLABLE_ITEM, pb::REPDEF_ALL_VALID_ITEM, pb::REPDEF_ALL_VALID_ITEM});
  leaf.Page(EncodingOf(all_null), {}, 3).Page(EncodingOf(all_null), {}, 3);

  EXPECT_THAT(leaf.ReadAll(), IsSerializationError(HasSubstr("Page.length of page 0 is 3")));
}

/// A page of dictionary arrays: three indices.
void AddDictionaryPage(const std::vector<uint16_t>& def, std::initializer_list<int> indices,
                       const std::string& words, HandMadeLeaf* leaf) {
  pb::PageLayout layout = MiniBlock(3, true);
  auto* mini = layout.mutable_mini_block_layout();
  mini->mutable_value_compression()->mutable_flat()->set_bits_per_value(8);
  mini->mutable_dictionary()
      ->mutable_variable()
      ->mutable_offsets()
      ->mutable_flat()
      ->set_bits_per_value(32);
  mini->set_num_dictionary_items(words.size());
  std::vector<uint32_t> dictionary = {32, static_cast<uint32_t>(8 + 4 * (words.size() + 1)), 0};
  for (uint32_t i = 1; i <= words.size(); ++i) dictionary.push_back(i);
  const std::string chunk =
      Numbers<uint16_t>({3, 6, 3, 0}) + Padded(Numbers(def)) + Padded(Bytes(indices));
  leaf->Page(EncodingOf(layout),
             {Numbers<uint16_t>({Word(chunk, 0)}), chunk, Numbers(dictionary) + words}, 3);
}

TEST(ReadLeaf, UnifiesTheDictionariesOfPages) {
  HandMadeLeaf leaf(arrow::dictionary(arrow::int8(), arrow::utf8()));
  AddDictionaryPage({0, 0, 1}, {1, 0, 99}, "ab", &leaf);
  AddDictionaryPage({0, 0, 0}, {1, 0, 2}, "cbd", &leaf);

  const auto column = leaf.ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_EQ(column->dictionary->ToString(), "[\n  \"a\",\n  \"b\",\n  \"c\",\n  \"d\"\n]");
  EXPECT_THAT(FixedValues<uint8_t>(*column), ElementsAre(1, 0, 0, 1, 2, 3));
  EXPECT_THAT(column->def, ElementsAre(0, 0, 1, 0, 0, 0));
}

TEST(ReadLeaf, RefusesIndicesBehindTheDictionary) {
  HandMadeLeaf leaf(arrow::dictionary(arrow::int8(), arrow::utf8()));
  AddDictionaryPage({0, 0, 1}, {2, 0, 99}, "ab", &leaf);

  EXPECT_THAT(leaf.ReadAll(), IsSerializationError(HasSubstr("an index is 2")));
}

TEST(ReadLeaf, LooksUpAutomaticDictionaries) {
  HandMadeLeaf leaf(arrow::utf8());
  pb::PageLayout layout = MiniBlock(3, true);
  auto* mini = layout.mutable_mini_block_layout();
  mini->mutable_dictionary()
      ->mutable_variable()
      ->mutable_offsets()
      ->mutable_flat()
      ->set_bits_per_value(32);
  mini->set_num_dictionary_items(2);
  const std::string chunk = Chunk({}, {0, 1, 0}, {1, 77, 0});  // the null's index is arbitrary
  leaf.Page(
      EncodingOf(layout),
      {Numbers<uint16_t>({Word(chunk, 0)}), chunk, Numbers<uint32_t>({32, 20, 0, 2, 5}) + "hiyou"},
      3);

  const auto column = leaf.ReadAll();
  const auto last = leaf.Read({{2, 3}});

  ASSERT_THAT(column, IsOk());
  EXPECT_THAT(TextValues(*column), ElementsAre("you", "", "hi"));
  ASSERT_THAT(last, IsOk());
  EXPECT_THAT(TextValues(*last), ElementsAre("hi"));
}

// ---- corrupt pages ----

/// A page of lists in one chunk whose parts the test breaks.
struct ListPage {
  std::vector<uint16_t> rep = {1, 0, 1};
  std::vector<uint16_t> def = {0, 0, 3};
  std::vector<uint32_t> values = {1, 2};
  std::vector<uint64_t> index = {2, 0};
  uint64_t num_items = 2;
  uint64_t num_rows = 2;
};

struct CorruptPageCase {
  std::string name;
  std::function<void(ListPage*)> change;
  std::string expected;
};

class CorruptPageTest : public ::testing::TestWithParam<CorruptPageCase> {};

arrow::Result<LeafColumn> ReadLists(const ListPage& page) {
  const std::string chunk = Chunk(page.rep, page.def, page.values);
  HandMadeLeaf leaf(arrow::int32());
  leaf.Below({{.is_list = true}})
      .Page(EncodingOf(MiniBlock(page.num_items, true, true)),
            {Numbers<uint16_t>({Word(chunk, 0)}), chunk, Numbers(page.index)}, page.num_rows);
  return leaf.ReadAll();
}

TEST_P(CorruptPageTest, IsRefused) {
  const auto& c = GetParam();
  ListPage page;
  ASSERT_THAT(ReadLists(page), IsOk());
  c.change(&page);
  EXPECT_THAT(ReadLists(page),
              IsSerializationError(AllOf(HasSubstr("page 0"), HasSubstr(c.expected))));
}

INSTANTIATE_TEST_SUITE_P(
    All, CorruptPageTest,
    ::testing::ValuesIn<CorruptPageCase>({
        {"MoreValuesThanLevels", [](ListPage* p) { p->num_items = 3; },
         "chunk 0: its levels have 2 values, its word says 3"},
        {"FewerValuesThanLevels", [](ListPage* p) { p->num_items = 1; }, "its word says 1"},
        {"ValuesMissing", [](ListPage* p) { p->values = {1}; }, "chunk 0: "},
        {"LevelAboveTheLayers", [](ListPage* p) { p->def[2] = 4; }, "a level is 4"},
        {"RepetitionAboveTheLayers", [](ListPage* p) { p->rep[2] = 2; }, "a level is 2"},
        {"PageBeginsInsideARow", [](ListPage* p) { p->rep[0] = 0; }, "repetition levels begin 1"},
        {"FewerRowsThanTheIndex", [](ListPage* p) { p->rep[2] = 0; }, "repetition levels begin 1"},
        {"IndexOfMoreRows",
         [](ListPage* p) {
           p->index = {3, 0};
         },
         "RepetitionIndex"},
        {"PageOfMoreRows", [](ListPage* p) { p->num_rows = 3; }, "the page has 3"},
        {"IndexOfMoreChunks",
         [](ListPage* p) {
           p->index = {1, 0, 1, 0};
         },
         "16 bytes follow"},
        {"StreamsOfOtherLengths",
         [](ListPage* p) {
           p->def = {0, 0};
         },
         "chunk 0: "},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ReadLeaf, RefusesPagesThatDoNotAddUpToTheFile) {
  HandMadeLeaf leaf(arrow::int32());
  AddPlainPage(0, &leaf);
  leaf.metadata().num_rows = 8;

  EXPECT_THAT(leaf.Read({{0, 1}}),
              IsSerializationError(HasSubstr("pages have 7 rows, expected are 8")));
}

TEST(ReadLeaf, RefusesChunksOfMoreValuesThanAnyWriterMakes) {
  const std::string chunk = Chunk({}, {}, {});
  HandMadeLeaf leaf(arrow::int32());
  leaf.Page(EncodingOf(MiniBlock(70000)), {Numbers<uint16_t>({Word(chunk, 0)}), chunk}, 70000);

  EXPECT_THAT(leaf.ReadAll(), IsSerializationError(HasSubstr("chunk 0: has 70000 values")));
}

TEST(ReadLeaf, ReadsLevelsWhoseCountHasWrapped) {
  // 76 500 null items before and after one value: file-format 8.1.
  pb::PageLayout layout = MiniBlock(1, true, true);
  auto* mini = layout.mutable_mini_block_layout();
  mini->set_has_large_chunk(true);
  for (auto* levels : {mini->mutable_rep_compression(), mini->mutable_def_compression()}) {
    levels->mutable_rle()->mutable_values()->mutable_flat()->set_bits_per_value(16);
    levels->mutable_rle()->mutable_run_lengths()->mutable_flat()->set_bits_per_value(8);
  }
  constexpr int kRuns = 300;
  const auto block = [](uint16_t level, uint16_t last) {
    std::vector<uint16_t> levels(kRuns, level);
    levels.push_back(last);
    return Numbers<uint64_t>({levels.size() * 2}) + Numbers(levels) + std::string(kRuns, '\xFF') +
           '\x01';
  };
  const std::string rep = block(1, 1);
  const std::string def = block(3, 0);
  constexpr int kLevels = kRuns * 255 + 1;
  const std::string chunk = Padded(Numbers<uint16_t>({static_cast<uint16_t>(kLevels % 65536),
                                                      static_cast<uint16_t>(rep.size()),
                                                      static_cast<uint16_t>(def.size())}) +
                                   Numbers<uint32_t>({4})) +
                            Padded(rep) + Padded(def) + Padded(Numbers<uint32_t>({42}));
  HandMadeLeaf leaf(arrow::int32(), FileVersion::k2_2);
  leaf.Below({{.is_list = true}})
      .Page(EncodingOf(layout),
            {Numbers<uint32_t>({static_cast<uint32_t>(chunk.size() / 8 - 1) << 4}), chunk,
             Numbers<uint64_t>({kLevels, 0})},
            kLevels);

  const auto column = leaf.ReadAll();

  ASSERT_THAT(column, IsOk());
  EXPECT_EQ(column->num_entries, static_cast<uint64_t>(kLevels));
  EXPECT_EQ(column->def.front(), 3);
  EXPECT_EQ(column->def.back(), 0);
  EXPECT_THAT(FixedValues<uint32_t>(*column), ElementsAre(42));
}

}  // namespace
}  // namespace lance::format
