#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_columns.h"
#include "lance/testing/matchers.h"

namespace lance::format::v20 {
namespace {

using lance::testing::IsCapacityError;
using lance::testing::IsOk;
using ::testing::HasSubstr;

const std::string kNoNullInts = NoNulls(Flat(32, 0));

/// One page and what it holds.
struct PageCase {
  const char* name;
  TypePtr type;
  std::vector<HandMadePage> pages;
  const char* json;
};

/// 8, 16, 24 ... 1024 values packed to 3 bits in the order of file-format 9.3 are all zero here but
/// value 0, which is the lowest bits of word 0.
std::string GroupOfOneThree() { return std::string(1, '\3') + std::string(383, '\0'); }

std::string Symbols() {
  std::string table(2312, '\0');
  table[0] = 1;  // symbols
  table[3] = 1;  // on
  std::memcpy(table.data() + 4, "TSSF", 4);
  std::memcpy(table.data() + 8, "lance", 5);
  table[16] = 5;
  return table;
}

/// Protobuf text of bytes.
std::string Quoted(const std::string& bytes) {
  std::string text = "\"";
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += '\\';
    for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (value >> shift & 7));
  }
  return text + "\"";
}

std::string FsstText(uint64_t null_adjustment) {
  return "fsst { binary { " + Binary(null_adjustment) + " } symbol_table: " + Quoted(Symbols()) +
         " }";
}

std::string DictionaryText(int num_items, const std::string& indices, const std::string& items) {
  return "dictionary { indices { " + indices + " } items { " + items +
         " } num_dictionary_items: " + std::to_string(num_items) + " }";
}

std::string FixedSizeListText(int dimension, const std::string& items) {
  return "fixed_size_list { dimension: " + std::to_string(dimension) + " items { " + items + " } }";
}

TypePtr ListOf(const TypePtr& item, int32_t dimension) {
  return arrow::fixed_size_list(item, dimension);
}

class PageReaders : public ::testing::TestWithParam<PageCase> {
 protected:
  static arrow::Result<OpenedField> Open() {
    HandMadeField made{.field = arrow::field("c", GetParam().type), .columns = {GetParam().pages}};
    for (const HandMadePage& page : GetParam().pages) made.num_rows += page.num_values;
    return OpenedField::Make(made);
  }
};

TEST_P(PageReaders, GiveTheRows) {
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, Open());

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rows, opened.ReadAll());

  EXPECT_THAT(rows->ValidateFull(), IsOk());
  EXPECT_TRUE(rows->Equals(FromJson(GetParam().type, GetParam().json))) << rows->ToString();
}

