#include "lance/format/pages/page_layout_proto.h"

#include <functional>

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
using ::testing::HasSubstr;

/// Ten nullable int32 values.
pb::PageLayout MiniBlock() {
  pb::PageLayout layout;
  auto* mini = layout.mutable_mini_block_layout();
  mini->mutable_def_compression()->mutable_flat()->set_bits_per_value(16);
  mini->mutable_value_compression()->mutable_flat()->set_bits_per_value(32);
  mini->add_layers(pb::REPDEF_NULLABLE_ITEM);
  mini->set_num_buffers(1);
  mini->set_num_items(10);
  return layout;
}

/// Ten values of 32 bits one by one.
pb::PageLayout FullZip() {
  pb::PageLayout layout;
  auto* zip = layout.mutable_full_zip_layout();
  zip->set_bits_def(1);
  zip->set_bits_per_value(32);
  zip->set_num_items(10);
  zip->set_num_visible_items(10);
  zip->mutable_value_compression()->mutable_flat()->set_bits_per_value(32);
  zip->add_layers(pb::REPDEF_NULLABLE_ITEM);
  return layout;
}

pb::PageLayout AllNull() {
  pb::PageLayout layout;
  layout.mutable_constant_layout()->add_layers(pb::REPDEF_NULLABLE_ITEM);
  return layout;
}

/// Ten descriptors of blobs.
pb::PageLayout Blob() {
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
  mini->set_num_items(10);
  return layout;
}

/// What a test changes about ten int32 values.
struct Page {
  pb::PageLayout layout;
  size_t num_buffers = 2;
  FileVersion version = FileVersion::k2_1;
  ValueShape shape{.bits_per_value = 32};
  LeafPath path{.layers = {PathLayer{}}};
  uint32_t index_bits = 0;
  bool is_blob = false;
  bool is_empty_struct = false;

  arrow::Result<PageLayout> Parse() const {
    PageMetadata page{.num_rows = 10, .encoding = EncodingOf(layout)};
    page.buffers.resize(num_buffers, {0, 64});
    return ParsePageLayout(page, {.version = version,
                                  .path = path,
                                  .shape = shape,
                                  .index_bits = index_bits,
                                  .is_blob = is_blob,
                                  .is_empty_struct = is_empty_struct});
  }
};

pb::MiniBlockLayout* Mini(Page* page) { return page->layout.mutable_mini_block_layout(); }
pb::FullZipLayout* Zip(Page* page) { return page->layout.mutable_full_zip_layout(); }
pb::ConstantLayout* Constant(Page* page) { return page->layout.mutable_constant_layout(); }
pb::BlobLayout* BlobOf(Page* page) { return page->layout.mutable_blob_layout(); }

TEST(PageLayout, OfANullableColumnHasLevels) {
  const auto layout = Page{.layout = MiniBlock()}.Parse();

  ASSERT_THAT(layout, IsOk());
  const auto& mini = std::get<MiniBlockLayout>(layout->body);
  EXPECT_EQ(mini.layers.max_def, 1);
  EXPECT_NE(mini.def.decoder, nullptr);
  EXPECT_EQ(mini.rep.decoder, nullptr);
  EXPECT_EQ(mini.dictionary, nullptr);
  EXPECT_EQ(mini.num_values, 10u);
  EXPECT_FALSE(mini.has_large_chunks);
}

void SetDictionary(Page* page) {
  Mini(page)
      ->mutable_dictionary()
      ->mutable_variable()
      ->mutable_offsets()
      ->mutable_flat()
      ->set_bits_per_value(32);
  Mini(page)->set_num_dictionary_items(3);
  page->num_buffers = 3;
  page->shape = ValueShape{.offset_bits = 32};
}

TEST(PageLayout, OfADictionaryPageHas32BitIndices) {
  Page page{.layout = MiniBlock()};
  SetDictionary(&page);

  const auto layout = page.Parse();

  ASSERT_THAT(layout, IsOk());
  const auto& mini = std::get<MiniBlockLayout>(layout->body);
  EXPECT_EQ(mini.value_shape.bits_per_value, 32u);
  EXPECT_EQ(mini.num_dictionary_items, 3u);
}

