#include "lance/format/field_tree.h"

#include "arrow/api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const auto kPacked = arrow::key_value_metadata({"lance-encoding:packed"}, {"true"});
const auto kBlob = arrow::key_value_metadata({"lance-encoding:blob"}, {"true"});
const auto kBlobV2 = arrow::key_value_metadata({"ARROW:extension:name"}, {"lance.blob.v2"});

std::shared_ptr<arrow::DataType> Struct(const arrow::FieldVector& members) {
  return arrow::struct_(members);
}

std::shared_ptr<arrow::DataType> TwoNumbers() {
  return Struct({arrow::field("x", arrow::int32()), arrow::field("y", arrow::int64())});
}

std::vector<FieldNode> TreeOf(const arrow::FieldVector& fields) {
  return MakeFieldTree(MakeLanceSchema(*arrow::schema(fields)).ValueOrDie()).ValueOrDie();
}

SchemaField Field(const char* name, int32_t id, int32_t parent_id, const char* logical_type) {
  return {.name = name,
          .id = id,
          .parent_id = parent_id,
          .logical_type = logical_type,
          .nullable = false,
          .metadata = {},
          .unknown_fields = ""};
}

struct KindCase {
  std::string name;
  std::shared_ptr<arrow::Field> field;
  FieldKind kind;
  bool is_column;
};

class FieldKindTest : public ::testing::TestWithParam<KindCase> {};

TEST_P(FieldKindTest, FollowsFromTypeAndMetadata) {
  const auto tree = TreeOf({GetParam().field});

  ASSERT_EQ(tree.size(), 1u);
  EXPECT_EQ(tree[0].kind, GetParam().kind);
  EXPECT_EQ(tree[0].is_column(), GetParam().is_column);
}

std::shared_ptr<arrow::Field> PackedBy(const char* key, const char* value) {
  return arrow::field("f", TwoNumbers(), true, arrow::key_value_metadata({key}, {value}));
}

INSTANTIATE_TEST_SUITE_P(
    All, FieldKindTest,
    ::testing::ValuesIn<KindCase>({
        {"Number", arrow::field("f", arrow::int8()), FieldKind::kLeaf, true},
        {"Null", arrow::field("f", arrow::null()), FieldKind::kLeaf, true},
        {"Vector", arrow::field("f", arrow::fixed_size_list(arrow::int8(), 2)), FieldKind::kLeaf,
         true},
        {"Dictionary", arrow::field("f", arrow::dictionary(arrow::int8(), arrow::utf8())),
         FieldKind::kLeaf, true},
        {"Struct", arrow::field("f", TwoNumbers()), FieldKind::kStruct, false},
        {"EmptyStruct", arrow::field("f", Struct({})), FieldKind::kStruct, true},
        {"List", arrow::field("f", arrow::list(arrow::int8())), FieldKind::kList, false},
        {"LargeList", arrow::field("f", arrow::large_list(TwoNumbers())), FieldKind::kList, false},
        {"Map", arrow::field("f", arrow::map(arrow::utf8(), arrow::int8())), FieldKind::kMap,
         false},
        {"FixedSizeListOfStruct", arrow::field("f", arrow::fixed_size_list(TwoNumbers(), 2)),
         FieldKind::kFixedSizeListOfStruct, false},
        {"Packed", PackedBy("lance-encoding:packed", "true"), FieldKind::kPackedStruct, true},
        {"PackedByItsOldKey", PackedBy("packed", "YES"), FieldKind::kPackedStruct, true},
        {"PackedByOne", PackedBy("packed", "1"), FieldKind::kPackedStruct, true},
        {"PackedByOn", PackedBy("lance-encoding:packed", "On"), FieldKind::kPackedStruct, true},
        {"NotPacked", PackedBy("packed", "false"), FieldKind::kStruct, false},
        {"NotPackedByNothing", PackedBy("packed", ""), FieldKind::kStruct, false},
        {"PackedNumber", arrow::field("f", arrow::int8(), true, kPacked), FieldKind::kLeaf, true},
        {"Blob", arrow::field("f", arrow::large_binary(), true, kBlob), FieldKind::kBlob, true},
        // The reference looks for the key only.
        {"BlobWhateverTheValue",
         arrow::field("f", arrow::large_binary(), true,
                      arrow::key_value_metadata({"lance-encoding:blob"}, {"false"})),
         FieldKind::kBlob, true},
        {"BlobOfAnotherType", arrow::field("f", arrow::binary(), true, kBlob), FieldKind::kLeaf,
         true},
        {"DeclaredBlobV2",
         arrow::field("f",
                      Struct({arrow::field("data", arrow::large_binary()),
                              arrow::field("uri", arrow::utf8())}),
                      true, kBlobV2),
         FieldKind::kBlobV2, true},
        {"StoredBlobV2",
         arrow::field("f", Struct({}), true,
                      arrow::key_value_metadata({"lance-encoding:blob", "lance-encoding:packed"},
                                                {"true", "true"})),
         FieldKind::kBlobV2, true},
    }),
    [](const auto& test) { return test.param.name; });