TEST_P(PageReaders, GiveEverySetOfRows) {
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, Open());
  const auto all = FromJson(GetParam().type, GetParam().json);
  const auto num_rows = static_cast<uint64_t>(all->length());
  for (uint64_t set = 0; set < uint64_t{1} << num_rows; ++set) {
    std::vector<RowRange> ranges;
    arrow::ArrayVector wanted = {all->Slice(0, 0)};
    for (uint64_t row = 0; row < num_rows; ++row) {
      if ((set >> row & 1) == 0) continue;
      ranges.push_back({row, row + 1});
      wanted.push_back(all->Slice(static_cast<int64_t>(row), 1));
    }

    LANCE_ASSERT_OK_AND_ASSIGN(const auto rows, opened.Read(RowRanges::Make(ranges)));

    EXPECT_THAT(rows->ValidateFull(), IsOk());
    const auto expected = arrow::Concatenate(wanted).ValueOrDie();
    EXPECT_TRUE(rows->Equals(expected)) << "set " << set << ": " << rows->ToString();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Encodings, PageReaders,
    ::testing::Values(
        PageCase{
            "FlatWithoutNulls", arrow::int32(), {{kNoNullInts, {I32({1, 2, 3})}, 3}}, "[1, 2, 3]"},
        PageCase{"FlatWithoutNullable",
                 arrow::int32(),
                 {{Flat(32, 0), {I32({1, 2, 3})}, 3}},
                 "[1, 2, 3]"},
        PageCase{"FlatWithSomeNulls",
                 arrow::int32(),
                 {{SomeNulls(0, Flat(32, 1)), {"\x05", I32({1, 99, 3})}, 3}},
                 "[1, null, 3]"},
        PageCase{"FlatWithAllNulls",
                 arrow::int32(),
                 {{"nullable { all_nulls {} }", {}, 3}},
                 "[null, null, null]"},
        PageCase{"SeveralPages",
                 arrow::int32(),
                 {{kNoNullInts, {I32({1, 2})}, 2},
                  {"nullable { all_nulls {} }", {}, 1},
                  {"nullable { all_nulls {} }", {}, 0},
                  {SomeNulls(1, Flat(32, 0)), {I32({9, 4}), "\x02"}, 2}},
                 "[1, 2, null, null, 4]"},
        PageCase{"Bools",
                 arrow::boolean(),
                 {{SomeNulls(0, Flat(1, 1)), {"\xff\x02", "\x55\xff"}, 10}},
                 "[true, false, true, false, true, false, true, false, null, true]"},
        PageCase{"WideValues",
                 arrow::fixed_size_binary(3),
                 {{NoNulls(Flat(24, 0)), {"abcdef"}, 2}},
                 R"(["abc", "def"])"},
        PageCase{"NullType", arrow::null(), {{"nullable { all_nulls {} }", {}, 2}}, "[null, null]"},
        PageCase{"ListsOfFixedSize",
                 ListOf(arrow::int32(), 2),
                 {{SomeNulls(0, FixedSizeListText(2, SomeNulls(1, Flat(32, 2)))),
                   {"\x05", "\x1d", I32({1, 2, 3, 4, 5, 6})},
                   3}},
                 "[[1, null], null, [5, null]]"},
        PageCase{
            "ListsOfLists",
            ListOf(ListOf(arrow::uint8(), 2), 2),
            {{NoNulls(FixedSizeListText(2,
                                        SomeNulls(1, FixedSizeListText(2, NoNulls(Flat(8, 0)))))),
              {std::string("\1\2\3\4\5\6\7\10", 8), "\x0e"},
              2}},
            "[[null, [3, 4]], [[5, 6], [7, 8]]]"},
        PageCase{"ListsOfNulls",
                 ListOf(arrow::int32(), 2),
                 {{NoNulls(FixedSizeListText(2, "nullable { all_nulls {} }")), {}, 2}},
                 "[[null, null], [null, null]]"},
        PageCase{"Bitpacked",
                 arrow::uint16(),
                 {{NoNulls("bitpacked { compressed_bits_per_value: 3 "
                           "uncompressed_bits_per_value: 16 buffer {} }"),
                   {"\x88\xc6\xfa"},
                   8}},
                 "[0, 1, 2, 3, 4, 5, 6, 7]"},
        PageCase{"BitpackedSigned",
                 arrow::int8(),
                 {{SomeNulls(1,
                             "bitpacked { compressed_bits_per_value: 3 "
                             "uncompressed_bits_per_value: 8 buffer {} signed: true }"),
                   {"\x88\xc6\xfa", "\xfe"},
                   8}},
                 "[null, 1, 2, 3, -4, -3, -2, -1]"},
        PageCase{"BitpackedForNonNeg",
                 arrow::int32(),
                 {{NoNulls("bitpacked_for_non_neg { compressed_bits_per_value: 3 "
                           "uncompressed_bits_per_value: 32 buffer {} }"),
                   {GroupOfOneThree()},
                   3}},
                 "[3, 0, 0]"},
        PageCase{"Constant",
                 arrow::int16(),
                 {{SomeNulls(0, "constant { value: '\\001\\002' }"), {"\x05"}, 3}},
                 "[513, null, 513]"},
        PageCase{"ConstantBool",
                 arrow::boolean(),
                 {{NoNulls("constant { value: '\\001' }"), {}, 2}},
                 "[true, true]"},
        PageCase{"Binary",
                 arrow::utf8(),
                 {{Binary(5), {U64({1, 6, 1, 4}), "abcd"}, 4}},
                 R"(["a", null, "", "bcd"])"},
        PageCase{"BinaryInNullable",
                 arrow::large_binary(),
                 {{NoNulls(Binary(5)), {U64({1, 6, 1, 4}), "abcd"}, 4}},
                 R"(["a", null, "", "bcd"])"},
        PageCase{"BinaryWithoutNulls",
                 arrow::binary(),
                 {{Binary(0), {U64({1, 4}), "abcd"}, 2}},
                 R"(["a", "bcd"])"},
        PageCase{
            "BinaryOfNulls", arrow::utf8(), {{Binary(1), {U64({1, 1}), ""}, 2}}, "[null, null]"},
        PageCase{"TextOfAllNulls",
                 arrow::utf8(),
                 {{"nullable { all_nulls {} }", {}, 2}},
                 "[null, null]"},
        PageCase{"BinaryPages",
                 arrow::large_utf8(),
                 {{Binary(5), {U64({1, 9, 4}), "abcd"}, 3},
                  {Binary(0), {"", ""}, 0},
                  {Binary(3), {U64({2, 5}), "xy"}, 2}},
                 R"(["a", null, "", "xy", null])"},
        PageCase{"BinaryNamedNone",
                 arrow::utf8(),
                 {{"binary { indices { " + NoNulls(Flat(64, 0)) +
                       " } bytes { flat { bits_per_value: 8 buffer { buffer_index: 1 } "
                       "compression { scheme: 'none' } } } null_adjustment: 5 }",
                   {U64({1, 4}), "abcd"},
                   2}},
                 R"(["a", "bcd"])"},
        // u32 size, then an LZ4 block of literals only.
        PageCase{"BinaryCompressed",
                 arrow::utf8(),
                 {{"binary { indices { " + NoNulls(Flat(64, 0)) +
                       " } bytes { flat { bits_per_value: 8 buffer { buffer_index: 1 } "
                       "compression { scheme: 'lz4' } } } null_adjustment: 5 }",
                   {U64({1, 6, 4}), std::string("\4\0\0\0\x40"
                                                "abcd",
                                                9)},
                   3}},
                 R"(["a", null, "bcd"])"},
        PageCase{"Fsst",
                 arrow::utf8(),
                 {{FsstText(7), {U64({1, 8, 1, 6}), std::string("\0\xff!\0\xff?", 6)}, 4}},
                 R"(["lance", null, "", "!lance?"])"},
        PageCase{"DictionaryOfText",
                 arrow::utf8(),
                 {{DictionaryText(2, NoNulls(Flat(8, 0)), Binary(4, 1)),
                   {std::string("\1\0\2\1", 4), U64({1, 3}), "abc"},
                   4}},
                 R"(["a", null, "bc", "a"])"},
        PageCase{"DictionaryOfTextWithoutItems",
                 arrow::utf8(),
                 {{DictionaryText(0, NoNulls(Flat(8, 0)), Binary(0, 1)),
                   {std::string("\0\0", 2), "", ""},
                   2}},
                 "[null, null]"},
        PageCase{"FixedSizeBinaryText",
                 arrow::utf8(),
                 {{SomeNulls(1, "fixed_size_binary { bytes { " + Flat(8, 0) + " } byte_width: 2 }"),
                   {"ab??cd", "\x05"},
                   3}},
                 R"(["ab", null, "cd"])"},
        PageCase{"FixedSizeBinaryWithoutNulls",
                 arrow::large_binary(),
                 {{"fixed_size_binary { bytes { " + Flat(8, 0) + " } byte_width: 1 }", {"abc"}, 3}},
                 R"(["a", "b", "c"])"}),
    [](const auto& test) { return test.param.name; });