TEST(PageLayout, OfDictionaryArraysHasIndicesOfTheirWidth) {
  Page page{.layout = MiniBlock()};
  SetDictionary(&page);
  page.index_bits = 8;
  Mini(&page)->mutable_value_compression()->mutable_flat()->set_bits_per_value(8);

  const auto layout = page.Parse();

  ASSERT_THAT(layout, IsOk());
  EXPECT_EQ(std::get<MiniBlockLayout>(layout->body).value_shape.bits_per_value, 8u);
}

TEST(PageLayout, OfFullZipHasTheControlWordsOfItsLevels) {
  Page page{.layout = FullZip(), .num_buffers = 1};

  const auto layout = page.Parse();

  ASSERT_THAT(layout, IsOk());
  const auto& zip = std::get<FullZipLayout>(layout->body);
  EXPECT_EQ(zip.control_bytes, 1u);
  EXPECT_EQ(zip.entry_bytes(), 5u);
  EXPECT_FALSE(zip.has_index());
}

TEST(PageLayout, OfNullsNeedsNothing) {
  const auto layout = Page{.layout = AllNull(), .num_buffers = 0}.Parse();

  ASSERT_THAT(layout, IsOk());
  const auto& constant = std::get<ConstantLayout>(layout->body);
  EXPECT_FALSE(constant.has_value);
  EXPECT_FALSE(constant.has_levels);
}

TEST(PageLayout, OfAnEmptyStructInsideStructsHasOneLayer) {
  Page page{.layout = AllNull(), .num_buffers = 0, .is_empty_struct = true};
  page.path.layers.resize(3);

  EXPECT_THAT(page.Parse(), IsOk());
  page.is_empty_struct = false;
  EXPECT_THAT(page.Parse(), IsSerializationError(HasSubstr("1 layers, its column has 3")));
}

TEST(PageLayout, OfBlobsHasLayersOfItsOwn) {
  Page page{.layout = Blob(), .is_blob = true};
  page.shape = {.members = {{.bits_per_value = 64}, {.bits_per_value = 64}}};

  const auto layout = page.Parse();

  ASSERT_THAT(layout, IsOk());
  ASSERT_TRUE(layout->blob_layers.has_value());
  EXPECT_EQ(layout->blob_layers->max_def, 1);
}

TEST(PageLayout, NestedTooDeepIsRefused) {
  Page page{.layout = MiniBlock()};
  pb::CompressiveEncoding* encoding = Mini(&page)->mutable_value_compression();
  for (int i = 0; i < 40; ++i) encoding = encoding->mutable_general()->mutable_values();
  encoding->mutable_flat()->set_bits_per_value(32);

  EXPECT_THAT(page.Parse(), IsSerializationError(HasSubstr("nested too deep")));
}

struct BrokenCase {
  std::string name;
  pb::PageLayout (*layout)();
  std::function<void(Page*)> change;
  std::string expected;
};

class BrokenPageLayoutTest : public ::testing::TestWithParam<BrokenCase> {};

TEST_P(BrokenPageLayoutTest, IsRefused) {
  const auto& c = GetParam();
  Page page{.layout = c.layout()};
  if (page.layout.has_full_zip_layout()) page.num_buffers = 1;
  if (page.layout.has_constant_layout()) page.num_buffers = 0;
  if (page.layout.has_blob_layout()) {
    page.shape = {.members = {{.bits_per_value = 64}, {.bits_per_value = 64}}};
    page.is_blob = true;
  }
  ASSERT_THAT(page.Parse(), IsOk());  // what is wrong is what the case changes
  c.change(&page);
  EXPECT_THAT(page.Parse(), IsSerializationError(HasSubstr(c.expected)));
}

void SetFlat(pb::CompressiveEncoding* encoding, uint64_t bits) {
  encoding->mutable_flat()->set_bits_per_value(bits);
}