TEST(FieldTree, HasFieldsWithTheirChildren) {
  const auto type = Struct({arrow::field("l", arrow::list(arrow::field("el", TwoNumbers()))),
                            arrow::field("n", arrow::utf8(), /*nullable=*/false)});
  const auto tree =
      TreeOf({arrow::field("a", arrow::int8()),
              arrow::field("s", type, true, arrow::key_value_metadata({"k"}, {"v"}))});

  ASSERT_EQ(tree.size(), 2u);
  const FieldNode& node = tree[1];
  EXPECT_EQ(node.id, 1);
  EXPECT_EQ(node.metadata.at("k"), "v");
  EXPECT_TRUE(node.type->Equals(*type));
  ASSERT_EQ(node.children.size(), 2u);
  EXPECT_EQ(node.children[0].id, 2);
  EXPECT_EQ(node.children[0].children[0].id, 3);
  EXPECT_EQ(node.children[0].children[0].children[1].name, "y");
  EXPECT_FALSE(node.children[1].nullable);
}

TEST(FieldTree, FindsChildrenThatDoNotFollowTheirParent) {
  const LanceSchema schema{
      .fields = {Field("s", 7, -1, "struct"), Field("t", 3, -1, "struct"), Field("x", 9, 7, "int8"),
                 Field("y", 1, 3, "int16"), Field("z", 0, 7, "int32")},
      .metadata = {}};

  const auto tree = MakeFieldTree(schema);

  ASSERT_THAT(tree, IsOk());
  ASSERT_EQ(tree->size(), 2u);
  EXPECT_EQ((*tree)[0].type->ToString(), "struct<x: int8 not null, z: int32 not null>");
  EXPECT_EQ((*tree)[1].type->ToString(), "struct<y: int16 not null>");
}

struct BrokenTreeCase {
  std::string name;
  std::vector<SchemaField> fields;
  std::string expected;
};

class BrokenTreeTest : public ::testing::TestWithParam<BrokenTreeCase> {};

TEST_P(BrokenTreeTest, IsRefused) {
  EXPECT_THAT(MakeFieldTree({.fields = GetParam().fields, .metadata = {}}),
              IsSerializationError(AllOf(HasSubstr("\"a\""), HasSubstr(GetParam().expected))));
}

SchemaField Nullable(SchemaField field) {
  field.nullable = true;
  return field;
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenTreeTest,
    ::testing::ValuesIn<BrokenTreeCase>({
        {"NoSuchType", {Field("a", 0, -1, "int33")}, "no such type"},
        {"NoParent", {Field("a", 0, 4, "int8")}, "parent id 4"},
        {"ChildOfALeaf", {Field("a", 0, -1, "int8"), Field("b", 1, 0, "int8")}, "a child, \"b\""},
        {"ListWithoutItem", {Field("a", 0, -1, "list")}, "0 children"},
        {"ListOfTwo",
         {Field("a", 0, -1, "large_list"), Field("b", 1, 0, "int8"), Field("c", 2, 0, "int8")},
         "2 children"},
        {"MapWithoutEntries", {Field("a", 0, -1, "map")}, "0 children"},
        {"MapOfNumbers",
         {Field("a", 0, -1, "map"), Field("e", 1, 0, "int8")},
         "entries that are none"},
        {"MapWithoutValue",
         {Field("a", 0, -1, "map"), Field("e", 1, 0, "struct"), Field("k", 2, 1, "int8")},
         "entries that are none"},
        {"MapOfNullableKeys",
         {Field("a", 0, -1, "map"), Field("e", 1, 0, "struct"), Nullable(Field("k", 2, 1, "int8")),
          Field("v", 3, 1, "int8")},
         "entries that are none"},
        {"FixedSizeListWithoutItem", {Field("a", 0, -1, "fixed_size_list:struct:2")}, "0 children"},
        {"FixedSizeListOfNumbers",
         {Field("a", 0, -1, "fixed_size_list:struct:2"), Field("b", 1, 0, "int8")},
         "one struct is allowed"},
        {"NoDimension",
         {Field("a", 0, -1, "fixed_size_list:struct:"), Field("b", 1, 0, "struct")},
         "dimension"},
        {"ZeroDimension",
         {Field("a", 0, -1, "fixed_size_list:struct:0"), Field("b", 1, 0, "struct")},
         "dimension"},
        {"BrokenInside",
         {Field("s", 0, -1, "struct"), Field("a", 1, 0, "list")},
         "column \"s\": field \"a\": logical type \"list\" with 0 children"},
    }),
    [](const auto& test) { return test.param.name; });

