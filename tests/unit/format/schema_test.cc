#include "lance/format/schema.h"

#include "arrow/api.h"
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

struct LogicalTypeCase {
  std::string name;
  std::string text;
  std::shared_ptr<arrow::DataType> type;
};

class LogicalTypeTest : public ::testing::TestWithParam<LogicalTypeCase> {};

TEST_P(LogicalTypeTest, GoesBothWays) {
  const auto parsed = ParseLogicalType(GetParam().text);
  ASSERT_THAT(parsed, IsOk());
  EXPECT_TRUE((*parsed)->Equals(*GetParam().type)) << (*parsed)->ToString();

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
                      "decimal:128:x:0", "decimal:", "decimal:128:", "fixed_size_binary:0",
                      "fixed_size_binary:-1", "fixed_size_binary:3x", "fixed_size_binary:268435456",
                      "time32:us", "duration:", "date32"));

class LogicalTypeLaterTest : public ::testing::TestWithParam<const char*> {};

TEST_P(LogicalTypeLaterTest, IsNamedAsNotSupported) {
  EXPECT_THAT(ParseLogicalType(GetParam()), IsNotImplemented(HasSubstr(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(All, LogicalTypeLaterTest,
                         ::testing::Values("struct", "list", "list.struct", "large_list", "map",
                                           "json", "blob", "dict:string:int8:false",
                                           "fixed_size_list:float:128"));

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
  EXPECT_THAT(MakeLanceSchema(*arrow::schema({GetParam().field})),
              IsNotImplemented(
                  ::testing::AllOf(HasSubstr("column \"c\""), HasSubstr(GetParam().expected))));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTypeTest,
    ::testing::ValuesIn<BadTypeCase>({
        {"Null", arrow::field("c", arrow::null()), "null"},
        {"List", arrow::field("c", arrow::list(arrow::int32())), "list<item: int32>"},
        {"Struct", arrow::field("c", arrow::struct_({arrow::field("x", arrow::int32())})),
         "struct<x: int32>"},
        {"Dictionary", arrow::field("c", arrow::dictionary(arrow::int8(), arrow::utf8())),
         "dictionary"},
        {"View", arrow::field("c", arrow::utf8_view()), "string_view"},
        {"NoBytes", arrow::field("c", arrow::fixed_size_binary(0)), "fixed_size_binary[0]"},
        {"Blob",
         arrow::field("c", arrow::large_binary(), true,
                      arrow::key_value_metadata({"lance-encoding:blob"}, {"true"})),
         "blob"},
        {"Json",
         arrow::field("c", arrow::large_binary(), true,
                      arrow::key_value_metadata({"ARROW:extension:name"}, {"lance.json"})),
         "lance.json"},
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

TEST(ToArrowSchema, NamesANestedColumn) {
  EXPECT_THAT(ToArrowSchema(Nested()),
              IsNotImplemented(::testing::AllOf(HasSubstr("column \"a\""), HasSubstr("struct"))));
}

TEST(ToArrowSchema, RefusesAChildOfAPlainField) {
  LanceSchema schema = Nested();
  schema.fields[0].logical_type = "int8";

  EXPECT_THAT(ToArrowSchema(schema), IsSerializationError(HasSubstr("parent id is 4")));
}

}  // namespace
}  // namespace lance::format
