#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_columns.h"
#include "lance/testing/matchers.h"

namespace lance::format::v20 {
namespace {

using lance::testing::IsCapacityError;
using lance::testing::IsNotImplemented;
using lance::testing::IsSerializationError;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A page that does not hold what its type wants.
struct CorruptCase {
  const char* name;
  TypePtr type;
  HandMadePage page;
  const char* message;
};

class CorruptPage : public ::testing::TestWithParam<CorruptCase> {};

TEST_P(CorruptPage, IsRefused) {
  const HandMadeField made{.field = arrow::field("c", GetParam().type),
                           .num_rows = GetParam().page.num_values,
                           .columns = {{GetParam().page}}};

  EXPECT_THAT(ReadAll(made), IsSerializationError(AllOf(HasSubstr("column 0: page 0: "),
                                                        HasSubstr(GetParam().message))));
}

std::string DictionaryText(uint64_t num_items) {
  return "dictionary { indices { " + NoNulls(Flat(8, 0)) + " } items { " + Binary(3, 1) +
         " } num_dictionary_items: " + std::to_string(num_items) + " }";
}

std::string Compressed(const char* scheme) {
  return "binary { indices { " + NoNulls(Flat(64, 0)) +
         " } bytes { flat { bits_per_value: 8 buffer { buffer_index: 1 } compression { scheme: '" +
         scheme + "' } } } null_adjustment: 5 }";
}

INSTANTIATE_TEST_SUITE_P(
    Pages, CorruptPage,
    ::testing::Values(
        CorruptCase{"OtherWidth",
                    arrow::int64(),
                    {NoNulls(Flat(32, 0)), {I32({1, 2})}, 1},
                    "values of 32 bits, the column needs 64"},
        CorruptCase{"ShortValues",
                    arrow::int32(),
                    {NoNulls(Flat(32, 0)), {"1234567"}, 2},
                    "has 7 bytes, 2 values need 8"},
        CorruptCase{"ShortValidity",
                    arrow::int8(),
                    {SomeNulls(0, Flat(8, 1)), {"1", "123456789"}, 9},
                    "has 1 bytes, 9 values need 2"},
        CorruptCase{"ManyValues",
                    arrow::int64(),
                    {NoNulls(Flat(64, 0)), {"12345678"}, uint64_t{1} << 60},
                    "values of a page"},
        CorruptCase{"TextForNumbers",
                    arrow::int32(),
                    {Binary(1), {U64({0}), ""}, 1},
                    "encoding is Binary, the column's type is int32"},
        CorruptCase{"NumbersForText",
                    arrow::utf8(),
                    {NoNulls(Flat(8, 0)), {"a"}, 1},
                    "encoding is Nullable, the column's type is string"},
        CorruptCase{"NumbersForNull",
                    arrow::null(),
                    {NoNulls(Flat(8, 0)), {"a"}, 1},
                    "encoding is Nullable, the column's type is null"},
        CorruptCase{"ListForNumbers",
                    arrow::int32(),
                    {List(1, 0), {U64({0})}, 1},
                    "encoding is List, the column's type is int32"},
        CorruptCase{"StructForNumbers",
                    arrow::int32(),
                    {"struct {}", {}, 1},
                    "encoding is SimpleStruct, the column's type is int32"},
        CorruptCase{"ValuesForLists",
                    arrow::fixed_size_list(arrow::int8(), 2),
                    {NoNulls(Flat(8, 0)), {"ab"}, 1},
                    "the column's type is fixed_size_list"},
        CorruptCase{
            "OtherDimension",
            arrow::fixed_size_list(arrow::int8(), 2),
            {NoNulls("fixed_size_list { dimension: 3 items { " + Flat(8, 0) + " } }"), {"abc"}, 1},
            "FixedSizeList.dimension is 3"},
        CorruptCase{
            "ListsForValues",
            arrow::int8(),
            {NoNulls("fixed_size_list { dimension: 1 items { " + Flat(8, 0) + " } }"), {"a"}, 1},
            "the column's type is int8"},
        CorruptCase{
            "ShortItems",
            arrow::fixed_size_list(arrow::int8(), 2),
            {NoNulls("fixed_size_list { dimension: 2 items { " + Flat(8, 0) + " } }"), {"abc"}, 2},
            "has 3 bytes, 4 values need 4"},
        CorruptCase{"EndBehindTheBytes",
                    arrow::utf8(),
                    {Binary(4), {U64({1, 3}), "ab"}, 2},
                    "row 1 of the page ends at 3"},
        CorruptCase{"FallingEnds",
                    arrow::utf8(),
                    {Binary(4), {U64({2, 1}), "abc"}, 2},
                    "row 1 of the page ends at 1"},
        CorruptCase{"FallingEndOfNull",
                    arrow::utf8(),
                    {Binary(4), {U64({2, 5}), "abc"}, 2},
                    "row 1 of the page ends at 1"},
        CorruptCase{"LargeEnd",
                    arrow::utf8(),
                    {Binary(4), {U64({~uint64_t{0}}), "abc"}, 1},
                    "row 0 of the page ends at"},
        CorruptCase{"LargeEndWithoutNulls",
                    arrow::utf8(),
                    {Binary(0), {U64({~uint64_t{0}}), "abc"}, 1},
                    "row 0 of the page ends at 18446744073709551615"},
        CorruptCase{"ShortEnds",
                    arrow::utf8(),
                    {Binary(4), {U64({1}), "abc"}, 2},
                    "has 8 bytes, 2 values need 16"},
        CorruptCase{"NoUtf8", arrow::utf8(), {Binary(4), {U64({1}), "\xff"}, 1}, "UTF-8"},
        CorruptCase{
            "CutCharacter", arrow::utf8(), {Binary(4), {U64({1, 2}), "\xc3\xa4"}, 2}, "UTF-8"},
        CorruptCase{"NoLz4",
                    arrow::utf8(),
                    {Compressed("lz4"), {U64({1}), std::string("\4\0\0\0\xff", 5)}, 1},
                    "lz4"},
        CorruptCase{"NoZstd",
                    arrow::utf8(),
                    {Compressed("zstd"), {U64({1}), std::string("\4\0\0\0\0\0\0\0abcd", 12)}, 1},
                    "zstd"},
        CorruptCase{"ShortExpanded",
                    arrow::utf8(),
                    {Compressed("lz4"),
                     {U64({3}), std::string("\2\0\0\0\x20"
                                            "ab",
                                            7)},
                     1},
                    "has 2 bytes, 3 values need 3"},
        CorruptCase{"ShortSymbolTable",
                    arrow::utf8(),
                    {"fsst { binary { " + Binary(1) + " } symbol_table: 'x' }", {U64({0}), ""}, 1},
                    "symbol_table has 1 bytes"},
        CorruptCase{"IndexOfNoItem",
                    arrow::utf8(),
                    {DictionaryText(2), {"\3", U64({1, 2}), "ab"}, 1},
                    "dictionary index is 3, the page has 2 items"},
        CorruptCase{"IndexOfNoItemOfArrow",
                    arrow::dictionary(arrow::int8(), arrow::utf8()),
                    {DictionaryText(2), {"\2", U64({1, 2}), "ab"}, 1},
                    "dictionary index is 2, the page has 2 items"},
        CorruptCase{"NegativeIndex",
                    arrow::dictionary(arrow::int8(), arrow::utf8()),
                    {DictionaryText(2), {"\xff", U64({1, 2}), "ab"}, 1},
                    "dictionary index is 255"},
        CorruptCase{"ShortItemsOfDictionary",
                    arrow::utf8(),
                    {DictionaryText(200), {"\1", U64({1, 2}), "ab"}, 1},
                    "Dictionary.items: buffer 1 has 16 bytes"},
        CorruptCase{"ManyItems",
                    arrow::utf8(),
                    {DictionaryText(uint64_t{1} << 31), {"\1", U64({1, 2}), "ab"}, 1},
                    "Dictionary.num_dictionary_items is 2147483648"},
        CorruptCase{"WideIndices",
                    arrow::dictionary(arrow::int16(), arrow::utf8()),
                    {DictionaryText(2), {"\1", U64({1, 2}), "ab"}, 1},
                    "values of 8 bits, the column needs 16"},
        CorruptCase{"PlainForDictionary",
                    arrow::dictionary(arrow::int8(), arrow::utf8()),
                    {Binary(4), {U64({1}), "abc"}, 1},
                    "encoding is Binary, the column's type is dictionary"},
        CorruptCase{"ConstantOfOtherWidth",
                    arrow::int16(),
                    {NoNulls("constant { value: 'a' }"), {}, 1},
                    "Constant.value has 1 bytes, the column needs 2"},
        CorruptCase{"FixedSizeBinaryOfNothing",
                    arrow::utf8(),
                    {"fixed_size_binary { bytes { " + Flat(8, 0) + " } }", {""}, 1},
                    "FixedSizeBinary.byte_width is 0"},
        CorruptCase{
            "ShortFixedSizeBinary",
            arrow::utf8(),
            {"fixed_size_binary { bytes { " + Flat(8, 0) + " } byte_width: 2 }", {"abc"}, 2},
            "has 3 bytes, 2 values need 4"},
        CorruptCase{"ShortBitStream",
                    arrow::int32(),
                    {NoNulls("bitpacked { compressed_bits_per_value: 5 "
                             "uncompressed_bits_per_value: 32 buffer {} }"),
                     {"a"},
                     2},
                    "has 1 bytes, 2 values need 2"},
        CorruptCase{"ShortGroup",
                    arrow::int32(),
                    {NoNulls("bitpacked_for_non_neg { compressed_bits_per_value: 1 "
                             "uncompressed_bits_per_value: 32 buffer {} }"),
                     {std::string(127, 'a')},
                     1},
                    "has 127 bytes, 1 values need 128"}),
    [](const auto& test) { return test.param.name; });

TEST(CorruptEnds, FallingBetweenAskedRowsAreRefused) {
  // The gap hides that row 3 begins before row 0 ends.
  const HandMadeField made{.field = arrow::field("c", arrow::binary()),
                           .num_rows = 4,
                           .columns = {{{Binary(0), {U64({5, 5, 1, 2}), "abcdef"}, 4}}}};
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, OpenedField::Make(made));

