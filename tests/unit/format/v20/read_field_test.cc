#include "lance/format/v20/read_field.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_columns.h"
#include "lance/testing/matchers.h"

namespace lance::format::v20 {
namespace {

using lance::testing::IsCancelled;
using lance::testing::IsOk;

/// Read every set of rows and compare it with the same rows of `all`.
void ExpectRows(const OpenedField& opened, const ArrayPtr& all) {
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
    EXPECT_TRUE(rows->Equals(arrow::Concatenate(wanted).ValueOrDie()))
        << "set " << set << ": " << rows->ToString();
  }
}

const HandMadePage kNoBytes{"nullable { all_nulls {} }", {}, 0};

HandMadePage Bytes(const std::string& bytes) {
  return {NoNulls(Flat(8, 0)), {bytes}, bytes.size()};
}

struct NestedCase {
  const char* name;
  TypePtr type;
  uint64_t num_rows;
  std::vector<std::vector<HandMadePage>> columns;
  const char* json;
};

class NestedFields : public ::testing::TestWithParam<NestedCase> {};

TEST_P(NestedFields, GiveEverySetOfRows) {
  const HandMadeField made{.field = arrow::field("c", GetParam().type),
                           .num_rows = GetParam().num_rows,
                           .columns = GetParam().columns};
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, OpenedField::Make(made));

  ExpectRows(opened, FromJson(GetParam().type, GetParam().json));
}

INSTANTIATE_TEST_SUITE_P(
    Types, NestedFields,
    ::testing::Values(
        NestedCase{"List",
                   arrow::list(arrow::uint8()),
                   4,
                   {{{List(4, 3), {U64({2, 6, 2, 3})}, 4}}, {Bytes("\1\2\3")}},
                   "[[1, 2], null, [], [3]]"},
        NestedCase{"LargeList",
                   arrow::large_list(arrow::uint8()),
                   2,
                   {{{List(4, 3), {U64({2, 3})}, 2}}, {Bytes("\1\2\3")}},
                   "[[1, 2], [3]]"},
        NestedCase{"ListWithoutAdjustment",
                   arrow::list(arrow::uint8()),
                   2,
                   {{{List(0, 3), {U64({2, 3})}, 2}}, {Bytes("\1\2\3")}},
                   "[[1, 2], [3]]"},
        // The items' pages end elsewhere than the lists' pages.
        NestedCase{"ListInPages",
                   arrow::list(arrow::uint8()),
                   5,
                   {{{List(4, 3), {U64({2, 6, 3})}, 3},
                     {List(1, 0), {U64({0})}, 1},
                     {List(3, 2), {U64({2})}, 1}},
                    {Bytes("\1"), Bytes("\2\3\4"), kNoBytes, Bytes("\5")}},
                   "[[1, 2], null, [3], [], [4, 5]]"},
        NestedCase{"ListWithoutItems",
                   arrow::list(arrow::uint8()),
                   2,
                   {{{List(1, 0), {U64({0, 1})}, 2}}, {kNoBytes}},
                   "[[], null]"},
        NestedCase{"ListWithoutRows", arrow::list(arrow::uint8()), 0, {{}, {}}, "[]"},
        NestedCase{"ListOfLists",
                   arrow::list(arrow::list(arrow::uint8())),
                   3,
                   {{{List(4, 3), {U64({2, 6, 3})}, 3}},
                    {{List(2, 1), {U64({1, 3})}, 2}, {List(2, 1), {U64({1})}, 1}},
                    {Bytes("\1\2")}},
                   "[[[1], null], null, [[2]]]"},
        NestedCase{"ListOfText",
                   arrow::list(arrow::utf8()),
                   2,
                   {{{List(3, 2), {U64({1, 2})}, 2}}, {{Binary(4), {U64({2, 7}), "abc"}, 2}}},
                   R"([["ab"], [null]])"},
        NestedCase{
            "Struct",
            arrow::struct_({arrow::field("a", arrow::uint8()), arrow::field("b", arrow::utf8())}),
            3,
            {{{"struct {}", {}, 3}},
             {Bytes("\1\2"), Bytes("\3")},
             {{Binary(4), {U64({2, 6, 3}), "abc"}, 3}}},
            R"([{"a": 1, "b": "ab"}, {"a": 2, "b": null}, {"a": 3, "b": "c"}])"},
        NestedCase{"StructWithoutMembers",
                   arrow::struct_({}),
                   3,
                   {{{"struct {}", {}, 3}}},
                   "[{}, {}, {}]"},
        NestedCase{"StructOfList",
                   arrow::struct_({arrow::field("a", arrow::list(arrow::uint8()))}),
                   2,
                   {{{"struct {}", {}, 2}}, {{List(3, 2), {U64({2, 5})}, 2}}, {Bytes("\1\2")}},
                   R"([{"a": [1, 2]}, {"a": null}])"},
        NestedCase{"ListOfStruct",
                   arrow::list(arrow::struct_({arrow::field("a", arrow::uint8())})),
                   3,
                   {{{List(3, 2), {U64({1, 4, 2})}, 3}}, {{"struct {}", {}, 2}}, {Bytes("\1\2")}},
                   R"([[{"a": 1}], null, [{"a": 2}]])"},
        NestedCase{
            "TextAsListOfBytes",
            arrow::utf8(),
            4,
            {{{List(3, 2), {U64({2, 5, 2})}, 3}, {List(3, 2), {U64({2})}, 1}}, {Bytes("abcd")}},
            R"(["ab", null, "", "cd"])"}),
    [](const auto& test) { return test.param.name; });