const TypePtr kDictionaryType = arrow::dictionary(arrow::int8(), arrow::utf8());

TEST(DictionaryPage, NamesItemsOfDictionaryArraysDirectly) {
  const HandMadeField made{.field = arrow::field("c", kDictionaryType),
                           .num_rows = 3,
                           .columns = {{{DictionaryText(3, NoNulls(Flat(8, 0)), Binary(4, 1)),
                                         {std::string("\2\0\1", 3), U64({1, 5, 3}), "abc"},
                                         3}}}};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rows, ReadAll(made));

  // The null item is left out of the dictionary.
  const auto& array = static_cast<const arrow::DictionaryArray&>(*rows);
  EXPECT_TRUE(array.dictionary()->Equals(FromJson(arrow::utf8(), R"(["a", "bc"])")));
  EXPECT_TRUE(array.indices()->Equals(FromJson(arrow::int8(), "[1, 0, null]")));
}

TEST(DictionaryPage, UnifiesThePagesDictionaries) {
  const std::string encoding = DictionaryText(1, NoNulls(Flat(8, 0)), Binary(2, 1));
  const HandMadeField made{.field = arrow::field("c", kDictionaryType),
                           .num_rows = 2,
                           .columns = {{{encoding, {std::string(1, '\0'), U64({1}), "x"}, 1},
                                        {encoding, {std::string(1, '\0'), U64({1}), "y"}, 1}}}};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rows, ReadAll(made));

  const auto& array = static_cast<const arrow::DictionaryArray&>(*rows);
  EXPECT_TRUE(array.dictionary()->Equals(FromJson(arrow::utf8(), R"(["x", "y"])")));
  EXPECT_TRUE(array.indices()->Equals(FromJson(arrow::int8(), "[0, 1]")));
}

