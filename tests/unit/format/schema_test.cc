#include "lance/format/schema.h"

#include "arrow/api.h"
#include "arrow/extension/bool8.h"
#include "arrow/extension/fixed_shape_tensor.h"
#include "arrow/extension/json.h"
#include "arrow/extension/uuid.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

std::shared_ptr<arrow::Field> Bfloat16Item() {
  return arrow::field("item", arrow::fixed_size_binary(2), /*nullable=*/true,
                      arrow::key_value_metadata({{"ARROW:extension:name", "lance.bfloat16"},
                                                 {"ARROW:extension:metadata", ""}}));
}

struct LogicalTypeCase {
  std::string name;
  std::string text;
  std::shared_ptr<arrow::DataType> type;
};

class LogicalTypeTest : public ::testing::TestWithParam<LogicalTypeCase> {};

TEST_P(LogicalTypeTest, GoesBothWays) {
  const auto parsed = ParseLogicalType(GetParam().text);
  ASSERT_THAT(parsed, IsOk());
  EXPECT_TRUE((*parsed)->Equals(*GetParam().type, /*check_metadata=*/true))
      << (*parsed)->ToString();

  const auto named = LogicalTypeOf(*GetParam().type);
  ASSERT_THAT(named, IsOk());
  EXPECT_EQ(*named, GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    All, LogicalTypeTest,
    ::testing::ValuesIn<LogicalTypeCase>({
        {"Null", "null", arrow::null()},
        {"Bool", "bool", arrow::boolean()},
        {"Int8", "int8", arrow::int8()},
        {"Uint64", "uint64", arrow::uint64()},
        {"Half", "halffloat", arrow::float16()},
        {"Float", "float", arrow::float32()},
        {"Double", "double", arrow::float64()},
        {"String", "string", arrow::utf8()},
        {"LargeString", "large_string", arrow::large_utf8()},
        {"Binary", "binary", arrow::binary()},
        {"LargeBinary", "large_binary", arrow::large_binary()},
        {"Date32", "date32:day", arrow::date32()},
        {"Date64", "date64:ms", arrow::date64()},
        {"Time32Seconds", "time32:s", arrow::time32(arrow::TimeUnit::SECOND)},
        {"Time64Nanos", "time64:ns", arrow::time64(arrow::TimeUnit::NANO)},
        {"Duration", "duration:us", arrow::duration(arrow::TimeUnit::MICRO)},
        {"TimestampNoZone", "timestamp:ms:-", arrow::timestamp(arrow::TimeUnit::MILLI)},
        {"TimestampSeconds", "timestamp:s:UTC", arrow::timestamp(arrow::TimeUnit::SECOND, "UTC")},
        {"TimestampColons", "timestamp:us:+05:30",
         arrow::timestamp(arrow::TimeUnit::MICRO, "+05:30")},
        {"Decimal128", "decimal:128:38:-2", arrow::decimal128(38, -2)},
        {"Decimal256", "decimal:256:60:7", arrow::decimal256(60, 7)},
        {"FixedSizeBinary", "fixed_size_binary:17", arrow::fixed_size_binary(17)},
        {"Vector", "fixed_size_list:float:128", arrow::fixed_size_list(arrow::float32(), 128)},
        {"VectorOfZoned", "fixed_size_list:timestamp:us:+05:30:2",
         arrow::fixed_size_list(arrow::timestamp(arrow::TimeUnit::MICRO, "+05:30"), 2)},
        {"Matrix", "fixed_size_list:fixed_size_list:int32:3:2",
         arrow::fixed_size_list(arrow::fixed_size_list(arrow::int32(), 3), 2)},
        {"Bfloats", "fixed_size_list:lance.bfloat16:4", arrow::fixed_size_list(Bfloat16Item(), 4)},
        {"Dictionary", "dict:string:int16:false", arrow::dictionary(arrow::int16(), arrow::utf8())},
        {"DictionaryOfNumbers", "dict:int64:uint8:false",
         arrow::dictionary(arrow::uint8(), arrow::int64())},
    }),
    [](const auto& test) { return test.param.name; });

class LogicalTypeRefusedTest : public ::testing::TestWithParam<const char*> {};

TEST_P(LogicalTypeRefusedTest, IsNonsense) {
  EXPECT_THAT(ParseLogicalType(GetParam()), IsSerializationError(HasSubstr(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(
    All, LogicalTypeRefusedTest,
    ::testing::Values("", "int128", "Int8", "timestamp:us", "timestamp:us:", "timestamp:m:-",
                      "timestamp::-", "decimal:128:39:0", "decimal:64:3:0", "decimal:128:3",
                      "decimal:128:x:0", "decimal:", "decimal:128:", "fixed_size_binary:-1",
                      "fixed_size_binary:3x", "fixed_size_binary:268435456", "time32:us",
                      "duration:", "date32", "dict:", "dict:string", "dict:string:int8",
                      "dict:string:int8:maybe", "dict:string:float:false",
                      "dict:dict:string:int8:false:int8:false", "dict::int8:false",
                      "fixed_size_list:", "fixed_size_list:int32", "fixed_size_list:int32:0",
                      "fixed_size_list:int32:-1", "fixed_size_list:int32:2147483648",
                      "fixed_size_list::3", "fixed_size_list:int33:3", "list.", "Struct"));

TEST(ParseLogicalType, SaysThatBinaryWithoutBytesIsUnsupported) {
  EXPECT_THAT(ParseLogicalType("fixed_size_binary:0"),
              IsNotImplemented(HasSubstr("fixed_size_binary[0] is not supported")));
}

TEST(ParseLogicalType, RefusesListsNestedWithoutEnd) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "fixed_size_list:";
    text += "int8";
    for (int i = 0; i < depth; ++i) text += ":1";
    return ParseLogicalType(text);
  };
  EXPECT_THAT(nested(32), IsOk());
  EXPECT_THAT(nested(33), IsSerializationError(HasSubstr("nested too deep")));
  EXPECT_THAT(nested(100000), IsSerializationError(HasSubstr("nested too deep")));
}

TEST(ParseLogicalType, TakesWhatFilesHoldInAnotherForm) {
  for (const char* text : {"json", "blob"}) {
    EXPECT_EQ(ParseLogicalType(text).ValueOrDie()->id(), arrow::Type::LARGE_BINARY) << text;
  }
  EXPECT_EQ(LogicalTypeOf(*arrow::utf8_view()).ValueOrDie(), "string");
  EXPECT_EQ(LogicalTypeOf(*arrow::binary_view()).ValueOrDie(), "binary");
  const auto ordered = arrow::dictionary(arrow::int8(), arrow::utf8(), /*ordered=*/true);
  EXPECT_EQ(LogicalTypeOf(*ordered).ValueOrDie(), "dict:string:int8:false");
}

class NestedLogicalTypeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(NestedLogicalTypeTest, HasNoArrowTypeOfItsOwn) {
  EXPECT_THAT(ParseLogicalType(GetParam()), IsNotImplemented(HasSubstr("has child fields")));
}

INSTANTIATE_TEST_SUITE_P(All, NestedLogicalTypeTest,
                         ::testing::Values("struct", "list", "list.struct", "large_list",
                                           "large_list.struct", "map", "fixed_size_list:struct:2"));

TEST(MakeLanceSchema, NumbersFieldsAndKeepsMetadata) {
  const auto arrow_schema = arrow::schema({arrow::field("a", arrow::int32(), /*nullable=*/false,
                                                        arrow::key_value_metadata({"k"}, {"v"})),
                                           arrow::field("b", arrow::utf8())},
                                          arrow::key_value_metadata({"table"}, {"yes"}));

  const auto made = MakeLanceSchema(*arrow_schema, 7);

  ASSERT_THAT(made, IsOk());
  const LanceSchema expected{.fields = {{.name = "a",
                                         .id = 7,
                                         .logical_type = "int32",
                                         .nullable = false,
                                         .metadata = {{"k", "v"}},
                                         .unknown_fields = ""},
                                        {.name = "b",
                                         .id = 8,
                                         .logical_type = "string",
                                         .nullable = true,
                                         .metadata = {},
                                         .unknown_fields = ""}},
                             .metadata = {{"table", "yes"}}};
  EXPECT_EQ(*made, expected);
  EXPECT_EQ(made->max_field_id(), 8);
  const auto back = ToArrowSchema(*made);
  ASSERT_THAT(back, IsOk());
  EXPECT_TRUE((*back)->Equals(*arrow_schema, /*check_metadata=*/true));
}

struct BadNameCase {
  std::string name;
  std::vector<std::string> columns;
  std::string expected;
};

class BadNameTest : public ::testing::TestWithParam<BadNameCase> {};

TEST_P(BadNameTest, IsRefused) {
  arrow::FieldVector fields;
  for (const auto& column : GetParam().columns) {
    fields.push_back(arrow::field(column, arrow::int32()));
  }
  EXPECT_THAT(MakeLanceSchema(*arrow::schema(fields)), IsInvalid(HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(All, BadNameTest,
                         ::testing::ValuesIn<BadNameCase>({
                             {"Empty", {""}, "is empty"},
                             {"Dot", {"a.b"}, "\"a.b\" has a '.'"},
                             {"Reserved", {"_rowid"}, "\"_rowid\" is reserved"},
                             {"Repeated", {"a", "b", "a"}, "\"a\" occurs more than once"},
                             {"NotUtf8", {"\xFF"}, "not UTF-8"},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(MakeLanceSchema, TellsNamesApartByCase) {
  EXPECT_THAT(MakeLanceSchema(*arrow::schema(
                  {arrow::field("a", arrow::int32()), arrow::field("A", arrow::int32())})),
              IsOk());
}

struct BadTypeCase {
  std::string name;
  std::shared_ptr<arrow::Field> field;
  std::string expected;
};

class BadTypeTest : public ::testing::TestWithParam<BadTypeCase> {};

TEST_P(BadTypeTest, IsNotImplementedNamingTheColumn) {
  const auto made = MakeLanceSchema(*arrow::schema({GetParam().field}));
  EXPECT_THAT(
      made, IsNotImplemented(::testing::AllOf(HasSubstr("\"c\""), HasSubstr(GetParam().expected))));
  EXPECT_NE(UnsupportedFeature::From(made.status()), nullptr);
}

std::shared_ptr<arrow::Field> C(const std::shared_ptr<arrow::DataType>& type) {
  return arrow::field("c", type);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTypeTest,
    ::testing::ValuesIn<BadTypeCase>({
        {"NoBytes", C(arrow::fixed_size_binary(0)), "fixed_size_binary[0]"},
        {"Months", C(arrow::month_interval()), "month_interval"},
        {"Interval", C(arrow::month_day_nano_interval()), "month_day_nano_interval"},
        {"Decimal32", C(arrow::decimal32(5, 1)), "decimal32(5, 1)"},
        {"Decimal64", C(arrow::decimal64(5, 1)), "decimal64(5, 1)"},
        {"ListView", C(arrow::list_view(arrow::int8())), "list_view<item: int8>"},
        {"LargeListView", C(arrow::large_list_view(arrow::int8())), "large_list_view"},
        {"Union", C(arrow::dense_union({arrow::field("x", arrow::int8())})), "dense_union"},
        {"RunEnds", C(arrow::run_end_encoded(arrow::int32(), arrow::int8())), "run_end_encoded"},
        {"SortedMap", C(arrow::map(arrow::utf8(), arrow::int8(), /*keys_sorted=*/true)),
         "keys are sorted"},
        {"EmptyVector", C(arrow::fixed_size_list(arrow::int8(), 0)), "fixed_size_list"},
        {"VectorOfLists", C(arrow::fixed_size_list(arrow::list(arrow::int8()), 2)),
         "fixed_size_list<item: list<item: int8>>[2]"},
        {"MatrixOfStructs",
         C(arrow::fixed_size_list(
             arrow::fixed_size_list(arrow::struct_({arrow::field("x", arrow::int8())}), 2), 2)),
         "struct<x: int8>"},
        {"DictionaryOfLists", C(arrow::dictionary(arrow::int8(), arrow::list(arrow::int8()))),
         "dictionary"},
        {"DictionaryWithColon", C(arrow::dictionary(arrow::int8(), arrow::date32())), "dictionary"},
        {"DeepInside",
         arrow::field("a", arrow::struct_({arrow::field("c", arrow::month_interval())})),
         "column \"a\": field \"c\": Arrow type month_interval"},
        {"ArrowJson",
         arrow::field("c", arrow::utf8(), true,
                      arrow::key_value_metadata({"ARROW:extension:name"}, {"arrow.json"})),
         "arrow.json"},
        {"RegisteredArrowJson", C(arrow::extension::json()), "arrow.json"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(MakeLanceSchema, RefusesMetadataThatAreNotText) {
  const auto bad = arrow::key_value_metadata({"k"}, {"\xFF"});
  EXPECT_THAT(MakeLanceSchema(*arrow::schema({arrow::field("a", arrow::int8(), true, bad)})),
              IsInvalid(HasSubstr("column \"a\"")));
  EXPECT_THAT(MakeLanceSchema(*arrow::schema({arrow::field("a", arrow::int8())}, bad)),
              IsInvalid(HasSubstr("not UTF-8")));
}

TEST(MakeLanceSchema, RefusesIdsThatDoNotFit) {
  const auto schema = arrow::schema({arrow::field("a", arrow::int32())});
  EXPECT_THAT(MakeLanceSchema(*schema, -1), IsInvalid(HasSubstr("-1")));
  EXPECT_THAT(MakeLanceSchema(*schema, 2147483647), IsInvalid(HasSubstr("2147483647")));
}

LanceSchema Nested() {
  return {.fields = {{.name = "a",
                      .id = 4,
                      .parent_id = -1,
                      .logical_type = "struct",
                      .nullable = true,
                      .metadata = {},
                      .unknown_fields = ""},
                     {.name = "x",
                      .id = 9,
                      .parent_id = 4,
                      .logical_type = "int32",
                      .nullable = true,
                      .metadata = {},
                      .unknown_fields = ""},
                     {.name = "x",
                      .id = 2,
                      .parent_id = -1,
                      .logical_type = "int64",
                      .nullable = true,
                      .metadata = {},
                      .unknown_fields = ""}},
          .metadata = {}};
}

TEST(LanceSchema, FindsTopLevelFieldsOnlyByName) {
  const LanceSchema schema = Nested();

  EXPECT_EQ(schema.FindTopLevel("x")->id, 2);
  EXPECT_EQ(schema.FindTopLevel("y"), nullptr);
  EXPECT_EQ(schema.FindById(9)->logical_type, "int32");
  EXPECT_EQ(schema.FindById(3), nullptr);
  EXPECT_EQ(schema.max_field_id(), 9);
  EXPECT_EQ(LanceSchema().max_field_id(), -1);
}

TEST(ToArrowSchema, RefusesAChildOfAPlainField) {
  LanceSchema schema = Nested();
  schema.fields[0].logical_type = "int8";

  EXPECT_THAT(ToArrowSchema(schema), IsSerializationError(::testing::AllOf(
                                         HasSubstr("column \"a\""), HasSubstr("\"x\""))));
}

/// A field's place and type, as text: name id parent type, ! when it is not nullable.
std::vector<std::string> Lines(const LanceSchema& schema) {
  std::vector<std::string> lines;
  for (const SchemaField& field : schema.fields) {
    lines.push_back(field.name + " " + std::to_string(field.id) + " " +
                    std::to_string(field.parent_id) + " " + field.logical_type +
                    (field.nullable ? "" : "!"));
  }
  return lines;
}

struct NestedCase {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::vector<std::string> lines;
};

class NestedSchemaTest : public ::testing::TestWithParam<NestedCase> {};

TEST_P(NestedSchemaTest, GoesBothWays) {
  const auto arrow_schema =
      arrow::schema({arrow::field("a", arrow::int8()), arrow::field("c", GetParam().type),
                     arrow::field("z", arrow::int8())});

  const auto made = MakeLanceSchema(*arrow_schema, 5);
  ASSERT_THAT(made, IsOk());
  const auto back = ToArrowSchema(*made);

  std::vector<std::string> lines = {"a 5 -1 int8"};
  lines.insert(lines.end(), GetParam().lines.begin(), GetParam().lines.end());
  lines.push_back("z " + std::to_string(5 + lines.size()) + " -1 int8");
  EXPECT_EQ(Lines(*made), lines);
  ASSERT_THAT(back, IsOk());
  EXPECT_TRUE((*back)->Equals(*arrow_schema, /*check_metadata=*/true)) << (*back)->ToString();
}

std::shared_ptr<arrow::DataType> Pair() {
  return arrow::struct_({arrow::field("x", arrow::int32(), /*nullable=*/false),
                         arrow::field("y", arrow::struct_({arrow::field("w", arrow::utf8())}))});
}

INSTANTIATE_TEST_SUITE_P(
    All, NestedSchemaTest,
    ::testing::ValuesIn<NestedCase>({
        {"Struct", Pair(), {"c 6 -1 struct", "x 7 6 int32!", "y 8 6 struct", "w 9 8 string"}},
        {"EmptyStruct", arrow::struct_({}), {"c 6 -1 struct"}},
        {"List",
         arrow::list(arrow::field("el", arrow::int32(), /*nullable=*/false)),
         {"c 6 -1 list", "el 7 6 int32!"}},
        {"ListOfStruct",
         arrow::list(Pair()),
         {"c 6 -1 list.struct", "item 7 6 struct", "x 8 7 int32!", "y 9 7 struct",
          "w 10 9 string"}},
        {"LargeLists",
         arrow::large_list(arrow::large_list(arrow::struct_({arrow::field("x", arrow::int8())}))),
         {"c 6 -1 large_list", "item 7 6 large_list.struct", "item 8 7 struct", "x 9 8 int8"}},
        {"ListOfVector",
         arrow::list(arrow::fixed_size_list(arrow::float32(), 3)),
         {"c 6 -1 list", "item 7 6 fixed_size_list:float:3"}},
        {"Map",
         arrow::map(arrow::utf8(), arrow::list(arrow::int32())),
         {"c 6 -1 map", "entries 7 6 struct!", "key 8 7 string!", "value 9 7 list",
          "item 10 9 int32"}},
        {"FixedSizeListOfStruct",
         arrow::fixed_size_list(
             arrow::field("e", arrow::struct_({arrow::field("x", arrow::int8())}),
                          /*nullable=*/false, arrow::key_value_metadata({"k"}, {"v"})),
             4),
         {"c 6 -1 fixed_size_list:struct:4", "e 7 6 struct!", "x 8 7 int8"}},
    }),
    [](const auto& test) { return test.param.name; });

TEST(MakeLanceSchema, KeepsTheNamesOfMapFields) {
  const auto entries = arrow::struct_(
      {arrow::field("kk", arrow::utf8(), /*nullable=*/false),
       arrow::field("vv", arrow::int32(), true, arrow::key_value_metadata({"k"}, {"v"}))});
  const auto map = arrow::MapType::Make(arrow::field("ee", entries, /*nullable=*/false));

  const auto made = MakeLanceSchema(*arrow::schema({arrow::field("m", map.ValueOrDie())}));

  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(Lines(*made), (std::vector<std::string>{"m 0 -1 map", "ee 1 0 struct!",
                                                    "kk 2 1 string!", "vv 3 1 int32"}));
  const auto back = ToArrowSchema(*made);
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ((*back)->field(0)->type()->field(0)->name(), "ee");
  EXPECT_EQ((*back)->field(0)->type()->field(0)->type()->field(1)->name(), "vv");
}

TEST(MakeLanceSchema, TakesExtensionsApart) {
  const auto schema = arrow::schema(
      {arrow::field("u", arrow::extension::uuid(), true, arrow::key_value_metadata({"k"}, {"v"})),
       arrow::field("l", arrow::list(arrow::field("item", arrow::extension::bool8()))),
       arrow::field("t", arrow::extension::fixed_shape_tensor(arrow::float32(), {2, 3}))});

  const auto made = MakeLanceSchema(*schema);

  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(Lines(*made),
            (std::vector<std::string>{"u 0 -1 fixed_size_binary:16", "l 1 -1 list", "item 2 1 int8",
                                      "t 3 -1 fixed_size_list:float:6"}));
  using Metadata = std::map<std::string, std::string>;
  EXPECT_EQ(made->fields[0].metadata, (Metadata{{"ARROW:extension:metadata", ""},
                                                {"ARROW:extension:name", "arrow.uuid"},
                                                {"k", "v"}}));
  EXPECT_EQ(made->fields[2].metadata.at("ARROW:extension:name"), "arrow.bool8");
  EXPECT_EQ(made->fields[3].metadata.at("ARROW:extension:metadata"), R"({"shape":[2,3]})");
}

TEST(MakeLanceSchema, KeepsBinaryJsonByItsName) {
  const auto json = arrow::schema(
      {arrow::field("j", arrow::large_binary(), true,
                    arrow::key_value_metadata({"ARROW:extension:name"}, {"lance.json"}))});

  const auto made = MakeLanceSchema(*json);

  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(Lines(*made), std::vector<std::string>{"j 0 -1 json"});
  EXPECT_TRUE(ToArrowSchema(*made).ValueOrDie()->Equals(*json, /*check_metadata=*/true));
}

std::shared_ptr<arrow::Schema> DeclaredBlob() {
  const auto storage = arrow::struct_(
      {arrow::field("data", arrow::large_binary()), arrow::field("uri", arrow::utf8())});
  return arrow::schema(
      {arrow::field("b", storage, true,
                    arrow::key_value_metadata({"ARROW:extension:name"}, {"lance.blob.v2"})),
       arrow::field("z", arrow::int8())});
}

TEST(MakeLanceSchema, GivesTheChildrenOfABlobIdsAsWell) {
  const auto made = MakeLanceSchema(*DeclaredBlob());

  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(Lines(*made), (std::vector<std::string>{"b 0 -1 struct", "data 1 0 large_binary",
                                                    "uri 2 0 string", "z 3 -1 int8"}));
  EXPECT_TRUE(ToArrowSchema(*made).ValueOrDie()->Equals(*DeclaredBlob(), /*check_metadata=*/true));
}

TEST(MakeLanceSchema, LetsChildrenHaveAnyNameOnce) {
  const auto with = [](const std::vector<std::string>& names) {
    arrow::FieldVector members;
    for (const auto& name : names) members.push_back(arrow::field(name, arrow::int8()));
    return MakeLanceSchema(*arrow::schema({arrow::field("s", arrow::struct_(members))}));
  };
  EXPECT_THAT(with({"", "a.b", "_rowid", "s", "a", "A"}), IsOk());
  EXPECT_THAT(with({"a", "b", "a"}),
              IsInvalid(HasSubstr("column \"s\": field \"a\" occurs more than once")));
  EXPECT_THAT(with({"\xFF"}), IsInvalid(HasSubstr("not UTF-8")));
}

TEST(MakeLanceSchema, RefusesTypesNestedTooDeep) {
  auto type = arrow::int8();
  for (int i = 0; i < 100; ++i) type = arrow::list(type);
  EXPECT_THAT(MakeLanceSchema(*arrow::schema({arrow::field("a", type)})), IsOk());
  type = arrow::list(type);
  EXPECT_THAT(MakeLanceSchema(*arrow::schema({arrow::field("a", type)})),
              IsInvalid(HasSubstr("deeper than 100")));
}

}  // namespace
}  // namespace lance::format
