#include "lance/format/pages/dictionaries.h"

#include "arrow/json/from_string.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_leaf.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using arrow::json::ArrayFromJSONString;
using lance::testing::IsCapacityError;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<arrow::Array> Texts(const std::string& json) {
  return *ArrayFromJSONString(arrow::utf8(), json);
}

/// A leaf whose values are indices of 8 bits.
LeafColumn Indices(const std::vector<uint8_t>& indices, std::vector<uint16_t> def = {}) {
  LeafColumn column;
  column.values = ValueBuffer(ValueShape{.bits_per_value = 8}, nullptr);
  for (const uint8_t index : indices) *GrowFixed(1, &column.values) = std::byte{index};
  column.num_entries = def.empty() ? indices.size() : def.size();
  column.def = std::move(def);
  return column;
}

const arrow::DictionaryType& TypeOf(const std::shared_ptr<arrow::DataType>& type) {
  return static_cast<const arrow::DictionaryType&>(*type);
}

const LeafPath kFlat{.layers = {PathLayer{}}};
const LeafPath kList{.layers = {PathLayer{}, PathLayer{.is_list = true}}};

TEST(DictionaryIndices, OfNullsBecome0) {
  LeafColumn column = Indices({1, 200, 0}, {0, 1, 0});

  ASSERT_THAT(FinishPageIndices(0, 0, kFlat, 2, &column), IsOk());
  EXPECT_THAT(FixedValues<uint8_t>(column), ElementsAre(1, 0, 0));
}

TEST(DictionaryIndices, ArePassedOverWhereListsAreEmpty) {
  LeafColumn column = Indices({1, 9}, {0, 3, 2, 1});

  ASSERT_THAT(FinishPageIndices(0, 0, kList, 2, &column), IsOk());
  EXPECT_THAT(FixedValues<uint8_t>(column), ElementsAre(1, 0));
}

TEST(DictionaryIndices, OfValuesMustBeInside) {
  LeafColumn column = Indices({1, 2, 0}, {0, 0, 1});

  EXPECT_THAT(FinishPageIndices(0, 0, kFlat, 2, &column),
              IsSerializationError(HasSubstr("an index is 2, the dictionary has 2 values")));
}

TEST(DictionaryIndices, OfEarlierPagesAreLeftAlone) {
  LeafColumn column = Indices({77, 0}, {0, 0});

  EXPECT_THAT(FinishPageIndices(1, 1, kFlat, 1, &column), IsOk());
  EXPECT_THAT(FixedValues<uint8_t>(column), ElementsAre(77, 0));
}

TEST(Dictionaries, OfOnePageAreKept) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  LeafColumn column = Indices({1, 0});
  const auto texts = Texts(R"(["a", "b", "never used"])");

  ASSERT_THAT(
      UnifyDictionaries(TypeOf(type), {{0, 2, texts}}, arrow::default_memory_pool(), &column),
      IsOk());
  EXPECT_EQ(column.dictionary, texts);
}

TEST(Dictionaries, OfPagesBecomeOne) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  LeafColumn column = Indices({0, 1, 0, 0, 1});

  ASSERT_THAT(UnifyDictionaries(
                  TypeOf(type),
                  {{0, 2, Texts(R"(["a", "b"])")}, {2, 3, nullptr}, {3, 5, Texts(R"(["b", "c"])")}},
                  arrow::default_memory_pool(), &column),
              IsOk());
  EXPECT_EQ(column.dictionary->ToString(), Texts(R"(["a", "b", "c"])")->ToString());
  EXPECT_THAT(FixedValues<uint8_t>(column), ElementsAre(0, 1, 0, 1, 2));
}

TEST(Dictionaries, OfNumbersAreUnifiedByTheirBits) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::float16());
  const auto half = [](const std::string& json) {
    return *(*ArrayFromJSONString(arrow::uint16(), json))->View(arrow::float16());
  };
  LeafColumn column = Indices({0, 1, 0, 1});

  // 1.5 and two NaNs; -2 and 1.5.
  ASSERT_THAT(
      UnifyDictionaries(TypeOf(type),
                        {{0, 2, half("[15872, 32256, 32257]")}, {2, 4, half("[49152, 15872]")}},
                        arrow::default_memory_pool(), &column),
      IsOk());
  EXPECT_TRUE((*column.dictionary->View(arrow::uint16()))
                  ->Equals(*ArrayFromJSONString(arrow::uint16(), "[15872, 32256, 32257, 49152]")));
  EXPECT_THAT(FixedValues<uint8_t>(column), ElementsAre(0, 1, 3, 0));
}