/// A dictionary page of 65 rows, each an item of its own: one character, from `first` on.
HandMadePage PageOf65Items(char first) {
  HandMadePage page{DictionaryText(65, NoNulls(Flat(8, 0)), Binary(66, 1)), {"", "", ""}, 65};
  for (char i = 0; i < 65; ++i) {
    page.buffers[0] += i;
    page.buffers[1] += U64({static_cast<uint64_t>(i) + 1});
    page.buffers[2] += static_cast<char>(first + i);
  }
  return page;
}

TEST(DictionaryPage, RefusesMoreItemsThanTheIndicesCanName) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::binary());
  HandMadeField made{.field = arrow::field("c", type), .num_rows = 130, .columns = {}};
  made.columns = {{PageOf65Items(0), PageOf65Items(62)}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto most, ReadAll(made));
  made.columns = {{PageOf65Items(-70), PageOf65Items(0)}};

  EXPECT_EQ(static_cast<const arrow::DictionaryArray&>(*most).dictionary()->length(), 127);
  EXPECT_THAT(ReadAll(made), IsCapacityError(HasSubstr("read fewer rows at once")));
}

TEST(PackedPage, GivesItsMembers) {
  const auto type = arrow::struct_({arrow::field("a", arrow::int16()),
                                    arrow::field("b", arrow::fixed_size_list(arrow::uint8(), 2))});
  const HandMadeField made{
      .field = arrow::field("c", type, true, arrow::key_value_metadata({{"packed", "true"}})),
      .num_rows = 3,
      .columns = {{{"packed_struct { inner { " + NoNulls(Flat(16, 0)) + " } inner { " +
                        NoNulls(FixedSizeListText(2, NoNulls(Flat(8, 0)))) + " } buffer {} }",
                    {std::string("\1\0\7\10\2\0\11\12\3\0\13\14", 12)},
                    3}}}};
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, OpenedField::Make(made));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto all, opened.ReadAll());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto some, opened.Read(RowRanges::Make({{0, 1}, {2, 3}})));

  EXPECT_TRUE(all->Equals(FromJson(
      type, R"([{"a": 1, "b": [7, 8]}, {"a": 2, "b": [9, 10]}, {"a": 3, "b": [11, 12]}])")))
      << all->ToString();
  EXPECT_TRUE(some->Equals(FromJson(type, R"([{"a": 1, "b": [7, 8]}, {"a": 3, "b": [11, 12]}])")));
}

TEST(PackedPage, GivesSomeOfItsMembers) {
  const auto type =
      arrow::struct_({arrow::field("a", arrow::int16()), arrow::field("b", arrow::uint8())});
  const HandMadeField made{
      .field = arrow::field("c", type, true, arrow::key_value_metadata({{"packed", "true"}})),
      .num_rows = 2,
      .columns = {{{"packed_struct { inner { " + NoNulls(Flat(16, 0)) + " } inner { " +
                        NoNulls(Flat(8, 0)) + " } buffer {} }",
                    {std::string("\1\0\7\2\0\10", 6)},
                    2}}}};
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, OpenedField::Make(made));
  FieldNode only_b = opened.node;
  only_b.children.erase(only_b.children.begin());
  only_b = WithTypeOfChildren(only_b);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rows, opened.Read(only_b, RowRanges::All(2)));

  EXPECT_TRUE(rows->Equals(
      FromJson(arrow::struct_({arrow::field("b", arrow::uint8())}), R"([{"b": 7}, {"b": 8}])")));
}

TEST(BlobColumn, GivesDescriptors) {
  const HandMadeField made{
      .field = arrow::field("c", arrow::large_binary(), true,
                            arrow::key_value_metadata({{"lance-encoding:blob", "true"}})),
      .num_rows = 3,
      .columns = {{{"packed_struct { inner { " + NoNulls(Flat(64, 0)) + " } inner { " +
                        NoNulls(Flat(64, 0)) + " } buffer {} }",
                    {U64({64, 5, 1, 0, 0, 0})},
                    3}}},
      .column_encoding = BlobColumnEncoding()};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rows, ReadAll(made));

  const auto type = arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
  EXPECT_TRUE(rows->Equals(
      FromJson(type, R"([{"position": 64, "size": 5}, null, {"position": 0, "size": 0}])")))
      << rows->ToString();
}

}  // namespace
}  // namespace lance::format::v20
