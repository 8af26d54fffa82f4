#include "lance/format/levels/assemble.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/leaf_columns.h"
#include "lance/testing/matchers.h"
#include "level_samples.h"

namespace lance::format {
namespace {

using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using lance::testing::IsUnknownError;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A leaf as tests write it. A plain value.
struct LeafSample {
  uint64_t num_entries = 0;
  Levels rep;
  Levels def;
  /// Type and JSON of the values; of the indices for dictionary arrays.
  TypePtr type;
  const char* values = "[]";
};

LeafColumn MakeLeaf(uint64_t num_rows, const LeafSample& sample) {
  LeafColumn leaf;
  leaf.num_rows = num_rows;
  leaf.num_entries = sample.num_entries;
  leaf.rep = sample.rep;
  leaf.def = sample.def;
  leaf.values =
      testing::ToValueBuffer(*sample.type, {FromJson(sample.type, sample.values)}).ValueOrDie();
  return leaf;
}

std::vector<LeafColumn> MakeLeaves(uint64_t num_rows, const std::vector<LeafSample>& samples) {
  std::vector<LeafColumn> leaves;
  for (const LeafSample& sample : samples) leaves.push_back(MakeLeaf(num_rows, sample));
  return leaves;
}

arrow::Result<ArrayPtr> Assemble(const FieldNode& node, uint64_t num_rows,
                                 std::vector<LeafColumn> leaves) {
  return AssembleField(node, num_rows, std::move(leaves), arrow::default_memory_pool());
}

TypePtr StructOf(const FieldPtr& a, const FieldPtr& b) { return arrow::struct_({a, b}); }

const TypePtr kInt8 = arrow::int8();

struct ShapeCase {
  const char* name;
  FieldPtr field;
  uint64_t num_rows;
  std::vector<LeafSample> leaves;
  const char* json;
};

class AssembleShapes : public ::testing::TestWithParam<ShapeCase> {};

TEST_P(AssembleShapes, GiveTheArray) {
  const ShapeCase& shape = GetParam();

  LANCE_ASSERT_OK_AND_ASSIGN(const auto array, Assemble(NodeOf(shape.field), shape.num_rows,
                                                        MakeLeaves(shape.num_rows, shape.leaves)));

  EXPECT_THAT(array->ValidateFull(), IsOk());
  EXPECT_TRUE(array->Equals(FromJson(shape.field->type(), shape.json))) << array->ToString();
}

INSTANTIATE_TEST_SUITE_P(
    Types, AssembleShapes,
    ::testing::Values(
        ShapeCase{
            "NoRows", arrow::field("c", arrow::utf8()), 0, {{0, {}, {}, arrow::utf8()}}, "[]"},
        ShapeCase{"NoLists",
                  arrow::field("c", arrow::list(arrow::utf8())),
                  0,
                  {{0, {}, {}, arrow::utf8()}},
                  "[]"},
        ShapeCase{"Flat",
                  arrow::field("c", kInt8),
                  3,
                  {{3, {}, {0, 1, 0}, kInt8, "[1, 2, 3]"}},
                  "[1, null, 3]"},
        ShapeCase{"Bools",
                  arrow::field("c", arrow::boolean()),
                  3,
                  {{3, {}, {0, 1, 0}, arrow::boolean(), "[true, true, false]"}},
                  "[true, null, false]"},
        ShapeCase{"Text",
                  arrow::field("c", arrow::large_utf8()),
                  3,
                  {{3, {}, {0, 0, 1}, arrow::large_utf8(), R"(["a", "", ""])"}},
                  R"(["a", "", null])"},
        ShapeCase{"Lists",  // file-format 6.5
                  arrow::field("c", arrow::list(kInt8)),
                  4,
                  {{6, {1, 0, 1, 1, 1, 0}, {0, 0, 2, 3, 0, 1}, kInt8, "[1, 2, 3, 0]"}},
                  "[[1, 2], null, [], [3, null]]"},
        ShapeCase{"LargeLists",
                  arrow::field("c", arrow::large_list(kInt8)),
                  2,
                  {{3, {1, 0, 1}, {}, kInt8, "[1, 2, 3]"}},
                  "[[1, 2], [3]]"},
        ShapeCase{"ListsInLists",  // file-format 6.5
                  arrow::field("c", arrow::list(arrow::list(kInt8))),
                  3,
                  {{11,
                    {2, 1, 0, 2, 2, 0, 1, 1, 0, 0, 0},
                    {0, 0, 0, 4, 1, 1, 2, 1, 0, 0, 1},
                    kInt8,
                    "[1, 2, 3, 0, 0, 0, 4, 5, 0]"}},
                  "[[[1], [2, 3]], null, [[null, null], null, [null, 4, 5, null]]]"},
        ShapeCase{"Struct",
                  arrow::field("c", StructOf(arrow::field("a", kInt8), NotNull("b", kInt8))),
                  3,
                  {{3, {}, {0, 1, 2}, kInt8, "[1, 2, 3]"}, {3, {}, {0, 0, 2}, kInt8, "[4, 5, 6]"}},
                  R"([{"a": 1, "b": 4}, {"a": null, "b": 5}, null])"},
        ShapeCase{"ListBesideLeafInStruct",
                  arrow::field("c", StructOf(arrow::field("a", arrow::list(kInt8)),
                                             arrow::field("b", kInt8))),
                  3,
                  {{4, {1, 0, 1, 1}, {0, 1, 4, 2}, kInt8, "[1, 0]"},
                   {3, {}, {0, 2, 1}, kInt8, "[3, 0, 0]"}},
                  R"([{"a": [1, null], "b": 3}, null, {"a": null, "b": null}])"},
        ShapeCase{"StructInList",
                  arrow::field("c", arrow::list(StructOf(arrow::field("a", kInt8),
                                                         arrow::field("b", arrow::list(kInt8))))),
                  2,
                  {{3, {1, 0, 1}, {0, 2, 3}, kInt8, "[1, 0]"},
                   {4, {2, 0, 1, 2}, {0, 0, 4, 5}, kInt8, "[5, 6]"}},
                  R"([[{"a": 1, "b": [5, 6]}, null], null])"},
        ShapeCase{"Map",  // file-format 8.5
                  arrow::field("c", arrow::map(arrow::utf8(), kInt8)),
                  4,
                  {{5, {1, 0, 1, 1, 1}, {0, 0, 3, 4, 0}, arrow::utf8(), R"(["a", "b", "c"])"},
                   {5, {1, 0, 1, 1, 1}, {0, 0, 3, 4, 1}, kInt8, "[1, 2, 0]"}},
                  R"([[["a", 1], ["b", 2]], null, [], [["c", null]]])"},
        ShapeCase{"FixedSizeListOfStruct",  // file-format 6.5
                  arrow::field("c", arrow::fixed_size_list(StructOfX(), 2)),
                  4,
                  {{8, {}, {0, 0, 3, 3, 2, 1, 0, 0}, arrow::int32(), "[1, 2, 0, 0, 0, 0, 5, 6]"}},
                  R"([[{"x": 1}, {"x": 2}], null, [null, {"x": null}], [{"x": 5}, {"x": 6}]])"},
        ShapeCase{"FixedSizeListOfPrimitives",
                  arrow::field("c", arrow::fixed_size_list(kInt8, 2)),
                  3,
                  {{3,
                    {},
                    {0, 1, 0},
                    arrow::fixed_size_list(kInt8, 2),
                    "[[1, null], [0, 0], [null, null]]"}},
                  "[[1, null], null, [null, null]]"},
        ShapeCase{"PackedStruct",
                  Packed("c", StructOf(arrow::field("a", kInt8), arrow::field("b", arrow::utf8()))),
                  2,
                  {{2,
                    {},
                    {0, 1},
                    StructOf(arrow::field("a", kInt8), arrow::field("b", arrow::utf8())),
                    R"([{"a": 1, "b": "x"}, {"a": 0, "b": ""}])"}},
                  R"([{"a": 1, "b": "x"}, null])"},
        ShapeCase{"Blob",
                  Blob("c"),
                  2,
                  {{2, {}, {0, 1}, arrow::large_binary(), R"(["x", ""])"}},
                  R"(["x", null])"},
        ShapeCase{"NullType",
                  arrow::field("c", arrow::list(arrow::null())),
                  2,
                  {{3, {1, 0, 1}, {1, 1, 2}, arrow::null(), "[]"}},
                  "[[null, null], null]"},
        ShapeCase{"NullTypeAllNull",  // as read from a page without levels of values
                  arrow::field("c", arrow::null()),
                  2,
                  {{2, {}, {1, 1}, arrow::null(), "[]"}},
                  "[null, null]"},
        ShapeCase{"StructWithoutMembers",  // its page says all null, file-format 8.3
                  arrow::field("c", arrow::struct_({})),
                  2,
                  {{2, {}, {1, 1}, arrow::struct_({}), "[]"}},
                  "[{}, {}]"}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(AssembleField, DoesNotCopyFlatValues) {
  auto leaves = MakeLeaves(3, {{3, {}, {0, 1, 0}, arrow::int32(), "[1, 2, 3]"}});
  const auto* const bytes = reinterpret_cast<const uint8_t*>(leaves[0].values.bytes.data());

  const auto array = Assemble(NodeOf(arrow::int32()), 3, std::move(leaves)).ValueOrDie();

  EXPECT_EQ(array->data()->buffers[1]->data(), bytes);
}

TEST(AssembleField, MakesNoBitmapWithoutNulls) {
  const TypePtr type = arrow::list(arrow::struct_({arrow::field("x", kInt8)}));
  for (const Levels& def : {Levels{}, Levels{0, 0, 0}}) {
    const auto array =
        Assemble(NodeOf(type), 2, MakeLeaves(2, {{3, {1, 0, 1}, def, kInt8, "[1, 2, 3]"}}))
            .ValueOrDie();

    const auto& lists = static_cast<const arrow::ListArray&>(*array);
    EXPECT_EQ(array->data()->buffers[0], nullptr);
    EXPECT_EQ(lists.values()->data()->buffers[0], nullptr);
    EXPECT_EQ(lists.values()->data()->child_data[0]->buffers[0], nullptr);
    EXPECT_EQ(array->data()->null_count, 0);
  }
}

TEST(AssembleField, PacksValidityAtEveryLength) {
  for (const uint64_t length : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 127u, 128u, 200u}) {
    LeafColumn leaf;
    leaf.num_rows = leaf.num_entries = length;
    leaf.values = ValueBuffer({.bits_per_value = 8}, nullptr);
    AppendDummies(length, &leaf.values);
    leaf.def.assign(length, 0);
    for (uint64_t i = 0; i < length; i += 3) leaf.def[i] = 1;
    std::vector<LeafColumn> leaves;
    leaves.push_back(std::move(leaf));

    const auto array = Assemble(NodeOf(kInt8), length, std::move(leaves)).ValueOrDie();

    EXPECT_EQ(array->null_count(), static_cast<int64_t>((length + 2) / 3));
    for (int64_t i = 0; i < array->length(); ++i) EXPECT_EQ(array->IsNull(i), i % 3 == 0) << i;
  }
}

TEST(AssembleField, LeavesDummiesOfMembersThatMustNotBeNull) {
  const TypePtr type = arrow::struct_({NotNull("x", kInt8)});

  const auto array =
      Assemble(NodeOf(type), 2, MakeLeaves(2, {{2, {}, {0, 2}, kInt8, "[1, 0]"}})).ValueOrDie();

  EXPECT_TRUE(array->IsNull(1));
  EXPECT_EQ(array->data()->child_data[0]->buffers[0], nullptr);
}

TEST(AssembleField, GivesDescriptorsOfBlobsInsideStructs) {
  const FieldNode node = NodeOf(arrow::field("s", arrow::struct_({Blob("b")})));
  const TypePtr descriptors =
      StructOf(arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64()));

  const auto array = Assemble(node, 3,
                              MakeLeaves(3, {{3,
                                              {},
                                              {0, 1, 2},
                                              descriptors,
                                              R"([{"position": 64, "size": 3},
                                                  {"position": 0, "size": 0},
                                                  {"position": 0, "size": 0}])"}}))
                         .ValueOrDie();

  EXPECT_THAT(array->ValidateFull(), IsOk());
  const TypePtr expected = arrow::struct_({Blob("b")->WithType(descriptors)});
  EXPECT_TRUE(array->Equals(
      FromJson(expected, R"([{"b": {"position": 64, "size": 3}}, {"b": null}, null])")))
      << array->ToString();
}

TEST(AssembleField, PutsIndicesBesideTheDictionary) {
  const TypePtr type = arrow::dictionary(arrow::int8(), arrow::utf8());
  auto leaves = MakeLeaves(3, {{3, {}, {0, 1, 0}, arrow::int8(), "[1, 99, 0]"}});
  leaves[0].dictionary = FromJson(arrow::utf8(), R"(["a", "b"])");

  const auto array = Assemble(NodeOf(type), 3, std::move(leaves)).ValueOrDie();

  EXPECT_THAT(array->ValidateFull(), IsOk());
  EXPECT_TRUE(array->Equals(arrow::DictionaryArray(type, FromJson(arrow::int8(), "[1, null, 0]"),
                                                   FromJson(arrow::utf8(), R"(["a", "b"])"))));
}

TEST(AssembleField, NeedsNoDictionaryForNulls) {
  const TypePtr type =
      arrow::struct_({NotNull("d", arrow::dictionary(arrow::int8(), arrow::utf8()))});

  const auto array =
      Assemble(NodeOf(type), 2, MakeLeaves(2, {{2, {}, {2, 2}, arrow::int8(), "[0, 0]"}}))
          .ValueOrDie();

  EXPECT_THAT(array->ValidateFull(), IsOk());
  EXPECT_EQ(array->null_count(), 2);
}

TEST(AssembleField, RefusesIndicesBehindTheDictionarysEnd) {
  for (const char* const indices : {"[0, 2]", "[0, -1]"}) {
    const TypePtr type = arrow::dictionary(arrow::int8(), arrow::utf8());
    auto leaves = MakeLeaves(2, {{2, {}, {}, arrow::int8(), indices}});
    leaves[0].dictionary = FromJson(arrow::utf8(), R"(["a", "b"])");

    EXPECT_THAT(Assemble(NodeOf(type), 2, std::move(leaves)),
                IsSerializationError(HasSubstr("a dictionary index is not below 2")));
  }
}

struct BrokenCase {
  const char* name;
  TypePtr type;
  uint64_t num_rows;
  std::vector<LeafSample> leaves;
  const char* message;
};

class BrokenLevels : public ::testing::TestWithParam<BrokenCase> {};

TEST_P(BrokenLevels, AreRefused) {
  const BrokenCase& broken = GetParam();

  EXPECT_THAT(
      Assemble(NodeOf(broken.type), broken.num_rows, MakeLeaves(broken.num_rows, broken.leaves)),
      IsSerializationError(HasSubstr(broken.message)));
}

const TypePtr kLists = arrow::list(kInt8);
const TypePtr kListsInLists = arrow::list(arrow::list(kInt8));
const TypePtr kFixed = arrow::fixed_size_list(arrow::struct_({arrow::field("x", kInt8)}), 2);

INSTANTIATE_TEST_SUITE_P(
    All, BrokenLevels,
    ::testing::Values(
        BrokenCase{"TooFewEntries", kInt8, 2, {{1, {}, {}, kInt8, "[1]"}}, "2 rows have 1 entries"},
        BrokenCase{"TooFewDefs",
                   kInt8,
                   2,
                   {{2, {}, {0}, kInt8, "[1, 2]"}},
                   "2 entries have 1 definition levels"},
        BrokenCase{"DefTooLarge",
                   kInt8,
                   1,
                   {{1, {}, {2}, kInt8, "[1]"}},
                   "definition level is 2; allowed: 0 to 1"},
        BrokenCase{"TooFewValues",
                   kInt8,
                   2,
                   {{2, {}, {}, kInt8, "[1]"}},
                   "has 1 values; its levels need 2"},
        BrokenCase{"RepWithoutList",
                   kInt8,
                   1,
                   {{1, {0}, {}, kInt8, "[1]"}},
                   "1 entries have 1 repetition levels; allowed: 0"},
        BrokenCase{"NoRep",
                   kLists,
                   1,
                   {{1, {}, {}, kInt8, "[1]"}},
                   "1 entries have 0 repetition levels; allowed: 1"},
        BrokenCase{"RepTooLarge",
                   kLists,
                   1,
                   {{2, {1, 2}, {}, kInt8, "[1, 2]"}},
                   "repetition level is 2; allowed: 0 to 1"},
        BrokenCase{"ListDefTooLarge",
                   kLists,
                   1,
                   {{1, {1}, {4}, kInt8, "[]"}},
                   "definition level is 4; allowed: 0 to 3"},
        BrokenCase{"DoesNotBeginWithARow",
                   kLists,
                   1,
                   {{2, {0, 1}, {}, kInt8, "[1, 2]"}},
                   "the first repetition level is 0; a row begins with 1"},
        BrokenCase{"TooFewRows",
                   kLists,
                   2,
                   {{2, {1, 0}, {}, kInt8, "[1, 2]"}},
                   "the levels make 1 rows; expected: 2"},
        BrokenCase{"TooManyRows",
                   kLists,
                   1,
                   {{2, {1, 1}, {}, kInt8, "[1, 2]"}},
                   "the levels make 2 rows; expected: 1"},
        BrokenCase{"RowsOfNoEntries",
                   kLists,
                   1,
                   {{0, {}, {}, kInt8, "[]"}},
                   "the levels make 0 rows; expected: 1"},
        BrokenCase{"TooManyListValues",
                   kLists,
                   1,
                   {{2, {1, 0}, {0, 1}, kInt8, "[1, 2, 3]"}},
                   "has 3 values; its levels need 2"},
        BrokenCase{"ItemOfANullList",
                   kLists,
                   1,
                   {{2, {1, 0}, {2, 0}, kInt8, "[1]"}},
                   "repetition level 0 continues a list that is null or empty"},
        BrokenCase{"ItemOfAnEmptyList",
                   kLists,
                   1,
                   {{2, {1, 0}, {3, 0}, kInt8, "[1]"}},
                   "repetition level 0 continues a list that is null or empty"},
        BrokenCase{"NullListAsItem",
                   kLists,
                   1,
                   {{2, {1, 0}, {0, 2}, kInt8, "[1]"}},
                   "repetition level 0 continues a list that is null or empty"},
        BrokenCase{"InnerListOfANullList",
                   kListsInLists,
                   1,
                   {{2, {2, 1}, {4, 0}, kInt8, "[1]"}},
                   "repetition level 1 continues a list that is null or empty"},
        BrokenCase{"OuterNullAsInnerList",
                   kListsInLists,
                   1,
                   {{2, {2, 1}, {0, 5}, kInt8, "[1]"}},
                   "repetition level 1 continues a list that is null or empty"},
        BrokenCase{"ItemOfAnInnerEmptyList",
                   kListsInLists,
                   1,
                   {{3, {2, 1, 0}, {0, 3, 0}, kInt8, "[1, 2]"}},
                   "repetition level 0 continues a list that is null or empty"},
        BrokenCase{"FixedSizeListCut",
                   kFixed,
                   2,
                   {{3, {}, {}, kInt8, "[1, 2, 3]"}},
                   "2 rows have 3 entries; expected: 4"},
        BrokenCase{"FixedSizeListHalfNull",
                   kFixed,
                   1,
                   {{2, {}, {0, 3}, kInt8, "[1, 2]"}},
                   "entry 1 of a fixed-size list has level 3, its first entry has 0"},
        BrokenCase{"SiblingWithOtherNulls",
                   StructOf(arrow::field("a", kInt8), arrow::field("b", kInt8)),
                   2,
                   {{2, {}, {2, 0}, kInt8, "[1, 2]"}, {2, {}, {1, 0}, kInt8, "[1, 2]"}},
                   "members \"a\" and \"b\" of struct \"c\" have different lists or nulls"},
        BrokenCase{"SiblingWithoutLevels",
                   StructOf(arrow::field("a", kInt8), arrow::field("b", kInt8)),
                   2,
                   {{2, {}, {2, 0}, kInt8, "[1, 2]"}, {2, {}, {}, kInt8, "[1, 2]"}},
                   "members \"a\" and \"b\" of struct \"c\" have different lists or nulls"},
        BrokenCase{"SiblingWithLevels",
                   StructOf(arrow::field("a", kInt8), arrow::field("b", kInt8)),
                   2,
                   {{2, {}, {}, kInt8, "[1, 2]"}, {2, {}, {0, 2}, kInt8, "[1, 2]"}},
                   "members \"a\" and \"b\" of struct \"c\" have different lists or nulls"},
        BrokenCase{"SiblingWithMoreItems",
                   arrow::map(kInt8, kInt8),
                   1,
                   {{1, {1}, {}, kInt8, "[1]"}, {2, {1, 0}, {}, kInt8, "[1, 2]"}},
                   "members \"key\" and \"value\" of struct \"entries\" have different lists"},
        BrokenCase{"SiblingWithItemsElsewhere",
                   arrow::map(kInt8, kInt8),
                   2,
                   {{3, {1, 0, 1}, {}, kInt8, "[1, 2, 3]"}, {3, {1, 1, 0}, {}, kInt8, "[1, 2, 3]"}},
                   "members \"key\" and \"value\" of struct \"entries\" have different lists"},
        BrokenCase{"SiblingListWithOtherNulls",
                   StructOf(arrow::field("a", kInt8), arrow::field("b", kLists)),
                   2,
                   {{2, {}, {2, 0}, kInt8, "[1, 2]"}, {3, {1, 0, 1}, {0, 0, 4}, kInt8, "[1, 2]"}},
                   "members \"a\" and \"b\" of struct \"c\" have different lists or nulls"},
        BrokenCase{"NullMember",
                   arrow::struct_({NotNull("x", kInt8)}),
                   1,
                   {{1, {}, {1}, kInt8, "[1]"}},
                   "field \"x\" has null values"},
        BrokenCase{"NullItem",
                   arrow::list(NotNull("item", kInt8)),
                   1,
                   {{1, {1}, {1}, kInt8, "[1]"}},
                   "field \"item\" has null values"},
        BrokenCase{"NullKey",
                   arrow::map(kInt8, kInt8),
                   1,
                   {{1, {1}, {1}, kInt8, "[1]"}, {1, {1}, {0}, kInt8, "[1]"}},
                   "field \"key\" has null values"}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

/// One text value of these bytes.
LeafColumn TextLeaf(const std::vector<std::string>& values, Levels def) {
  LeafColumn leaf;
  leaf.num_rows = leaf.num_entries = values.size();
  leaf.def = std::move(def);
  leaf.values = testing::ToValueBuffer(*arrow::binary(), {[&] {
                  arrow::BinaryBuilder builder;
                  EXPECT_THAT(builder.AppendValues(values), IsOk());
                  return builder.Finish().ValueOrDie();
                }()})
                    .ValueOrDie();
  return leaf;
}

arrow::Result<ArrayPtr> AssembleText(const std::vector<std::string>& values, Levels def) {
  std::vector<LeafColumn> leaves;
  leaves.push_back(TextLeaf(values, std::move(def)));
  return Assemble(NodeOf(arrow::utf8()), values.size(), std::move(leaves));
}

TEST(AssembleField, TakesTextOfAllScripts) {
  EXPECT_THAT(AssembleText({"a", "\xC3\xA9", "", "\xF0\x9F\x98\x80", ""}, {}), IsOk());
}

TEST(AssembleField, RefusesTextThatIsNotUtf8) {
  struct Case {
    std::vector<std::string> values;
    const char* message;
  };
  for (const Case& broken : std::vector<Case>{
           {{"a", "\xFF"}, "field \"c\": text value 1 is not UTF-8"},
           {{"\xC3", "\xA9"}, "field \"c\": text value 0 is not UTF-8"},  // together they are
           {{"ok", "a\xC3"}, "field \"c\": text value 1 is not UTF-8"},
           {{"\xED\xA0\x80"}, "field \"c\": text value 0 is not UTF-8"}}) {
    EXPECT_THAT(AssembleText(broken.values, {}), IsSerializationError(HasSubstr(broken.message)));
  }
}

TEST(AssembleField, TakesAnyBytesUnderNulls) {
  EXPECT_THAT(AssembleText({"a", "\xFF", "\xC3\xA9"}, {0, 1, 0}), IsOk());
}

TEST(AssembleField, ChecksTheTextOfDictionaries) {
  auto leaves = MakeLeaves(1, {{1, {}, {}, arrow::int8(), "[0]"}});
  const auto data = FromJson(arrow::binary(), R"(["abc"])")->data()->Copy();
  data->type = arrow::utf8();
  data->buffers[2] = arrow::Buffer::FromString(
      "a\xFF"
      "c");
  leaves[0].dictionary = arrow::MakeArray(data);

  EXPECT_THAT(
      Assemble(NodeOf(arrow::dictionary(arrow::int8(), arrow::utf8())), 1, std::move(leaves)),
      IsSerializationError(HasSubstr("is not UTF-8")));
}

TEST(AssembleField, RefusesValuesOfAnotherType) {
  EXPECT_THAT(Assemble(NodeOf(arrow::int32()), 2, MakeLeaves(2, {{2, {}, {}, kInt8, "[1, 2]"}})),
              IsUnknownError(AllOf(HasSubstr("internal"), HasSubstr("8 bits for type int32"))));
}

}  // namespace
}  // namespace lance::format
