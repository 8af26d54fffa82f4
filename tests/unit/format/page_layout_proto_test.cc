#include "lance/format/page_layout_proto.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/testing/matchers.h"
#include "lance_encodings21.pb.h"
#include "lance_file.pb.h"

namespace lance::format {
namespace {

namespace pb = lance_pb::encodings21;

using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

/// A page of ten int32 values with nulls.
pb::PageLayout Valid() {
  pb::PageLayout layout;
  auto* mini = layout.mutable_mini_block_layout();
  mini->mutable_def_compression()->mutable_flat()->set_bits_per_value(16);
  mini->mutable_value_compression()->mutable_flat()->set_bits_per_value(32);
  mini->add_layers(pb::REPDEF_NULLABLE_ITEM);
  mini->set_num_buffers(1);
  mini->set_num_items(10);
  return layout;
}

PageMetadata PageOf(const pb::PageLayout& layout) {
  return {.buffers = {{0, 2}, {64, 64}},
          .num_rows = 10,
          .first_row = 0,
          .encoding = PackEncoding(layout.SerializeAsString(), "lance.encodings21.PageLayout")};
}

TEST(PageLayout, OfANullableColumnHasLevels) {
  const auto layout = ParsePageLayout(PageOf(Valid()), 32);

  ASSERT_THAT(layout, IsOk());
  EXPECT_FALSE(layout->is_all_null);
  EXPECT_EQ(layout->max_definition, 1);
  EXPECT_EQ(layout->bits_per_value, 32u);
  EXPECT_NE(layout->levels, nullptr);
  EXPECT_EQ(layout->dictionary, nullptr);
}

TEST(PageLayout, OfADictionaryPageHas32BitIndices) {
  pb::PageLayout message = Valid();
  auto* mini = message.mutable_mini_block_layout();
  mini->mutable_dictionary()
      ->mutable_variable()
      ->mutable_offsets()
      ->mutable_flat()
      ->set_bits_per_value(32);
  mini->set_num_dictionary_items(3);
  PageMetadata page = PageOf(message);
  page.buffers.push_back({128, 8});

  const auto layout = ParsePageLayout(page, 0);

  ASSERT_THAT(layout, IsOk());
  EXPECT_EQ(layout->bits_per_value, 32u);
  EXPECT_EQ(layout->num_dictionary_items, 3u);
}

TEST(PageLayout, OfAnAllNullPageHasNoParts) {
  PageMetadata page{
      .buffers = {}, .num_rows = 5, .first_row = 0, .encoding = SerializeAllNullLayout()};

  const auto layout = ParsePageLayout(page, 32);

  ASSERT_THAT(layout, IsOk());
  EXPECT_TRUE(layout->is_all_null);
  EXPECT_EQ(layout->values, nullptr);
}

struct LayoutCase {
  std::string name;
  std::function<void(pb::PageLayout*)> change;
  std::string expected;
};

class BrokenLayoutTest : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(BrokenLayoutTest, IsRefused) {
  pb::PageLayout layout = Valid();
  GetParam().change(&layout);
  EXPECT_THAT(ParsePageLayout(PageOf(layout), 32),
              IsSerializationError(HasSubstr(GetParam().expected)));
}

using Layout = pb::PageLayout;

INSTANTIATE_TEST_SUITE_P(
    All, BrokenLayoutTest,
    ::testing::ValuesIn<LayoutCase>({
        {"LargeChunks",
         [](Layout* l) { l->mutable_mini_block_layout()->set_has_large_chunk(true); },
         "has_large_chunk"},
        {"NoValueEncoding",
         [](Layout* l) { l->mutable_mini_block_layout()->clear_value_compression(); },
         "value_compression is missing"},
        {"UnsetValueEncoding",
         [](Layout* l) {
           l->mutable_mini_block_layout()->mutable_value_compression()->clear_flat();
         },
         "value_compression"},
        {"OtherWidth",
         [](Layout* l) {
           l->mutable_mini_block_layout()
               ->mutable_value_compression()
               ->mutable_flat()
               ->set_bits_per_value(64);
         },
         "value_compression"},
        {"LevelsOfOtherWidth",
         [](Layout* l) {
           l->mutable_mini_block_layout()
               ->mutable_def_compression()
               ->mutable_flat()
               ->set_bits_per_value(32);
         },
         "def_compression"},
        {"OtherItemCount", [](Layout* l) { l->mutable_mini_block_layout()->set_num_items(11); },
         "num_items is 11, the page has 10"},
        {"OtherBufferCount", [](Layout* l) { l->mutable_mini_block_layout()->set_num_buffers(2); },
         "num_buffers is 2"},
        {"DictionaryWithoutBuffer",
         [](Layout* l) {
           l->mutable_mini_block_layout()->mutable_dictionary()->mutable_flat()->set_bits_per_value(
               32);
         },
         "2 buffers, its layout has 3"},
        {"RepetitionWithoutList",
         [](Layout* l) {
           l->mutable_mini_block_layout()
               ->mutable_rep_compression()
               ->mutable_flat()
               ->set_bits_per_value(16);
         },
         "repetition levels"},
        {"NoLayer", [](Layout* l) { l->mutable_mini_block_layout()->clear_layers(); },
         "layers is empty"},
        {"UnknownLayer",
         [](Layout* l) {
           l->mutable_mini_block_layout()->set_layers(0, static_cast<pb::RepDefLayer>(7));
         },
         "layers has 7"},
        {"NoLayout", [](Layout* l) { l->Clear(); }, "layout is missing"},
        {"AllNullWithValue",
         [](Layout* l) {
           l->mutable_constant_layout()->add_layers(pb::REPDEF_NULLABLE_ITEM);
           l->mutable_constant_layout()->set_inline_value("abcd");
         },
         "format 2.1 does not have"},
    }),
    [](const auto& test) { return test.param.name; });

class LaterLayoutTest : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(LaterLayoutTest, IsNamedAsNotSupported) {
  pb::PageLayout layout = Valid();
  GetParam().change(&layout);
  const auto parsed = ParsePageLayout(PageOf(layout), 32);
  EXPECT_THAT(parsed, IsNotImplemented(HasSubstr(GetParam().expected)));
  EXPECT_NE(UnsupportedFeature::From(parsed.status()), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    All, LaterLayoutTest,
    ::testing::ValuesIn<LayoutCase>({
        {"FullZip", [](Layout* l) { l->mutable_full_zip_layout(); }, "full-zip"},
        {"Blob", [](Layout* l) { l->mutable_blob_layout(); }, "blob"},
        {"List",
         [](Layout* l) {
           l->mutable_mini_block_layout()->add_layers(pb::REPDEF_NULL_AND_EMPTY_LIST);
         },
         "list layer"},
        {"Struct",
         [](Layout* l) { l->mutable_mini_block_layout()->add_layers(pb::REPDEF_NULLABLE_ITEM); },
         "struct layer"},
        {"AllNullWithLevels",
         [](Layout* l) { l->mutable_constant_layout()->add_layers(pb::REPDEF_NULLABLE_ITEM); },
         "all-null page with levels"},
        {"General",
         [](Layout* l) {
           auto* general =
               l->mutable_mini_block_layout()->mutable_value_compression()->mutable_general();
           general->mutable_compression()->set_scheme(pb::BufferCompression::ZSTD);
           general->mutable_values()->mutable_flat()->set_bits_per_value(32);
         },
         "eneral"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(PageEncoding, OfAnotherFormatIsNamed) {
  PageMetadata page = PageOf(Valid());

  page.encoding = PackEncoding("", "lance.encodings.ArrayEncoding");
  EXPECT_THAT(ParsePageLayout(page, 32),
              IsNotImplemented(HasSubstr("lance.encodings.ArrayEncoding")));
  page.encoding = PackEncoding("", "lance.encodings23.PlanarLayout");
  EXPECT_THAT(ParsePageLayout(page, 32), IsNotImplemented(HasSubstr("PlanarLayout")));
}

TEST(PageEncoding, StoredElsewhereOrNowhereIsRefused) {
  PageMetadata page = PageOf(Valid());
  lance_pb::file::Encoding encoding;

  page.encoding = "";
  EXPECT_THAT(ParsePageLayout(page, 32), IsSerializationError(HasSubstr("location is missing")));
  encoding.mutable_indirect()->set_buffer_location(64);
  page.encoding = encoding.SerializeAsString();
  EXPECT_THAT(ParsePageLayout(page, 32), IsNotImplemented(HasSubstr("elsewhere")));
  encoding.mutable_none();
  page.encoding = encoding.SerializeAsString();
  EXPECT_THAT(ParsePageLayout(page, 32), IsNotImplemented(HasSubstr("without an encoding")));
  page.encoding = PackEncoding("\x0A\xFF", "lance.encodings21.PageLayout");
  EXPECT_THAT(ParsePageLayout(page, 32), IsSerializationError(HasSubstr("not a message")));
}

TEST(PageEncoding, NestedTooDeepIsRefused) {
  pb::PageLayout layout = Valid();
  auto* encoding = layout.mutable_mini_block_layout()->mutable_value_compression();
  for (int i = 0; i < 50; ++i) encoding = encoding->mutable_general()->mutable_values();
  encoding->mutable_flat()->set_bits_per_value(32);

  EXPECT_THAT(ParsePageLayout(PageOf(layout), 32), IsSerializationError(HasSubstr("too deep")));
}

TEST(ColumnEncoding, HasThePublishedBytes) {
  EXPECT_EQ(
      PlainColumnEncoding(),
      std::string("\x12\x27\x0A\x25\x0A\x1F/lance.encodings.ColumnEncoding\x12\x02\x0A\x00", 41));
  EXPECT_THAT(CheckColumnEncoding(PlainColumnEncoding()), IsOk());
}

TEST(ColumnEncoding, OtherThanValuesIsNamed) {
  const std::string type = "lance.encodings.ColumnEncoding";
  EXPECT_THAT(CheckColumnEncoding(PackEncoding(std::string("\x1A\x00", 2), type)),
              IsNotImplemented(HasSubstr("blob")));
  EXPECT_THAT(CheckColumnEncoding(PackEncoding(std::string("\x12\x00", 2), type)),
              IsNotImplemented(HasSubstr("zone_index")));
  EXPECT_THAT(CheckColumnEncoding(PackEncoding("", type)), IsSerializationError());
}

}  // namespace
}  // namespace lance::format