std::shared_ptr<arrow::Field> Everything() {
  return arrow::field(
      "s", Struct({arrow::field("l", arrow::list(TwoNumbers())),                 // ids 2 to 5
                   arrow::field("v", arrow::fixed_size_list(arrow::int8(), 4)),  // 6
                   arrow::field("p", TwoNumbers(), true, kPacked),               // 7 to 9
                   arrow::field("b", arrow::large_binary(), true, kBlob),        // 10
                   arrow::field("e", Struct({})),                                // 11
                   arrow::field("d", arrow::dictionary(arrow::int8(), arrow::utf8()))}));  // 12
}

TEST(NumberColumns, CountsEveryFieldIn20) {
  const auto tree = TreeOf({arrow::field("a", arrow::int8()), Everything()});

  EXPECT_THAT(NumberColumns(tree, FileVersion::k2_0),
              ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2), Pair(3, 3), Pair(4, 4), Pair(5, 5),
                          Pair(6, 6), Pair(7, 7), Pair(10, 8), Pair(11, 9), Pair(12, 10)));
}

TEST(NumberColumns, CountsTheLeavesFrom21On) {
  const auto tree = TreeOf({arrow::field("a", arrow::int8()), Everything()});
  const auto expected = ElementsAre(Pair(0, 0), Pair(4, 1), Pair(5, 2), Pair(6, 3), Pair(7, 4),
                                    Pair(10, 5), Pair(11, 6), Pair(12, 7));

  EXPECT_THAT(NumberColumns(tree, FileVersion::k2_1), expected);
  EXPECT_THAT(NumberColumns(tree, FileVersion::k2_2), expected);
}

TEST(NumberColumns, CountsMapsAndBlobsOf22) {
  const auto blob = Struct({arrow::field("data", arrow::large_binary())});
  const auto tree =
      TreeOf({arrow::field("m", arrow::map(arrow::utf8(), TwoNumbers())),    // 0 to 5
              arrow::field("b", blob, true, kBlobV2),                        // 6 and 7
              arrow::field("f", arrow::fixed_size_list(TwoNumbers(), 3))});  // 8 to 11

  EXPECT_THAT(
      NumberColumns(tree, FileVersion::k2_2),
      ElementsAre(Pair(2, 0), Pair(4, 1), Pair(5, 2), Pair(6, 3), Pair(10, 4), Pair(11, 5)));
}

TEST(LeavesOf, AreInFileOrder) {
  const auto tree = TreeOf({Everything()});
  std::vector<std::string> names;
  for (const FieldNode* leaf : LeavesOf(tree[0])) names.push_back(leaf->name);
  EXPECT_THAT(names, ElementsAre("x", "y", "v", "p", "b", "e", "d"));
}

TEST(WithTypeOfChildren, ForgetsTheChildrenThatAreGone) {
  FieldNode node = TreeOf({arrow::field(
      "l", arrow::large_list(arrow::field("el", TwoNumbers(), /*nullable=*/false)))})[0];

  node.children[0].children.erase(node.children[0].children.begin());
  node.children[0] = WithTypeOfChildren(node.children[0]);
  node = WithTypeOfChildren(node);

  EXPECT_EQ(node.type->ToString(), "large_list<el: struct<y: int64> not null>");
}

TEST(WithTypeOfChildren, KeepsTheTypeOfAMapWithoutItsValue) {
  FieldNode node = TreeOf({arrow::field("m", arrow::map(arrow::utf8(), arrow::int8()))})[0];

  node.children[0].children.pop_back();
  node.children[0] = WithTypeOfChildren(node.children[0]);

  EXPECT_TRUE(WithTypeOfChildren(node).type->Equals(*arrow::map(arrow::utf8(), arrow::int8())));
}

TEST(WithTypeOfChildren, KeepsDimensionsAndItemFields) {
  const auto type = arrow::fixed_size_list(
      arrow::field("e", TwoNumbers(), false, arrow::key_value_metadata({"k"}, {"v"})), 3);
  const FieldNode node = TreeOf({arrow::field("f", type)})[0];

  EXPECT_TRUE(WithTypeOfChildren(node).type->Equals(*type, /*check_metadata=*/true));
}

TEST(ToArrowField, DescribesABlobV2AsDataFilesDo) {
  const auto declared = arrow::field("b", Struct({arrow::field("data", arrow::large_binary())}),
                                     /*nullable=*/false, kBlobV2);
  const auto field = ToArrowField(TreeOf({declared})[0]);

  EXPECT_FALSE(field->nullable());
  EXPECT_EQ(field->type()->ToString(),
            "struct<kind: uint8 not null, position: uint64 not null, size: uint64 not null, "
            "blob_id: uint32 not null, blob_uri: string not null>");
  EXPECT_EQ(field->metadata()->ToString(),
            "\n-- metadata --\nlance-encoding:blob: true\nlance-encoding:packed: true");
}

}  // namespace
}  // namespace lance::format