TEST(Dictionaries, WithZerosOfBothSignsAreNotTheSame) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::float64());
  LeafColumn column = Indices({0, 0});

  ASSERT_THAT(UnifyDictionaries(TypeOf(type),
                                {{0, 1, *ArrayFromJSONString(arrow::float64(), "[0.0]")},
                                 {1, 2, *ArrayFromJSONString(arrow::float64(), "[-0.0]")}},
                                arrow::default_memory_pool(), &column),
              IsOk());
  EXPECT_EQ(column.dictionary->length(), 2);
  EXPECT_THAT(FixedValues<uint8_t>(column), ElementsAre(0, 1));
}

TEST(Dictionaries, OfPagesWithNullsOnlyAreEmpty) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  LeafColumn column = Indices({0, 0}, {1, 1});

  ASSERT_THAT(
      UnifyDictionaries(TypeOf(type), {{0, 2, nullptr}}, arrow::default_memory_pool(), &column),
      IsOk());
  EXPECT_EQ(column.dictionary->length(), 0);
}

/// Two pages of 100 texts each that are not the same.
std::vector<PageDictionary> TwoLargePages() {
  arrow::StringBuilder first;
  arrow::StringBuilder second;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(first.Append("a" + std::to_string(i)).ok());
    EXPECT_TRUE(second.Append("b" + std::to_string(i)).ok());
  }
  return {{0, 1, *first.Finish()}, {1, 2, *second.Finish()}};
}

TEST(Dictionaries, ThatTheIndexTypeCannotNumberAreRefused) {
  std::vector<uint8_t> indices;
  for (int page = 0; page < 2; ++page) {
    for (uint8_t i = 0; i < 100; ++i) indices.push_back(i);
  }
  LeafColumn column = Indices(indices);
  std::vector<PageDictionary> pages = TwoLargePages();
  pages[0].end_value = pages[1].first_value = 100;
  pages[1].end_value = 200;

  EXPECT_THAT(
      UnifyDictionaries(TypeOf(arrow::dictionary(arrow::int8(), arrow::utf8())), pages,
                        arrow::default_memory_pool(), &column),
      IsCapacityError(HasSubstr("200 values together, indices of type int8 can number 128")));
}

TEST(Dictionaries, LoseTheValuesThatNoIndexNamesWhereAllAreTooMany) {
  LeafColumn column = Indices({99, 42});

  ASSERT_THAT(UnifyDictionaries(TypeOf(arrow::dictionary(arrow::int8(), arrow::utf8())),
                                TwoLargePages(), arrow::default_memory_pool(), &column),
              IsOk());
  EXPECT_THAT(FixedValues<uint8_t>(column), ElementsAre(0, 1));
  const auto& values = static_cast<const arrow::StringArray&>(*column.dictionary);
  ASSERT_EQ(values.length(), 2);
  EXPECT_EQ(values.GetView(0), "a99");
  EXPECT_EQ(values.GetView(1), "b42");
}

TEST(Dictionaries, MayBeAsLargeAsTheIndexTypeCanNumber) {
  LeafColumn column = Indices({99, 99});

  ASSERT_THAT(UnifyDictionaries(TypeOf(arrow::dictionary(arrow::uint8(), arrow::utf8())),
                                TwoLargePages(), arrow::default_memory_pool(), &column),
              IsOk());
  EXPECT_THAT(FixedValues<uint8_t>(column), ElementsAre(99, 199));
}

TEST(Dictionaries, WhoseTextIsNotUtf8AreRefused) {
  ValueBuffer values(ValueShape{.offset_bits = 32}, nullptr);
  values.offsets.Append(AsBytes(Numbers<uint32_t>({0, 1})));
  values.bytes.Append(AsBytes("\xFF"));
  values.num_values = 1;

  EXPECT_THAT(MakeDictionaryArray(arrow::utf8(), std::move(values)),
              IsSerializationError(HasSubstr("UTF8")));
}

TEST(IndexLimit, LooksAtEveryIndexUnsigned) {
  const std::string indices = Numbers<uint16_t>({3, 65535, 0});

  EXPECT_TRUE(AllIndicesBelow(AsBytes(indices).data(), 16, 3, 65536));
  EXPECT_FALSE(AllIndicesBelow(AsBytes(indices).data(), 16, 3, 65535));
  EXPECT_TRUE(AllIndicesBelow(AsBytes(indices).data(), 16, 1, 4));
  EXPECT_FALSE(AllIndicesBelow(AsBytes(indices).data(), 16, 1, 3));
  EXPECT_TRUE(AllIndicesBelow(nullptr, 16, 0, 0));
}

}  // namespace
}  // namespace lance::format