  EXPECT_THAT(opened.Read(RowRanges::Make({{0, 1}, {3, 4}})),
              IsSerializationError(HasSubstr("row 2 of the page ends at 1")));
}

TEST(ForgedCounts, DoNotCostMemory) {
  // 2^40 null items behind one row.
  const std::string nulls = "nullable { all_nulls {} }";
  const uint64_t many = uint64_t{1} << 40;
  const HandMadeField list{
      .field = arrow::field("c", arrow::large_list(arrow::int64())),
      .num_rows = 1,
      .columns = {{{List(many + 1, many), {U64({many})}, 1}}, {{nulls, {}, many}}}};
  const HandMadeField vectors{
      .field = arrow::field("c", arrow::fixed_size_list(arrow::int64(), 2147483647)),
      .num_rows = 1,
      .columns = {
          {{NoNulls("fixed_size_list { dimension: 2147483647 items { " + nulls + " } }"), {}, 1}}}};
  const HandMadeField constants{
      .field = arrow::field("c", arrow::fixed_size_list(arrow::int8(), 2147483647)),
      .num_rows = 1,
      .columns = {{{NoNulls("fixed_size_list { dimension: 2147483647 items { " +
                            NoNulls("constant { value: 'a' }") + " } }"),
                    {},
                    1}}}};

  EXPECT_THAT(ReadAll(list), IsCapacityError(HasSubstr("read fewer rows at once")));
  EXPECT_THAT(ReadAll(vectors), IsCapacityError(HasSubstr("read fewer rows at once")));
  EXPECT_THAT(ReadAll(constants), IsCapacityError(HasSubstr("read fewer rows at once")));
}

/// Columns that do not fit the schema.
struct ColumnsCase {
  const char* name;
  FieldPtr field;
  std::vector<std::vector<HandMadePage>> columns;
  const char* message;
};

class CorruptColumns : public ::testing::TestWithParam<ColumnsCase> {};

TEST_P(CorruptColumns, AreRefused) {
  const HandMadeField made{.field = GetParam().field, .num_rows = 2, .columns = GetParam().columns};

  EXPECT_THAT(ReadAll(made), IsSerializationError(HasSubstr(GetParam().message)));
}

const FieldPtr kList = arrow::field("c", arrow::list(arrow::int8()));
const FieldPtr kStruct = arrow::field("c", arrow::struct_({arrow::field("a", arrow::int8())}));
const HandMadePage kTwoBytes{NoNulls(Flat(8, 0)), {"ab"}, 2};

INSTANTIATE_TEST_SUITE_P(
    Columns, CorruptColumns,
    ::testing::Values(
        ColumnsCase{"TooFewRows",
                    arrow::field("c", arrow::int8()),
                    {{{NoNulls(Flat(8, 0)), {"a"}, 1}}},
                    "column 0: its pages have 1 values, the column has 2"},
        ColumnsCase{"RowsThatWrap",
                    arrow::field("c", arrow::int8()),
                    {{kTwoBytes, {NoNulls(Flat(8, 0)), {"a"}, ~uint64_t{0}}}},
                    "Page.length"},
        ColumnsCase{"NoColumn",
                    arrow::field("c", arrow::int8()),
                    {},
                    "the field's column is 0, the file has 0 columns"},
        ColumnsCase{"NoItemColumn",
                    kList,
                    {{{List(1, 0), {U64({0, 0})}, 2}}},
                    "the field's column is 1, the file has 1 columns"},
        ColumnsCase{"TooFewItems",
                    kList,
                    {{{List(4, 3), {U64({1, 3})}, 2}}, {kTwoBytes}},
                    "column 1: its pages have 2 values, the column has 3"},
        ColumnsCase{"TooManyItems",
                    kList,
                    {{{List(2, 1), {U64({1, 1})}, 2}}, {kTwoBytes}},
                    "column 1: its pages have 2 values, the column has 1"},
        ColumnsCase{"ItemsOfNoList",
                    kList,
                    {{{List(3, 2), {U64({1, 1})}, 2}}, {kTwoBytes}},
                    "column 0: page 0: List.num_items is 2, the lists of the page have 1"},
        ColumnsCase{"ListBehindItsItems",
                    kList,
                    {{{List(0, 2), {U64({1, 3})}, 2}}, {kTwoBytes}},
                    "column 0: page 0: row 1 of the page ends at 3"},
        ColumnsCase{"FallingLists",
                    kList,
                    {{{List(3, 2), {U64({2, 1})}, 2}}, {kTwoBytes}},
                    "column 0: page 0: row 1 of the page ends at 1"},
        ColumnsCase{
            "ItemCountsThatWrap",
            kList,
            {{{List(3, ~uint64_t{0}), {U64({2})}, 1}, {List(3, 2), {U64({2})}, 1}}, {kTwoBytes}},
            "List.num_items"},
        ColumnsCase{"NumbersForLists",
                    kList,
                    {{kTwoBytes}, {kTwoBytes}},
                    "encoding is Nullable, the column's type is list"},
        ColumnsCase{"TooFewStructs",
                    kStruct,
                    {{{"struct {}", {}, 1}}, {kTwoBytes}},
                    "column 0: its pages have 1 values, the column has 2"},
        ColumnsCase{"TooFewMembers",
                    kStruct,
                    {{{"struct {}", {}, 2}}, {{NoNulls(Flat(8, 0)), {"a"}, 1}}},
                    "column 1: its pages have 1 values, the column has 2"},
        ColumnsCase{"BlobInPages",
                    arrow::field("c", arrow::large_binary(), true,
                                 arrow::key_value_metadata({{"lance-encoding:blob", "true"}})),
                    {{{Binary(1), {U64({0, 0}), ""}, 2}}},
                    "column 0: its encoding is values, the schema says blob"},
        ColumnsCase{"PackedWithOtherMembers",
                    arrow::field("c", arrow::struct_({arrow::field("a", arrow::int8())}), true,
                                 arrow::key_value_metadata({{"packed", "true"}})),
                    {{{"packed_struct { inner { " + Flat(16, 0) + " } buffer {} }", {"abcd"}, 2}}},
                    "PackedStruct.inner 0 does not hold values of type int8"},
        ColumnsCase{"PackedWithMoreMembers",
                    arrow::field("c", arrow::struct_({arrow::field("a", arrow::int8())}), true,
                                 arrow::key_value_metadata({{"packed", "true"}})),
                    {{{"packed_struct { inner { " + Flat(8, 0) + " } inner { " + Flat(8, 0) +
                           " } buffer {} }",
                       {"abcd"},
                       2}}},
                    "PackedStruct.inner has 2 members"}),
    [](const auto& test) { return test.param.name; });

TEST(UnsupportedFields, AreNamed) {
  const auto map = arrow::field("c", arrow::map(arrow::utf8(), arrow::int8()));
  const auto vectors = arrow::field("c", arrow::fixed_size_list(kStruct->type(), 2));
  for (const FieldPtr& field : {map, vectors}) {
    const HandMadeField made{.field = field, .num_rows = 1, .columns = {{}, {}, {}, {}}};

    EXPECT_THAT(ReadAll(made), IsNotImplemented(HasSubstr("format 2.0 cannot hold")));
  }
}

}  // namespace
}  // namespace lance::format::v20
