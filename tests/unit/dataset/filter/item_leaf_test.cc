#include "lance/dataset/filter/item_leaf.h"

#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "gtest/gtest.h"

namespace lance::filter {
namespace {

using Kind = BoundValue::Kind;
using TypePtr = std::shared_ptr<arrow::DataType>;

std::shared_ptr<arrow::Scalar> ScalarOf(const TypePtr& type, const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, "[" + json + "]")
      .ValueOrDie()
      ->GetScalar(0)
      .ValueOrDie();
}

/// Column 1 of three; the first is a system column, the last another list.
BoundValue ColumnOf(const TypePtr& type, int column = 1) {
  BoundValue value;
  value.kind = Kind::kColumn;
  value.type = type;
  value.column = column;
  return value;
}

BoundValue CastOf(BoundValue value, const TypePtr& type) {
  BoundValue cast;
  cast.kind = Kind::kCast;
  cast.type = type;
  cast.arguments.push_back(std::move(value));
  return cast;
}

BoundValue CallOf(const std::string& name, std::vector<BoundValue> arguments) {
  BoundValue call;
  call.kind = Kind::kCall;
  call.type = arrow::boolean();
  call.name = name;
  call.arguments = std::move(arguments);
  call.text = "the call";
  return call;
}

std::string Show(const BoundValue& call) {
  const std::vector<FilterColumn> columns = {{.name = "_rowid", .field_id = -1},
                                             {.name = "l", .field_id = 7},
                                             {.name = "m", .field_id = 8}};
  const auto leaf = ToItemLeaf(call, columns);
  if (!leaf) return "none";
  EXPECT_EQ(leaf->text, "the call");
  std::string text = leaf->kind == index::Predicate::Kind::kHasAny   ? "any"
                     : leaf->kind == index::Predicate::Kind::kHasAll ? "all"
                                                                     : "?";
  text += " of " + std::to_string(leaf->field_id);
  for (const auto& value : leaf->values)
    text += " " + value->type->ToString() + " " + value->ToString();
  return text;
}

/// A call with a column and a constant.
std::string Show(const std::string& name, const BoundValue& column, const TypePtr& type,
                 const std::string& json) {
  return Show(CallOf(name, {column, MakeConstant(ScalarOf(type, json))}));
}

const TypePtr kInts = arrow::list(arrow::int32());

TEST(ToItemLeaf, KnowsTheCallsByAllTheirNames) {
  for (const char* name : {"array_has", "array_contains", "list_has", "list_contains"}) {
    EXPECT_EQ(Show(name, ColumnOf(kInts), arrow::int32(), "5"), "any of 7 int32 5");
  }
  for (const char* name : {"array_has_any", "list_has_any", "arrays_overlap"}) {
    EXPECT_EQ(Show(name, ColumnOf(kInts), kInts, "[5, null, 6]"),
              "any of 7 int32 5 int32 null int32 6");
  }
  for (const char* name : {"array_has_all", "list_has_all"}) {
    EXPECT_EQ(Show(name, ColumnOf(kInts), kInts, "[5, 6]"), "all of 7 int32 5 int32 6");
  }
  EXPECT_EQ(Show("array_position", ColumnOf(kInts), arrow::int32(), "5"), "none");
}

TEST(ToItemLeaf, AsksNothingWithNullOrNoLiteral) {
  EXPECT_EQ(Show("array_has", ColumnOf(kInts), arrow::int32(), "null"), "none");
  EXPECT_EQ(Show("array_has_any", ColumnOf(kInts), kInts, "null"), "none");
  EXPECT_EQ(Show("array_has_all", ColumnOf(kInts), kInts, "[]"), "none");
}

TEST(ToItemLeaf, TakesPlainColumnsAndConstantsOnly) {
  const auto five = MakeConstant(ScalarOf(arrow::int32(), "5"));
  EXPECT_EQ(Show(CallOf("array_has", {ColumnOf(kInts, 0), five})), "none");
  EXPECT_EQ(Show(CallOf("array_has", {ColumnOf(kInts), ColumnOf(arrow::int32(), 2)})), "none");
  EXPECT_EQ(Show(CallOf("array_has", {five, ColumnOf(kInts)})), "none");
  EXPECT_EQ(Show(CallOf("array_has", {CallOf("array_sort", {ColumnOf(kInts)}), five})), "none");
  EXPECT_EQ(Show(CallOf("array_has_any", {ColumnOf(kInts), ColumnOf(kInts, 2)})), "none");
}

TEST(ToItemLeaf, LooksThroughCastsThatKeepItemsApart) {
  const auto wide = [](const TypePtr& items) { return arrow::list(items); };
  const auto longs = CastOf(ColumnOf(kInts), wide(arrow::int64()));
  EXPECT_EQ(Show("array_has", longs, arrow::int64(), "5"), "any of 7 int32 5");
  EXPECT_EQ(Show("array_has", longs, arrow::int64(), "5000000000"), "none");
  EXPECT_EQ(Show("array_has_all", longs, wide(arrow::int64()), "[5, null]"),
            "all of 7 int32 5 int32 null");
  EXPECT_EQ(Show("array_has_any", longs, wide(arrow::int64()), "[5, 5000000000]"), "none");
  const auto doubles = CastOf(ColumnOf(wide(arrow::float32())), wide(arrow::float64()));
  EXPECT_EQ(Show("array_has", doubles, arrow::float64(), "0.5"), "any of 7 float 0.5");
  EXPECT_EQ(Show("array_has", doubles, arrow::float64(), "0.1"), "none");
  const auto texts = CastOf(ColumnOf(arrow::large_list(arrow::large_utf8())), wide(arrow::utf8()));
  EXPECT_EQ(Show("array_has", texts, arrow::utf8(), "\"a\""), "any of 7 large_string a");
}

TEST(ToItemLeaf, LooksNotThroughCastsThatMakeItemsEqual) {
  const auto doubles = CastOf(ColumnOf(arrow::list(arrow::int64())), arrow::list(arrow::float64()));
  EXPECT_EQ(Show("array_has", doubles, arrow::float64(), "5"), "none");
  auto tried = CastOf(ColumnOf(kInts), arrow::list(arrow::int64()));
  tried.is_try = true;
  EXPECT_EQ(Show("array_has", tried, arrow::int64(), "5"), "none");
}

}  // namespace
}  // namespace lance::filter