TEST(NestedFields, GiveBlobsInStructsAndListsAsDescriptors) {
  const auto blob = arrow::field("b", arrow::large_binary(), true,
                                 arrow::key_value_metadata({{"lance-encoding:blob", "true"}}));
  const HandMadeField made{
      .field = arrow::field("c", arrow::list(arrow::field("item", arrow::struct_({blob})))),
      .num_rows = 1,
      .columns = {{{List(3, 2), {U64({2})}, 1}},
                  {{"struct {}", {}, 2}},
                  {{"packed_struct { inner { " + Flat(64, 0) + " } inner { " + Flat(64, 0) +
                        " } buffer {} }",
                    {U64({64, 5, 1, 0})},
                    2}}}};
  LANCE_ASSERT_OK_AND_ASSIGN(OpenedField opened, OpenedField::Make(made));
  opened.metadata.columns[2].encoding = BlobColumnEncoding();

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rows, opened.ReadAll());

  const auto descriptor = arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
  const auto type = arrow::list(arrow::struct_({arrow::field("b", descriptor)}));
  EXPECT_TRUE(
      rows->Equals(FromJson(type, R"([[{"b": {"position": 64, "size": 5}}, {"b": null}]])")))
      << rows->ToString();
}

/// How many requests some rows may take.
struct RequestCase {
  const char* name;
  TypePtr type;
  std::vector<std::vector<HandMadePage>> columns;
  uint64_t of_all_rows;
  uint64_t of_some_rows;
};

class Requests : public ::testing::TestWithParam<RequestCase> {};

TEST_P(Requests, AreOneForEachNestingStep) {
  const HandMadeField made{
      .field = arrow::field("c", GetParam().type), .num_rows = 4, .columns = GetParam().columns};
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, OpenedField::Make(made));

  EXPECT_THAT(opened.ReadAll(), IsOk());
  const uint64_t of_all_rows = opened.counters->requests.exchange(0);
  EXPECT_THAT(opened.Read(RowRanges::Make({{0, 1}, {3, 4}})), IsOk());

  EXPECT_EQ(of_all_rows, GetParam().of_all_rows);
  EXPECT_EQ(opened.counters->requests, GetParam().of_some_rows);
}

