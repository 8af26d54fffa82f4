#include "lance/dataset/split_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/testing/matchers.h"

namespace lance {
namespace {

using ::testing::HasSubstr;

format::FieldNode NodeOf(const std::shared_ptr<arrow::DataType>& type) {
  const arrow::Schema schema({arrow::field("x", type)});
  return format::MakeFieldTree(format::MakeLanceSchema(schema).ValueOrDie()).ValueOrDie()[0];
}

std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                      const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::shared_ptr<arrow::DataType> StructOf(const std::vector<std::string>& names) {
  arrow::FieldVector fields;
  for (const std::string& name : names) fields.push_back(arrow::field(name, arrow::int32()));
  return arrow::struct_(fields);
}

void ExpectJoined(const std::shared_ptr<arrow::DataType>& type,
                  const std::vector<std::shared_ptr<arrow::Array>>& parts,
                  const std::string& expected) {
  const auto joined = JoinParts(NodeOf(type), parts, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_TRUE(joined->ValidateFull().ok());
  EXPECT_TRUE(joined->Equals(*ArrayOf(type, expected))) << joined->ToString();
}

TEST(SplitFieldsTest, KeepsTheLeavesAskedForAndWhatIsAboveThem) {
  const auto node = NodeOf(arrow::struct_({arrow::field("a", arrow::int32()),
                                           arrow::field("b", arrow::list(StructOf({"p", "q"}))),
                                           arrow::field("c", StructOf({"r"}))}));
  const auto kept =
      KeepLeaves(node, [](const format::FieldNode& leaf) { return leaf.name == "q"; });
  EXPECT_EQ(kept.type->ToString(), "struct<b: list<item: struct<q: int32>>>");
}

TEST(SplitFieldsTest, MembersComeTogetherInTheOrderOfTheSchema) {
  ExpectJoined(StructOf({"a", "b", "c"}),
               {ArrayOf(StructOf({"c", "a"}), R"([{"c": 3, "a": 1}, null])"),
                ArrayOf(StructOf({"b"}), R"([{"b": 2}, null])")},
               R"([{"a": 1, "b": 2, "c": 3}, null])");
}

TEST(SplitFieldsTest, AStructIsNullWhereEveryPartIsAndShowsNothingFromBelowANull) {
  ExpectJoined(StructOf({"a", "b"}),
               {ArrayOf(StructOf({"a"}), R"([null, {"a": 1}, null])"),
                ArrayOf(StructOf({"b"}), R"([{"b": 2}, null, null])")},
               R"([{"a": null, "b": 2}, {"a": 1, "b": null}, null])");
}

TEST(SplitFieldsTest, MembersThatNoPartHasAreNull) {
  ExpectJoined(StructOf({"a", "b"}), {ArrayOf(StructOf({"b"}), R"([{"b": 2}, null])")},
               R"([{"a": null, "b": 2}, null])");
}

TEST(SplitFieldsTest, ItemsOfListsComeTogether) {
  const auto whole = arrow::list(StructOf({"p", "q"}));
  // A slice: offsets that do not begin at 0.
  const auto left =
      ArrayOf(arrow::list(StructOf({"p"})), R"([[{"p": 9}], [{"p": 1}, {"p": 2}], [], null])")
          ->Slice(1);
  const auto right = ArrayOf(arrow::list(StructOf({"q"})), R"([[{"q": 3}, {"q": 4}], [], null])");
  ExpectJoined(whole, {left, right}, R"([[{"p": 1, "q": 3}, {"p": 2, "q": 4}], [], null])");
}

TEST(SplitFieldsTest, ListsOfDifferentLengthsAreCorrupt) {
  const auto node = NodeOf(arrow::list(StructOf({"p", "q"})));
  const auto joined = JoinParts(node,
                                {ArrayOf(arrow::list(StructOf({"p"})), R"([[{"p": 1}]])"),
                                 ArrayOf(arrow::list(StructOf({"q"})), R"([[]])")},
                                arrow::default_memory_pool());
  EXPECT_TRUE(joined.status().IsSerializationError());
  EXPECT_THAT(joined.status().message(), HasSubstr("list 0"));
}

}  // namespace
}  // namespace lance