INSTANTIATE_TEST_SUITE_P(
    MiniBlock, BrokenPageLayoutTest,
    ::testing::ValuesIn<BrokenCase>({
        {"LargeChunksIn21", MiniBlock, [](Page* p) { Mini(p)->set_has_large_chunk(true); },
         "which pages of format 2.1 cannot be"},
        {"SmallChunksIn22", MiniBlock, [](Page* p) { p->version = FileVersion::k2_2; },
         "which pages of format 2.2 cannot be"},
        {"NoValues", MiniBlock, [](Page* p) { Mini(p)->clear_value_compression(); },
         "value_compression is missing"},
        {"EmptyValues", MiniBlock,
         [](Page* p) { Mini(p)->mutable_value_compression()->clear_compression(); },
         "value_compression"},
        {"OtherWidth", MiniBlock,
         [](Page* p) { SetFlat(Mini(p)->mutable_value_compression(), 64); }, "64 bits"},
        {"RepetitionWithoutLists", MiniBlock,
         [](Page* p) {
           SetFlat(Mini(p)->mutable_rep_compression(), 16);
           Mini(p)->set_repetition_index_depth(1);
           p->num_buffers = 3;
         },
         "rep_compression is set"},
        {"IndexWithoutRepetition", MiniBlock,
         [](Page* p) { Mini(p)->set_repetition_index_depth(1); }, "repetition_index_depth is 1"},
        {"ListsWithoutRepetition", MiniBlock,
         [](Page* p) {
           p->path.layers.push_back({.is_list = true});
           Mini(p)->add_layers(pb::REPDEF_NULL_AND_EMPTY_LIST);
         },
         "rep_compression is missing"},
        {"OtherLayers", MiniBlock,
         [](Page* p) { Mini(p)->set_layers(0, pb::REPDEF_ALL_VALID_LIST); }, "layer 0"},
        {"OtherRows", MiniBlock, [](Page* p) { Mini(p)->set_num_items(9); }, "num_items is 9"},
        {"OtherBuffers", MiniBlock, [](Page* p) { Mini(p)->set_num_buffers(2); },
         "num_buffers is 2"},
        {"PageWithoutBuffers", MiniBlock, [](Page* p) { p->num_buffers = 1; },
         "Page has 1 buffers"},
        {"DictionaryWithoutBuffer", MiniBlock,
         [](Page* p) {
           SetDictionary(p);
           p->num_buffers = 2;
         },
         "Page has 2 buffers"},
        {"HugeDictionary", MiniBlock,
         [](Page* p) {
           SetDictionary(p);
           Mini(p)->set_num_dictionary_items((uint64_t{1} << 31) + 1);
         },
         "num_dictionary_items"},
        {"DictionaryArraysWithoutDictionary", MiniBlock, [](Page* p) { p->index_bits = 32; },
         "dictionary is missing"},
        {"BlobsOutsideTheirLayout", MiniBlock, [](Page* p) { p->is_blob = true; },
         "not a blob layout"},
        {"NoLayout", MiniBlock, [](Page* p) { p->layout.clear_layout(); },
         "PageLayout.layout is missing"},
    }),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    FullZip, BrokenPageLayoutTest,
    ::testing::ValuesIn<BrokenCase>({
        {"WideLevels", FullZip, [](Page* p) { Zip(p)->set_bits_def(17); }, "0 and 17 bits"},
        {"NoValues", FullZip, [](Page* p) { Zip(p)->clear_value_compression(); },
         "value_compression is missing"},
        {"NoWidth", FullZip, [](Page* p) { Zip(p)->clear_details(); }, "details is missing"},
        {"OtherWidth", FullZip, [](Page* p) { Zip(p)->set_bits_per_value(40); },
         "bits_per_value is 40"},
        {"LengthsOfFixedWidth", FullZip,
         [](Page* p) {
           Zip(p)->set_bits_per_offset(32);
           p->num_buffers = 2;
         },
         "bits_per_offset is set"},
        {"OddLengths", FullZip, [](Page* p) { Zip(p)->set_bits_per_offset(16); },
         "bits_per_offset is 16"},
        {"OtherRows", FullZip, [](Page* p) { Zip(p)->set_num_items(11); }, "num_items is 11"},
        {"HiddenRows", FullZip, [](Page* p) { Zip(p)->set_num_visible_items(9); },
         "num_visible_items is 9"},
        {"IndexOfFixedWidth", FullZip, [](Page* p) { p->num_buffers = 2; }, "Page has 2 buffers"},
        {"ListsWithoutRepetition", FullZip,
         [](Page* p) {
           p->path.layers.push_back({.is_list = true});
           Zip(p)->add_layers(pb::REPDEF_ALL_VALID_LIST);
         },
         "bits_rep is 0"},
    }),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Constant, BrokenPageLayoutTest,
    ::testing::ValuesIn<BrokenCase>({
        {"ValueIn21", AllNull, [](Page* p) { Constant(p)->set_inline_value("abcd"); },
         "which format 2.1 does not"},
        {"ValueBufferIn21", AllNull, [](Page* p) { p->num_buffers = 1; },
         "which format 2.1 does not"},
        {"CompressedLevelsIn21", AllNull,
         [](Page* p) {
           SetFlat(Constant(p)->mutable_def_compression(), 16);
           p->num_buffers = 2;
         },
         "which format 2.1 does not"},
        {"FourBuffers", AllNull, [](Page* p) { p->num_buffers = 4; }, "has up to 3"},
        {"ValueTwice", AllNull,
         [](Page* p) {
           p->version = FileVersion::k2_2;
           Constant(p)->set_inline_value("abcd");
           p->num_buffers = 3;
         },
         "allowed are 0 and 2"},
        {"ValueOfAFixedSizeList", AllNull,
         [](Page* p) {
           p->version = FileVersion::k2_2;
           p->shape.dimensions = {2};
           Constant(p)->set_inline_value("abcdefgh");
         },
         "type cannot have"},
        {"ListsWithoutLevels", AllNull,
         [](Page* p) {
           p->path.layers.push_back({.is_list = true});
           Constant(p)->add_layers(pb::REPDEF_NULL_AND_EMPTY_LIST);
         },
         "has no levels"},
    }),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Blob, BrokenPageLayoutTest,
    ::testing::ValuesIn<BrokenCase>({
        {"OfNoBlobs", Blob, [](Page* p) { p->is_blob = false; }, "the column has no blobs"},
        {"NoInner", Blob, [](Page* p) { BlobOf(p)->clear_inner_layout(); },
         "inner_layout is missing"},
        {"OtherInner", Blob,
         [](Page* p) {
           BlobOf(p)->mutable_inner_layout()->mutable_constant_layout()->add_layers(
               pb::REPDEF_NULLABLE_ITEM);
         },
         "is not a mini-block layout"},
        {"BlobInBlob", Blob,
         [](Page* p) {
           const pb::BlobLayout copy = *BlobOf(p);
           *BlobOf(p)->mutable_inner_layout()->mutable_blob_layout() = copy;
         },
         "is not a mini-block layout"},
        {"NullableInner", Blob,
         [](Page* p) {
           BlobOf(p)->mutable_inner_layout()->mutable_mini_block_layout()->set_layers(
               0, pb::REPDEF_NULLABLE_ITEM);
         },
         "allowed is 1 alone"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(PageLayout, OfAnotherMessageIsUnsupported) {
  const PageMetadata page{.num_rows = 10,
                          .encoding = PackEncoding("", "lance.encodings23.PlanarLayout")};
  const LeafPath path{.layers = {PathLayer{}}};

  EXPECT_THAT(ParsePageLayout(page, {.path = path, .shape = {.bits_per_value = 32}}),
              IsNotImplemented(HasSubstr("PlanarLayout")));
}

}  // namespace
}  // namespace lance::format