const HandMadePage kTwoTexts{Binary(3), {U64({1, 2}), "ab"}, 2};
const HandMadePage kTwoLists{List(3, 2), {U64({1, 2})}, 2};

INSTANTIATE_TEST_SUITE_P(
    Types, Requests,
    ::testing::Values(
        RequestCase{"Numbers", arrow::uint8(), {{Bytes("ab"), Bytes("cd")}}, 1, 1},
        RequestCase{"Text", arrow::utf8(), {{kTwoTexts, kTwoTexts}}, 1, 2},
        RequestCase{"Nulls", arrow::uint8(), {{{"nullable { all_nulls {} }", {}, 4}}}, 0, 0},
        RequestCase{
            "Structs",
            arrow::struct_({arrow::field("a", arrow::utf8()), arrow::field("b", arrow::utf8()),
                            arrow::field("c", arrow::uint8())}),
            {{{"struct {}", {}, 4}},
             {kTwoTexts, kTwoTexts},
             {kTwoTexts, kTwoTexts},
             {Bytes("abcd")}},
            1,
            2},
        RequestCase{
            "Lists", arrow::list(arrow::uint8()), {{kTwoLists, kTwoLists}, {Bytes("abcd")}}, 1, 2},
        RequestCase{"ListsOfListsOfText",
                    arrow::list(arrow::list(arrow::utf8())),
                    {{kTwoLists, kTwoLists}, {kTwoLists, kTwoLists}, {kTwoTexts, kTwoTexts}},
                    1,
                    4}),
    [](const auto& test) { return test.param.name; });

TEST(ReadField, ReadsOnlyTheBytesOfTheRows) {
  std::string values(100000, 'a');
  values[70000] = 'z';
  const HandMadeField made{
      .field = arrow::field("c", arrow::uint8()), .num_rows = 100000, .columns = {{Bytes(values)}}};
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, OpenedField::Make(made));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rows,
                             opened.Read(RowRanges::Make({{5, 6}, {70000, 70002}})));

  EXPECT_TRUE(rows->Equals(FromJson(arrow::uint8(), "[97, 122, 97]")));
  EXPECT_EQ(opened.counters->bytes_read, 3u);
}

TEST(ReadField, DoesNotCopyValuesOfOnePage) {
  const HandMadeField made{.field = arrow::field("c", arrow::uint8()),
                           .num_rows = 1 << 20,
                           .columns = {{Bytes(std::string(1 << 20, 'a'))}}};
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, OpenedField::Make(made));
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  const DataFileLocation location{opened.store, "f"};
  const ColumnMap columns = {{opened.node.id, 0}};
  const RowRanges rows = RowRanges::All(1 << 20);
  const auto never = arrow::StopToken::Unstoppable();

  LANCE_ASSERT_OK_AND_ASSIGN(const auto array, ReadField({.location = location,
                                                          .metadata = opened.metadata,
                                                          .columns = columns,
                                                          .node = opened.node,
                                                          .rows = rows,
                                                          .pool = &pool,
                                                          .stop = never}));

  EXPECT_EQ(array->length(), 1 << 20);
  EXPECT_LT(pool.max_memory(), 1000);  // the store's buffer is not from this pool
}

TEST(ReadField, StopsWhenAsked) {
  const HandMadeField made{
      .field = arrow::field("c", arrow::uint8()), .num_rows = 4, .columns = {{Bytes("abcd")}}};
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedField opened, OpenedField::Make(made));
  arrow::StopSource source;
  source.RequestStop();
  const auto token = source.token();
  const DataFileLocation location{opened.store, "f"};
  const ColumnMap columns = {{opened.node.id, 0}};
  const RowRanges rows = RowRanges::All(4);

  EXPECT_THAT(ReadField({.location = location,
                         .metadata = opened.metadata,
                         .columns = columns,
                         .node = opened.node,
                         .rows = rows,
                         .pool = arrow::default_memory_pool(),
                         .stop = token}),
              IsCancelled());
}

}  // namespace
}  // namespace lance::format::v20
