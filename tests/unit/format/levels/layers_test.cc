#include "lance/format/levels/layers.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/status_detail.h"
#include "lance/testing/matchers.h"
#include "level_samples.h"

namespace lance::format {
namespace {

using lance::testing::HasDetail;
using lance::testing::IsInvalid;
using lance::testing::IsNotImplemented;
using lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr PathLayer kItem = {};
constexpr PathLayer kList = {.is_list = true};

TEST(PathsOf, GivesOnePathForEachLeafInnermostLayerFirst) {
  const auto type = arrow::struct_(
      {arrow::field("a", arrow::int32()), arrow::field("b", arrow::list(StructOfX())),
       arrow::field("m", arrow::map(arrow::utf8(), arrow::large_list(arrow::int8()))),
       Packed("p", StructOfX()), arrow::field("v", arrow::fixed_size_list(arrow::float32(), 4)),
       arrow::field("f", arrow::fixed_size_list(StructOfX(), 3)), Blob("o")});

  const auto paths = PathsOf(NodeOf(type)).ValueOrDie();

  EXPECT_THAT(paths, ElementsAre(LeafPath{{kItem, kItem}},                       // a
                                 LeafPath{{kItem, kItem, kList, kItem}},         // b.item.x
                                 LeafPath{{kItem, kItem, kList, kItem}},         // m.entries.key
                                 LeafPath{{kItem, kList, kItem, kList, kItem}},  // m...item
                                 LeafPath{{kItem, kItem}},                       // p
                                 LeafPath{{kItem, kItem}},                       // v
                                 LeafPath{{kItem, kItem, {.dimension = 3}, kItem}},  // f.item.x
                                 LeafPath{{kItem, kItem}}));                         // o
}

TEST(PathsOf, TakesAStructWithoutMembersForALeaf) {
  EXPECT_EQ(PathOf(arrow::struct_({})), (LeafPath{{kItem}}));
}

TEST(PathsOf, RefusesListsAndFixedSizeListsOfStructInEachOther) {
  const TypePtr list_of_fixed = arrow::list(arrow::fixed_size_list(StructOfX(), 2));
  const TypePtr fixed_of_list =
      arrow::fixed_size_list(arrow::struct_({arrow::field("l", arrow::list(arrow::int8()))}), 1);
  const TypePtr fixed_of_map = arrow::fixed_size_list(
      arrow::struct_({arrow::field("m", arrow::map(arrow::utf8(), arrow::int8()))}), 2);
  for (const TypePtr& type : {list_of_fixed, fixed_of_list, fixed_of_map}) {
    const auto paths = PathsOf(NodeOf(type));

    EXPECT_THAT(paths, IsNotImplemented(HasSubstr("a list and a fixed-size list of struct")));
    EXPECT_THAT(paths, HasDetail<UnsupportedFeature>());
  }
}

TEST(PathsOf, RefusesMoreEntriesInARowThanPagesCount) {
  const TypePtr inner = arrow::fixed_size_list(StructOfX(), 1 << 17);
  const TypePtr outer = arrow::fixed_size_list(arrow::struct_({arrow::field("f", inner)}), 1 << 15);

  EXPECT_THAT(PathsOf(NodeOf(outer)), IsInvalid(HasSubstr("\"f\" has dimension")));
}

TEST(LeafPath, NumbersLevelsFromTheInnermostLayer) {
  // struct<list<struct<x>>>: 1 x, 2 inner struct, 3 null list, 4 empty list, 5 outer struct.
  const LeafPath path = {{kItem, kItem, kList, kItem}};

  EXPECT_EQ(path.max_rep(), 1);
  EXPECT_EQ(path.max_def(), 5);
  EXPECT_EQ(path.max_visible_def(), 2);
  EXPECT_EQ(path.null_level(0), 1);
  EXPECT_EQ(path.null_level(1), 2);
  EXPECT_EQ(path.null_level(2), 3);
  EXPECT_EQ(path.null_level(3), 5);
  EXPECT_EQ(path.entries_per_row(), 1u);
}

TEST(LeafPath, ShowsEveryEntryWithoutLists) {
  const LeafPath path = {{kItem, kItem, {.dimension = 3}, kItem, {.dimension = 2}}};

  EXPECT_EQ(path.max_rep(), 0);
  EXPECT_EQ(path.max_def(), 5);
  EXPECT_EQ(path.max_visible_def(), 5);
  EXPECT_EQ(path.entries_per_row(), 6u);
}

struct PageCase {
  const char* name;
  LeafPath path;
  std::vector<int> kinds;
  uint16_t max_rep;
  uint16_t max_visible_def;
  Levels canonical;
};

class PageLayersTest : public ::testing::TestWithParam<PageCase> {};

TEST_P(PageLayersTest, AreNumberedAsThePageHasThem) {
  const PageCase& page = GetParam();

  const auto layers = ParsePageLayers(page.kinds, page.path).ValueOrDie();

  EXPECT_EQ(layers.max_rep, page.max_rep);
  EXPECT_EQ(layers.max_def, page.canonical.size() - 1);
  EXPECT_EQ(layers.max_visible_def, page.max_visible_def);
  EXPECT_EQ(layers.canonical, page.canonical);
}

TEST_P(PageLayersTest, AreChosenForTheLevelsThatOccur) {
  const PageCase& page = GetParam();
  std::vector<bool> has_level(page.path.max_def() + size_t{1});
  for (const uint16_t level : page.canonical) has_level[level] = true;

  const PageLayers layers = ChoosePageLayers(page.path, has_level);

  std::vector<int> kinds;
  for (const LayerKind kind : layers.kinds) kinds.push_back(static_cast<int>(kind));
  EXPECT_EQ(kinds, page.kinds);
  EXPECT_EQ(layers.canonical, page.canonical);
  EXPECT_EQ(layers.max_visible_def, page.max_visible_def);
}

INSTANTIATE_TEST_SUITE_P(
    Spec, PageLayersTest,
    ::testing::Values(
        PageCase{"Item", {{kItem}}, {3}, 0, 1, {0, 1}},
        PageCase{"AllValidItem", {{kItem}}, {1}, 0, 0, {0}},
        PageCase{"ItemInStruct", {{kItem, kItem}}, {3, 3}, 0, 2, {0, 1, 2}},
        PageCase{"StructOnly", {{kItem, kItem}}, {1, 3}, 0, 1, {0, 2}},
        PageCase{"ItemInList", {{kItem, kList}}, {3, 6}, 1, 1, {0, 1, 2, 3}},
        PageCase{"NullListOnly", {{kItem, kList}}, {1, 4}, 1, 0, {0, 2}},
        PageCase{"EmptyListOnly", {{kItem, kList}}, {1, 5}, 1, 0, {0, 3}},
        PageCase{"AllValidList", {{kItem, kList}}, {3, 2}, 1, 1, {0, 1}},
        PageCase{"ListInList", {{kItem, kList, kList}}, {3, 6, 6}, 2, 1, {0, 1, 2, 3, 4, 5}},
        PageCase{"NullListInNullList", {{kItem, kList, kList}}, {3, 4, 4}, 2, 1, {0, 1, 2, 4}},
        PageCase{"StructInList", {{kItem, kItem, kList}}, {3, 3, 6}, 1, 2, {0, 1, 2, 3, 4}},
        PageCase{"ListInStruct", {{kItem, kList, kItem}}, {3, 6, 3}, 1, 1, {0, 1, 2, 3, 4}},
        PageCase{"MapKey", {{kItem, kItem, kList}}, {1, 1, 6}, 1, 0, {0, 3, 4}}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(ParsePageLayers, RefusesLayersThatAreNotThePaths) {
  struct Case {
    std::vector<int> kinds;
    const char* message;
  };
  const LeafPath path = {{kItem, kList}};
  for (const Case& broken :
       std::vector<Case>{{{}, "has 0 layers, its column has 2"},
                         {{3}, "has 1 layers, its column has 2"},
                         {{3, 6, 3}, "has 3 layers, its column has 2"},
                         {{0, 6}, "layer 0 of the page is 0; allowed: 1 to 6"},
                         {{3, 7}, "layer 1 of the page is 7; allowed: 1 to 6"},
                         {{-1, 6}, "layer 0 of the page is -1; allowed: 1 to 6"},
                         {{6, 6}, "layer 0 of the page is 6; its column allows 1, 3"},
                         {{3, 3}, "layer 1 of the page is 3; its column allows 2, 4, 5, 6"},
                         {{1, 1}, "layer 1 of the page is 1; its column allows 2, 4, 5, 6"}}) {
    EXPECT_THAT(ParsePageLayers(broken.kinds, path),
                IsSerializationError(HasSubstr(broken.message)));
  }
}

}  // namespace
}  // namespace lance::format
