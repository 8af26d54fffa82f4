#include "lance/format/levels/shred.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"
#include "level_samples.h"

namespace lance::format {
namespace {

using lance::testing::IsInvalid;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

arrow::Result<std::vector<ShreddedLeaf>> Shred(const FieldNode& node, const ArrayPtr& array) {
  return ShredField(node, array, arrow::default_memory_pool());
}

std::vector<ShreddedLeaf> ShredJson(const FieldPtr& field, const std::string& json) {
  return Shred(NodeOf(field), FromJson(field->type(), json)).ValueOrDie();
}

std::vector<ShreddedLeaf> ShredJson(const TypePtr& type, const std::string& json) {
  return ShredJson(arrow::field("c", type), json);
}

/// Levels and kinds as a page holds them.
struct PageLevels {
  std::vector<int> kinds;
  Levels rep;
  Levels def;
};

PageLevels ToPageLevels(const LeafPath& path, const ShreddedLeaf& leaf) {
  std::vector<bool> has_level(path.max_def() + size_t{1});
  for (const uint16_t level : leaf.def) has_level[level] = true;
  const PageLayers layers = ChoosePageLayers(path, has_level);
  PageLevels page = {.rep = leaf.rep};
  for (const LayerKind kind : layers.kinds) page.kinds.push_back(static_cast<int>(kind));
  for (const uint16_t level : leaf.def) {
    const auto at = std::ranges::find(layers.canonical, level);
    page.def.push_back(static_cast<uint16_t>(at - layers.canonical.begin()));
  }
  return page;
}

struct SpecVector {
  const char* name;
  TypePtr type;
  const char* json;
  Levels rep;
  Levels def;
  std::vector<int> kinds;
};

class SpecVectors : public ::testing::TestWithParam<SpecVector> {};

TEST_P(SpecVectors, AreWhatPagesHold) {
  const SpecVector& vector = GetParam();

  const auto leaves = ShredJson(vector.type, vector.json);

  ASSERT_THAT(leaves, SizeIs(1));
  const PageLevels page = ToPageLevels(PathOf(vector.type), leaves[0]);
  EXPECT_EQ(page.rep, vector.rep);
  EXPECT_EQ(page.def, vector.def);
  EXPECT_EQ(page.kinds, vector.kinds);
}

// file-format 6.5.
INSTANTIATE_TEST_SUITE_P(
    Spec, SpecVectors,
    ::testing::Values(
        SpecVector{"ListsInNullLists",
                   arrow::list(arrow::list(arrow::int8())),
                   "[[[7], [7, 7]], null, [[null, null], null, [null, 7, 7, null]]]",
                   {2, 1, 0, 2, 2, 0, 1, 1, 0, 0, 0},
                   {0, 0, 0, 3, 1, 1, 2, 1, 0, 0, 1},
                   {3, 4, 4}},
        SpecVector{"NullAndEmptyLists",
                   arrow::list(arrow::utf8()),
                   R"([["a", "b", "c", "d"], null, [], ["e", "f"]])",
                   {1, 0, 0, 0, 1, 1, 1, 0},
                   {0, 0, 0, 0, 1, 2, 0, 0},
                   {1, 6}},
        SpecVector{"NullAndEmptyListsInBoth",
                   arrow::list(arrow::list(arrow::int8())),
                   "[[[1], null, [2], null], null, [], [[], [3]]]",
                   {2, 1, 1, 1, 2, 2, 2, 1},
                   {0, 1, 0, 1, 3, 4, 2, 0},
                   {1, 6, 6}},
        SpecVector{"NullItems",
                   arrow::list(arrow::int32()),
                   "[[1, 2], null, [], [3, null]]",
                   {1, 0, 1, 1, 1, 0},
                   {0, 0, 2, 3, 0, 1},
                   {3, 6}},
        SpecVector{"FixedSizeListOfStruct",
                   arrow::fixed_size_list(StructOfX(), 2),
                   R"([[{"x": 1}, {"x": 2}], null, [null, {"x": null}], [{"x": 5}, {"x": 6}]])",
                   {},
                   {0, 0, 3, 3, 2, 1, 0, 0},
                   {3, 3, 3}}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

struct LeafCase {
  Levels rep;
  Levels def;
  /// Of the visible slots; null ones are not looked at.
  const char* values;
};

struct ShapeCase {
  const char* name;
  FieldPtr field;
  const char* json;
  std::vector<LeafCase> leaves;
};

class ShredShapes : public ::testing::TestWithParam<ShapeCase> {};

/// Whether slots hold the expected values where their level is 0.
void ExpectValues(const ShreddedLeaf& leaf, const LeafPath& path, const ArrayPtr& expected) {
  ASSERT_THAT(leaf.values, SizeIs(1));
  ASSERT_EQ(leaf.values[0]->length(), expected->length());
  int64_t slot = 0;
  for (uint64_t i = 0; i < leaf.num_entries; ++i) {
    const uint16_t def = leaf.def.empty() ? 0 : leaf.def[i];
    if (def == 0) {
      EXPECT_TRUE(leaf.values[0]->RangeEquals(expected, slot, slot + 1, slot))
          << "slot " << slot << " of " << leaf.values[0]->ToString();
    }
    slot += def <= path.max_visible_def() ? 1 : 0;
  }
  EXPECT_EQ(slot, expected->length());
}

TEST_P(ShredShapes, GiveLevelsAndVisibleValues) {
  const ShapeCase& shape = GetParam();
  const FieldNode node = NodeOf(shape.field);
  const auto nodes = LeavesOf(node);
  const auto paths = PathsOf(node).ValueOrDie();

  const auto leaves = ShredJson(shape.field, shape.json);

  ASSERT_THAT(leaves, SizeIs(shape.leaves.size()));
  for (size_t i = 0; i < leaves.size(); ++i) {
    SCOPED_TRACE("leaf " + nodes[i]->name);
    EXPECT_EQ(leaves[i].rep, shape.leaves[i].rep);
    EXPECT_EQ(leaves[i].def, shape.leaves[i].def);
    ExpectValues(leaves[i], paths[i], FromJson(nodes[i]->type, shape.leaves[i].values));
  }
}

TypePtr StructOf(const FieldPtr& a, const FieldPtr& b) { return arrow::struct_({a, b}); }

INSTANTIATE_TEST_SUITE_P(
    Types, ShredShapes,
    ::testing::Values(
        ShapeCase{"NoRows", arrow::field("c", arrow::int32()), "[]", {{{}, {}, "[]"}}},
        ShapeCase{"NoNulls", arrow::field("c", arrow::int32()), "[1, 2]", {{{}, {}, "[1, 2]"}}},
        ShapeCase{"Nulls",
                  arrow::field("c", arrow::utf8()),
                  R"(["a", null, "c"])",
                  {{{}, {0, 1, 0}, R"(["a", "", "c"])"}}},
        ShapeCase{"Struct",
                  arrow::field("c", StructOf(arrow::field("a", arrow::int8()),
                                             NotNull("b", arrow::boolean()))),
                  R"([{"a": 1, "b": true}, null, {"a": null, "b": false}])",
                  {{{}, {0, 2, 1}, "[1, 0, 0]"}, {{}, {0, 2, 0}, "[true, false, false]"}}},
        ShapeCase{"ListsOfNothing",
                  arrow::field("c", arrow::list(arrow::int8())),
                  "[[], [], null]",
                  {{{1, 1, 1}, {3, 3, 2}, "[]"}}},
        ShapeCase{"ListsWithoutNulls",
                  arrow::field("c", arrow::large_list(arrow::int8())),
                  "[[1], [2, 3]]",
                  {{{1, 1, 0}, {}, "[1, 2, 3]"}}},
        ShapeCase{"ListBesideLeafInNullStruct",
                  arrow::field("c", StructOf(arrow::field("a", arrow::list(arrow::int8())),
                                             arrow::field("b", arrow::int8()))),
                  R"([{"a": [1, null], "b": 3}, null, {"a": null, "b": null}])",
                  {{{1, 0, 1, 1}, {0, 1, 4, 2}, "[1, 0]"}, {{}, {0, 2, 1}, "[3, 0, 0]"}}},
        ShapeCase{"StructInList",
                  arrow::field("c", arrow::list(StructOfX())),
                  R"([[{"x": 1}, null, {"x": null}], null])",
                  {{{1, 0, 0, 1}, {0, 2, 1, 3}, "[1, 0, 0]"}}},
        ShapeCase{"Map",
                  arrow::field("c", arrow::map(arrow::utf8(), arrow::int32())),
                  R"([[["a", 1], ["b", 2]], null, [], [["c", null]]])",
                  {{{1, 0, 1, 1, 1}, {0, 0, 3, 4, 0}, R"(["a", "b", "c"])"},
                   {{1, 0, 1, 1, 1}, {0, 0, 3, 4, 1}, "[1, 2, 0]"}}},
        ShapeCase{"FixedSizeListInNullStruct",
                  arrow::field("c", arrow::struct_({arrow::field(
                                        "f", arrow::fixed_size_list(StructOfX(), 2))})),
                  R"([null, {"f": null}, {"f": [{"x": 1}, null]}])",
                  {{{}, {4, 4, 3, 3, 0, 2}, "[0, 0, 0, 0, 1, 0]"}}},
        ShapeCase{"FixedSizeListOfPrimitives",
                  arrow::field("c", arrow::fixed_size_list(arrow::int8(), 2)),
                  "[[1, null], null, [null, null]]",
                  {{{}, {0, 1, 0}, "[[1, null], [0, 0], [null, null]]"}}},
        ShapeCase{"PackedStruct",
                  Packed("c", StructOf(arrow::field("a", arrow::int8()),
                                       arrow::field("b", arrow::float64()))),
                  R"([{"a": 1, "b": 0.5}, null])",
                  {{{}, {0, 1}, R"([{"a": 1, "b": 0.5}, {"a": 0, "b": 0}])"}}},
        ShapeCase{"Blob", Blob("c"), R"(["x", null])", {{{}, {0, 1}, R"(["x", ""])"}}},
        ShapeCase{"NullType",
                  arrow::field("c", arrow::list(arrow::null())),
                  "[[null, null], null]",
                  {{{1, 0, 1}, {1, 1, 2}, "[null, null]"}}},
        ShapeCase{"StructWithoutMembers",
                  arrow::field("c", arrow::struct_({})),
                  "[{}, {}]",
                  {{{}, {}, "[{}, {}]"}}}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(ShredField, MakesLevelsOfNullsInADictionary) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto indices = FromJson(arrow::int8(), "[0, 1, null, 2]");
  const auto values = FromJson(arrow::utf8(), R"(["a", null, "c"])");
  const auto array = std::make_shared<arrow::DictionaryArray>(type, indices, values);

  const auto leaves = Shred(NodeOf(type), array).ValueOrDie();

  EXPECT_THAT(leaves[0].def, ElementsAre(0, 1, 1, 0));
  EXPECT_TRUE(leaves[0].values[0]->Equals(array));
}

TEST(ShredField, RefusesDictionaryIndicesBehindTheEnd) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto array = std::make_shared<arrow::DictionaryArray>(
      type, FromJson(arrow::int8(), "[0, 7]"), FromJson(arrow::utf8(), R"([null])"));

  EXPECT_THAT(Shred(NodeOf(type), array),
              IsInvalid(HasSubstr("index is 7, the dictionary has 1 values")));
}

TEST(ShredField, GivesAFlatColumnAsItIs) {
  const auto array = FromJson(arrow::int32(), "[1, 2, null, 4]")->Slice(1, 3);

  const auto leaves = Shred(NodeOf(arrow::int32()), array).ValueOrDie();

  ASSERT_THAT(leaves[0].values, SizeIs(1));
  EXPECT_EQ(leaves[0].values[0]->data()->buffers[1], array->data()->buffers[1]);
  EXPECT_TRUE(leaves[0].values[0]->Equals(array));
  EXPECT_THAT(leaves[0].def, ElementsAre(0, 1, 0));
}

TEST(ShredField, CutsItemsWithoutCopyingThem) {
  const auto type = arrow::list(arrow::int32());
  const auto whole = FromJson(type, "[[9], [1, 2], null, [3]]");
  const auto& items = static_cast<const arrow::ListArray&>(*whole).values();

  const auto leaves = Shred(NodeOf(type), whole->Slice(1)).ValueOrDie();

  ASSERT_THAT(leaves[0].values, SizeIs(1));
  EXPECT_EQ(leaves[0].values[0]->data()->buffers[1], items->data()->buffers[1]);
  EXPECT_TRUE(leaves[0].values[0]->Equals(FromJson(arrow::int32(), "[1, 2, 3]")));
  EXPECT_THAT(leaves[0].rep, ElementsAre(1, 0, 1, 1));
}

TEST(ShredField, DropsWhatNullListsHide) {
  const auto validity = FromJson(arrow::boolean(), "[true, false, true]")->data()->buffers[1];
  const auto array = std::make_shared<arrow::ListArray>(
      arrow::list(arrow::int32()), 3, arrow::Buffer::FromVector<int32_t>({1, 2, 5, 6}),
      FromJson(arrow::int32(), "[1, 2, 3, 4, 5, 6]"), validity);

  const auto leaves = Shred(NodeOf(array->type()), array).ValueOrDie();

  EXPECT_THAT(leaves[0].rep, ElementsAre(1, 1, 1));
  EXPECT_THAT(leaves[0].def, ElementsAre(0, 2, 0));
  EXPECT_TRUE(leaves[0].values[0]->Equals(FromJson(arrow::int32(), "[2, 6]")));
}

TEST(ShredField, DropsListsThatNullStructsHide) {
  const auto validity = FromJson(arrow::boolean(), "[false, true]")->data()->buffers[1];
  const auto lists = FromJson(arrow::list(arrow::int32()), "[[1, 2], [3]]");
  const auto array = std::make_shared<arrow::StructArray>(
      arrow::struct_({arrow::field("l", lists->type())}), 2, arrow::ArrayVector{lists}, validity);

  const auto leaves = Shred(NodeOf(array->type()), array).ValueOrDie();

  EXPECT_THAT(leaves[0].rep, ElementsAre(1, 1));
  EXPECT_THAT(leaves[0].def, ElementsAre(4, 0));
  EXPECT_TRUE(leaves[0].values[0]->Equals(FromJson(arrow::int32(), "[3]")));
}

TEST(ShredField, HonoursOffsetsAtEveryDepth) {
  // struct<list<int32>>, all three arrays slices of longer ones.
  const auto items = FromJson(arrow::int32(), "[9, 9, 1, 2, null, 4, 9]")->Slice(2, 4);
  const auto lists = std::make_shared<arrow::ListArray>(
      arrow::list(arrow::int32()), 4, arrow::Buffer::FromVector<int32_t>({0, 0, 2, 2, 4}), items);
  const auto structs =
      arrow::StructArray::Make({lists->Slice(1)}, std::vector<std::string>{"l"}).ValueOrDie();
  const auto array = structs->Slice(1);  // [], [null, 4]

  const auto leaves = Shred(NodeOf(array->type()), array).ValueOrDie();

  EXPECT_THAT(leaves[0].rep, ElementsAre(1, 1, 0));
  EXPECT_THAT(leaves[0].def, ElementsAre(3, 1, 0));
  EXPECT_TRUE(leaves[0].values[0]->Equals(FromJson(arrow::int32(), "[null, 4]")));
}

TEST(ShredField, RefusesNullsBelowAValueThatIsThere) {
  struct Case {
    TypePtr type;
    const char* json;
    const char* path;
  };
  const auto not_null = [](const TypePtr& type) { return NotNull("x", type); };
  for (const Case& broken : std::vector<Case>{
           {arrow::struct_({not_null(arrow::int8())}), R"([{"x": null}])", "\"c.x\""},
           {arrow::struct_({not_null(StructOfX())}), R"([{"x": null}])", "\"c.x\""},
           {arrow::struct_({not_null(arrow::list(arrow::int8()))}), R"([{"x": null}])", "\"c.x\""},
           {arrow::list(not_null(arrow::int8())), "[null, [1, null]]", "\"c.x\""},
           {arrow::struct_({not_null(arrow::fixed_size_list(StructOfX(), 1))}), R"([{"x": null}])",
            "\"c.x\""},
           {arrow::list(arrow::struct_({not_null(arrow::utf8())})), R"([[{"x": null}]])",
            "\"c.item.x\""}}) {
    EXPECT_THAT(Shred(NodeOf(broken.type), FromJson(broken.type, broken.json)),
                IsInvalid(AllOf(HasSubstr(broken.path), HasSubstr("has null values"))))
        << broken.type->ToString();
  }
}

TEST(ShredField, TakesNullsBelowANull) {
  const auto members = FromJson(arrow::int8(), "[1, null]");
  const auto validity = FromJson(arrow::boolean(), "[true, false]")->data()->buffers[1];
  const auto array = std::make_shared<arrow::StructArray>(
      arrow::struct_({NotNull("x", arrow::int8())}), 2, arrow::ArrayVector{members}, validity);

  const auto leaves = Shred(NodeOf(array->type()), array).ValueOrDie();

  EXPECT_THAT(leaves[0].def, ElementsAre(0, 2));
}

TEST(ShredField, RefusesNullMembersOfPackedStructs) {
  const auto field = Packed("c", StructOfX());

  EXPECT_THAT(Shred(NodeOf(field), FromJson(field->type(), R"([{"x": null}])")),
              IsInvalid(HasSubstr("member \"x\" of the packed struct \"c\" has null values")));
}

TEST(ShredField, RefusesANullStructWithoutMembers) {
  EXPECT_THAT(Shred(NodeOf(arrow::struct_({})), FromJson(arrow::struct_({}), "[{}, null]")),
              IsInvalid(HasSubstr("\"c\" is a struct without members that has 1 null")));
}

TEST(ShredField, NamesTheColumnWhoseTextIsNotUtf8) {
  const TypePtr type = arrow::list(arrow::struct_({arrow::field("t", arrow::utf8())}));
  const auto bytes = FromJson(arrow::binary(), R"(["fine", "bad"])");
  const auto data = bytes->data()->Copy();
  data->type = arrow::utf8();
  data->buffers[2] = arrow::Buffer::FromString("fine\xC3(x");
  const auto structs =
      arrow::StructArray::Make({arrow::MakeArray(data)}, std::vector<std::string>{"t"})
          .ValueOrDie();
  const auto lists = std::make_shared<arrow::ListArray>(
      type, 1, arrow::Buffer::FromVector<int32_t>({0, 2}), structs);

  EXPECT_THAT(Shred(NodeOf(type), lists),
              IsInvalid(HasSubstr("field \"c.item.t\": text value 1 is not UTF-8")));
}

TEST(ShredField, RefusesAnArrayOfAnotherType) {
  struct Case {
    TypePtr wanted;
    TypePtr given;
  };
  for (const Case& broken : std::vector<Case>{
           {arrow::int32(), arrow::int64()},
           {arrow::list(arrow::int8()), arrow::large_list(arrow::int8())},
           {arrow::list(arrow::int8()), arrow::list(arrow::int16())},
           {StructOfX(), arrow::struct_({})},
           {arrow::fixed_size_list(StructOfX(), 2), arrow::fixed_size_list(StructOfX(), 3)},
           {arrow::fixed_size_list(arrow::int8(), 2), arrow::fixed_size_list(arrow::int8(), 3)},
           {arrow::map(arrow::utf8(), arrow::utf8()), arrow::list(StructOfX())}}) {
    EXPECT_THAT(Shred(NodeOf(broken.wanted), arrow::MakeEmptyArray(broken.given).ValueOrDie()),
                IsInvalid(HasSubstr("its schema says")))
        << broken.given->ToString();
  }
}

TEST(ShredField, RefusesOffsetsThatLeaveTheirItems) {
  const auto items = FromJson(arrow::int8(), "[1, 2, 3]");
  for (const std::vector<int32_t>& offsets :
       std::vector<std::vector<int32_t>>{{0, 2, 1}, {0, 1, 4}, {-1, 1, 2}, {0, 5, 3}, {2, 1, 3}}) {
    const auto array = std::make_shared<arrow::ListArray>(
        arrow::list(arrow::int8()), 2, arrow::Buffer::FromVector(offsets), items);

    EXPECT_THAT(Shred(NodeOf(array->type()), array), IsInvalid(HasSubstr("a list's items are")));
  }
}

TEST(ShredField, StoresViewsAsPlainStrings) {
  const FieldNode node = NodeOf(arrow::utf8());
  const auto array = FromJson(arrow::utf8_view(), R"(["a", null, "a string of some length"])");

  const auto leaves = Shred(node, array).ValueOrDie();

  EXPECT_TRUE(leaves[0].values[0]->Equals(
      FromJson(arrow::utf8(), R"(["a", null, "a string of some length"])")));
  EXPECT_THAT(leaves[0].def, ElementsAre(0, 1, 0));
}

TEST(ShredField, TakesFixedSizeListsWhateverTheirItemsAreCalled) {
  const auto array = FromJson(arrow::fixed_size_list(NotNull("xyz", arrow::int8()), 2), "[[1, 2]]");

  const auto leaves = Shred(NodeOf(arrow::fixed_size_list(arrow::int8(), 2)), array).ValueOrDie();

  EXPECT_TRUE(leaves[0].values[0]->type()->Equals(arrow::fixed_size_list(arrow::int8(), 2)));
}

TEST(TakeRows, CutsBehindARowOfLists) {
  const TypePtr type = arrow::list(arrow::int8());
  auto rest = ShredJson(type, "[[1, 2], null, [null], [3]]")[0];

  const ShreddedLeaf taken = TakeRows(2, PathOf(type), &rest);

  EXPECT_EQ(taken.num_rows, 2u);
  EXPECT_EQ(taken.num_entries, 3u);
  EXPECT_THAT(taken.rep, ElementsAre(1, 0, 1));
  EXPECT_THAT(taken.def, ElementsAre(0, 0, 2));
  ASSERT_THAT(taken.values, SizeIs(1));
  EXPECT_TRUE(taken.values[0]->Equals(FromJson(arrow::int8(), "[1, 2]")));
  EXPECT_EQ(rest.num_rows, 2u);
  EXPECT_EQ(rest.num_entries, 2u);
  EXPECT_THAT(rest.rep, ElementsAre(1, 1));
  EXPECT_THAT(rest.def, ElementsAre(1, 0));
  ASSERT_THAT(rest.values, SizeIs(1));
  EXPECT_EQ(rest.values[0]->length(), 2);
}

TEST(TakeRows, DropsLevelsThatBecomeZero) {
  auto rest = ShredJson(arrow::int8(), "[1, 2, null]")[0];

  const ShreddedLeaf taken = TakeRows(2, PathOf(arrow::int8()), &rest);

  EXPECT_THAT(taken.def, IsEmpty());
  EXPECT_THAT(rest.def, ElementsAre(1));
}

TEST(TakeRows, CountsRowsOfFixedSizeLists) {
  const TypePtr type = arrow::fixed_size_list(StructOfX(), 2);
  auto rest = ShredJson(type, R"([[{"x": 1}, {"x": 2}], [{"x": 3}, {"x": 4}]])")[0];

  const ShreddedLeaf taken = TakeRows(1, PathOf(type), &rest);

  EXPECT_EQ(taken.num_entries, 2u);
  EXPECT_TRUE(taken.values[0]->Equals(FromJson(arrow::int32(), "[1, 2]")));
  EXPECT_TRUE(rest.values[0]->Equals(FromJson(arrow::int32(), "[3, 4]")));
}

TEST(TakeRows, CutsAcrossArrays) {
  ShreddedLeaf rest;
  rest.num_rows = rest.num_entries = 4;
  rest.values = {FromJson(arrow::int8(), "[1]"), FromJson(arrow::int8(), "[2, 3]"),
                 FromJson(arrow::int8(), "[4]")};

  const ShreddedLeaf taken = TakeRows(2, PathOf(arrow::int8()), &rest);

  ASSERT_THAT(taken.values, SizeIs(2));
  EXPECT_TRUE(taken.values[1]->Equals(FromJson(arrow::int8(), "[2]")));
  ASSERT_THAT(rest.values, SizeIs(2));
  EXPECT_TRUE(rest.values[0]->Equals(FromJson(arrow::int8(), "[3]")));
}

TEST(TakeRows, TakesNothingOrAll) {
  auto rest = ShredJson(arrow::list(arrow::int8()), "[[1], null]")[0];
  const LeafPath path = PathOf(arrow::list(arrow::int8()));

  const ShreddedLeaf nothing = TakeRows(0, path, &rest);
  const ShreddedLeaf all = TakeRows(2, path, &rest);

  EXPECT_EQ(nothing.num_rows, 0u);
  EXPECT_EQ(nothing.num_entries, 0u);
  EXPECT_EQ(all.num_rows, 2u);
  EXPECT_THAT(all.rep, ElementsAre(1, 1));
  EXPECT_EQ(rest.num_rows, 0u);
}

}  // namespace
}  // namespace lance::format
