#include "lance/format/field_writer.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_columns.h"
#include "lance/format/footer.h"
#include "lance/testing/matchers.h"

namespace lance::format::v20 {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;

/// Keeps buffers where files have them.
class MemorySink : public PageSink {
 public:
  arrow::Result<ByteRange> AppendBuffer(std::string_view appended) override {
    bytes.resize((bytes.size() + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment);
    const ByteRange range = {bytes.size(), appended.size()};
    bytes += appended;
    return range;
  }

  std::string Read(const ByteRange& range) const {
    return bytes.substr(range.offset, range.length);
  }

  std::string bytes;
};

FieldNode NodeOf(const FieldPtr& field) {
  const auto schema = MakeLanceSchema(arrow::Schema({field})).ValueOrDie();
  return MakeFieldTree(schema).ValueOrDie()[0];
}

/// A field that was written.
struct WrittenField {
  FieldPtr field;
  uint64_t num_rows = 0;
  MemorySink sink;
  std::vector<ColumnMetadata> columns;
  uint64_t max_pending_bytes = 0;

  /// For each page of a column: its values and its encoding.
  std::vector<std::string> PagesOf(size_t column) const {
    std::vector<std::string> pages;
    for (const PageMetadata& page : columns[column].pages) {
      const auto encoding = ParseArrayEncoding(page);
      pages.push_back(std::to_string(page.num_rows) + ": " +
                      (encoding.ok() ? Describe(*encoding) : encoding.status().ToString()));
    }
    return pages;
  }

  std::string BufferOf(size_t column, size_t page, size_t buffer) const {
    return sink.Read(columns[column].pages[page].buffers[buffer]);
  }

  arrow::Result<ArrayPtr> Read() const {
    ARROW_ASSIGN_OR_RAISE(const auto opened,
                          OpenedField::Make(field, num_rows, columns, sink.bytes));
    return opened.ReadAll();
  }
};

arrow::Result<WrittenField> Write(const FieldPtr& field, const arrow::ArrayVector& arrays,
                                  uint64_t max_page_bytes = 8 << 20) {
  WrittenField written{.field = field, .sink = {}, .columns = {}};
  ARROW_ASSIGN_OR_RAISE(
      const auto writer,
      MakeFieldWriter(NodeOf(field), {.max_page_bytes = max_page_bytes}, &written.sink));
  for (const ArrayPtr& array : arrays) {
    ARROW_RETURN_NOT_OK(writer->Write(array));
    written.num_rows += static_cast<uint64_t>(array->length());
    written.max_pending_bytes = std::max(written.max_pending_bytes, writer->pending_bytes());
  }
  ARROW_RETURN_NOT_OK(writer->Finish());
  written.columns = writer->TakeColumns();
  return written;
}

FieldPtr Named(const TypePtr& type) { return arrow::field("c", type); }

FieldPtr With(const TypePtr& type, const std::string& key, const std::string& value) {
  return arrow::field("c", type, true, arrow::key_value_metadata({{key, value}}));
}

FieldPtr Compressed(const TypePtr& type, const std::string& scheme) {
  return With(type, "lance-encoding:compression", scheme);
}

/// JSON of `count` numbers or texts, those of i % distinct.
std::string Repeated(int count, int distinct, const char* before, const char* behind) {
  std::string json = "[";
  for (int i = 0; i < count; ++i) {
    json += (i > 0 ? "," : "") + std::string(before) + std::to_string(i % distinct) + behind;
  }
  return json + "]";
}

/// What is written, and how it is encoded.
struct WrittenCase {
  const char* name;
  FieldPtr field;
  std::string json;
  /// For each column its pages.
  std::vector<std::vector<std::string>> pages;
};

class WrittenPages : public ::testing::TestWithParam<WrittenCase> {};

TEST_P(WrittenPages, HaveTheEncodingAndReadBack) {
  const auto array = FromJson(GetParam().field->type(), GetParam().json);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, Write(GetParam().field, {array}));

  ASSERT_EQ(written.columns.size(), GetParam().pages.size());
  for (size_t i = 0; i < written.columns.size(); ++i) {
    EXPECT_EQ(written.PagesOf(i), GetParam().pages[i]) << "column " << i;
    EXPECT_EQ(written.columns[i].encoding, PlainColumnEncoding());
  }
  LANCE_ASSERT_OK_AND_ASSIGN(const auto read, written.Read());
  EXPECT_THAT(read->ValidateFull(), IsOk());
  EXPECT_TRUE(read->Equals(array)) << read->ToString();
}

const char kBinary[] = "Binary(Flat{64}, Flat{8})";

std::string TextPage(int num_rows, const char* compressed = "Flat{8}") {
  return std::to_string(num_rows) + ": Binary(Flat{64}, " + compressed + ")";
}

TypePtr StructOf(const TypePtr& a, const TypePtr& b) {
  return arrow::struct_({arrow::field("a", a), arrow::field("b", b)});
}

INSTANTIATE_TEST_SUITE_P(
    Types, WrittenPages,
    ::testing::Values(
        WrittenCase{"Numbers", Named(arrow::int32()), "[1, 2, 3]", {{"3: NoNulls(Flat{32})"}}},
        WrittenCase{
            "NumbersAndNulls", Named(arrow::int64()), "[1, null, 3]", {{"3: SomeNulls(Flat{64})"}}},
        WrittenCase{"Nulls", Named(arrow::int64()), "[null, null]", {{"2: AllNulls"}}},
        WrittenCase{"NoRows", Named(arrow::int64()), "[]", {{}}},
        WrittenCase{
            "Bools", Named(arrow::boolean()), "[true, null, false]", {{"3: SomeNulls(Flat{1})"}}},
        WrittenCase{"WideValues",
                    Named(arrow::fixed_size_binary(3)),
                    R"(["abc", "def"])",
                    {{"2: NoNulls(Flat{24})"}}},
        WrittenCase{"NullType", Named(arrow::null()), "[null, null]", {{"2: AllNulls"}}},
        WrittenCase{"Vectors",
                    Named(arrow::fixed_size_list(arrow::float32(), 2)),
                    "[[1, 2], [3, 4]]",
                    {{"2: NoNulls(FixedSizeList{2}(NoNulls(Flat{32})))"}}},
        WrittenCase{"VectorsAndNulls",
                    Named(arrow::fixed_size_list(arrow::boolean(), 2)),
                    "[[true, null], null, [false, true]]",
                    {{"3: SomeNulls(FixedSizeList{2}(SomeNulls(Flat{1})))"}}},
        WrittenCase{"VectorsOfNulls",
                    Named(arrow::fixed_size_list(arrow::int8(), 2)),
                    "[[null, null]]",
                    {{"1: NoNulls(FixedSizeList{2}(AllNulls))"}}},
        WrittenCase{"NullVectors",
                    Named(arrow::fixed_size_list(arrow::int8(), 2)),
                    "[null]",
                    {{"1: AllNulls"}}},
        WrittenCase{
            "NestedVectors",
            Named(arrow::fixed_size_list(arrow::fixed_size_list(arrow::int8(), 2), 1)),
            "[[[1, 2]], [null]]",
            {{"2: NoNulls(FixedSizeList{1}(SomeNulls(FixedSizeList{2}(SomeNulls(Flat{8})))))"}}},
        WrittenCase{"Text", Named(arrow::utf8()), R"(["ab", null, "", "c"])", {{TextPage(4)}}},
        WrittenCase{"LargeBinary",
                    Named(arrow::large_binary()),
                    R"(["ab", null, "", "c"])",
                    {{TextPage(4)}}},
        WrittenCase{"TextOfNulls", Named(arrow::utf8()), "[null, null]", {{TextPage(2)}}},
        WrittenCase{"TextWithoutRows", Named(arrow::utf8()), "[]", {{}}},
        WrittenCase{"FewTexts",
                    Named(arrow::utf8()),
                    Repeated(100, 3, "\"", "\""),
                    {{"100: Dictionary{3}(NoNulls(Flat{8}), " + std::string(kBinary) + ")"}}},
        WrittenCase{"FewTextsButFewRows",
                    Named(arrow::utf8()),
                    Repeated(99, 3, "\"", "\""),
                    {{TextPage(99)}}},
        WrittenCase{"MostTextsOfADictionary",
                    Named(arrow::utf8()),
                    Repeated(300, 99, "\"", "\""),
                    {{"300: Dictionary{99}(NoNulls(Flat{8}), " + std::string(kBinary) + ")"}}},
        WrittenCase{"TooManyTextsForADictionary",
                    Named(arrow::utf8()),
                    Repeated(300, 100, "\"", "\""),
                    {{TextPage(300)}}},
        WrittenCase{"DictionaryThatGainsNothing",
                    Named(arrow::utf8()),
                    Repeated(100, 99, "\"", "\""),
                    {{TextPage(100)}}},
        WrittenCase{
            "FewBinaries", Named(arrow::binary()), Repeated(100, 3, "\"", "\""), {{TextPage(100)}}},
        WrittenCase{"ManyNullTexts",
                    Named(arrow::utf8()),
                    Repeated(100, 1, "null, \"", "\""),
                    {{"200: Dictionary{1}(NoNulls(Flat{8}), " + std::string(kBinary) + ")"}}},
        WrittenCase{"Zstd",
                    Compressed(arrow::utf8(), "zstd"),
                    Repeated(200, 150, "\"a text that repeats ", "\""),
                    {{TextPage(200, "Flat{8, zstd}")}}},
        WrittenCase{"Lz4",
                    Compressed(arrow::large_binary(), "lz4"),
                    Repeated(200, 150, "\"a text that repeats ", "\""),
                    {{TextPage(200, "Flat{8, lz4}")}}},
        WrittenCase{"NotCompressed",
                    Compressed(arrow::utf8(), "none"),
                    Repeated(200, 150, "\"a text that repeats ", "\""),
                    {{TextPage(200)}}},
        WrittenCase{"CompressionThatGainsNothing",
                    Compressed(arrow::utf8(), "zstd"),
                    R"(["abc"])",
                    {{TextPage(1)}}},
        WrittenCase{"Fsst",
                    Compressed(arrow::utf8(), "fsst"),
                    Repeated(400, 350, "\"a text that repeats ", "\""),
                    {{"400: Fsst(" + std::string(kBinary) + ")"}}},
        WrittenCase{"FsstThatGainsNothing",
                    Compressed(arrow::binary(), "fsst"),
                    R"(["a", "b"])",
                    {{TextPage(2)}}},
        WrittenCase{"CompressedNumbers",
                    Compressed(arrow::int32(), "zstd"),
                    "[1]",
                    {{"1: NoNulls(Flat{32})"}}},
        WrittenCase{"List",
                    Named(arrow::list(arrow::int8())),
                    "[[1, 2], null, [], [3]]",
                    {{"4: List{3}(Flat{64})"}, {"3: NoNulls(Flat{8})"}}},
        WrittenCase{"LargeListOfText",
                    Named(arrow::large_list(arrow::utf8())),
                    R"([["a"], []])",
                    {{"2: List{1}(Flat{64})"}, {TextPage(1)}}},
        WrittenCase{"ListWithoutItems",
                    Named(arrow::list(arrow::utf8())),
                    "[[], null]",
                    {{"2: List{0}(Flat{64})"}, {TextPage(0)}}},
        WrittenCase{"ListWithoutRows", Named(arrow::list(arrow::utf8())), "[]", {{}, {}}},
        WrittenCase{"NestedListWithoutItems",
                    Named(arrow::list(arrow::list(arrow::int8()))),
                    "[[]]",
                    {{"1: List{0}(Flat{64})"}, {"0: List{0}(Flat{64})"}, {"0: AllNulls"}}},
        WrittenCase{"ListOfStruct",
                    Named(arrow::list(StructOf(arrow::int8(), arrow::utf8()))),
                    R"([[{"a": 1, "b": "x"}], null])",
                    {{"2: List{1}(Flat{64})"},
                     {"1: SimpleStruct"},
                     {"1: NoNulls(Flat{8})"},
                     {TextPage(1)}}},
        WrittenCase{
            "ListOfStructWithoutItems",
            Named(arrow::list(StructOf(arrow::int8(), arrow::utf8()))),
            "[[]]",
            {{"1: List{0}(Flat{64})"}, {"0: SimpleStruct"}, {"0: AllNulls"}, {TextPage(0)}}},
        WrittenCase{"Struct",
                    Named(StructOf(arrow::int8(), arrow::list(arrow::int8()))),
                    R"([{"a": 1, "b": [2]}, {"a": null, "b": null}])",
                    {{"2: SimpleStruct"},
                     {"2: SomeNulls(Flat{8})"},
                     {"2: List{1}(Flat{64})"},
                     {"1: NoNulls(Flat{8})"}}},
        WrittenCase{"StructWithoutRows",
                    Named(StructOf(arrow::int8(), arrow::utf8())),
                    "[]",
                    {{"0: SimpleStruct"}, {}, {}}},
        WrittenCase{
            "StructWithoutMembers", Named(arrow::struct_({})), "[{}, {}]", {{"2: SimpleStruct"}}},
        WrittenCase{"PackedStruct",
                    With(StructOf(arrow::int16(), arrow::fixed_size_list(arrow::int8(), 2)),
                         "packed", "true"),
                    R"([{"a": 1, "b": [2, 3]}, {"a": 4, "b": [5, 6]}])",
                    {{"2: PackedStruct{16, 2x8}"}}}),
    [](const auto& test) { return test.param.name; });

TEST(FieldWriter, WritesEndsOfTextAsPublished) {
  // file-format 13.2: a null row would add 70.
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto written,
      Write(Named(arrow::utf8()), {FromJson(arrow::utf8(), R"(["ab", null, "c"])")}));

  EXPECT_EQ(written.BufferOf(0, 0, 0), U64({2, 6, 3}));
  EXPECT_EQ(written.BufferOf(0, 0, 1), "abc");
}

TEST(FieldWriter, LeavesOutWhatNullListsHide) {
  const auto items = FromJson(arrow::int8(), "[9, 1, 7, 7, 2, 3, 8]");
  const auto offsets = FromJson(arrow::int32(), "[0, 1, 2, 4, 6, 7]");
  const auto null_lists = arrow::ListArray::FromArrays(*offsets, *items).ValueOrDie();
  auto data = null_lists->data()->Copy();
  data->buffers[0] = arrow::Buffer::FromString("\x1a");  // rows 1, 3 and 4
  data->null_count = 2;
  const auto lists = arrow::MakeArray(data)->Slice(1, 3);  // [1], null, [2, 3]

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, Write(Named(lists->type()), {lists}));

  EXPECT_EQ(written.BufferOf(0, 0, 0), U64({1, 5, 3}));
  EXPECT_EQ(written.BufferOf(1, 0, 0), "\x01\x02\x03");
}

TEST(FieldWriter, AppendsSlicesAtEveryDepth) {
  const auto type =
      arrow::list(StructOf(arrow::boolean(), arrow::fixed_size_list(arrow::int8(), 2)));
  const auto array = FromJson(type, R"([
      [{"a": true, "b": [1, 2]}, {"a": null, "b": null}], null, [],
      [{"a": false, "b": [null, 4]}, {"a": true, "b": [5, 6]}, {"a": false, "b": [7, 8]}]])");
  arrow::ArrayVector slices;
  for (int64_t i = 0; i < array->length(); ++i) slices.push_back(array->Slice(i, 1));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, Write(Named(type), slices));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto read, written.Read());
  EXPECT_TRUE(read->Equals(array)) << read->ToString();
}

TEST(FieldWriter, CutsPagesAtTheirSize) {
  const auto array = FromJson(arrow::int64(), Repeated(100, 100, "", ""));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written,
                             Write(Named(arrow::int64()), {array->Slice(0, 30), array->Slice(30)},
                                   /*max_page_bytes=*/330));

  // 65 bits a row that comes, 64 one without nulls that is there.
  EXPECT_THAT(written.PagesOf(0), ElementsAre("41: NoNulls(Flat{64})", "40: NoNulls(Flat{64})",
                                              "19: NoNulls(Flat{64})"));
  EXPECT_THAT(written.max_pending_bytes, Le(330));
}

TEST(FieldWriter, GivesARowThatFillsAPageOneOfItsOwn) {
  const auto array =
      FromJson(arrow::utf8(), R"(["a", "a long text, longer than a page", "b", "c"])");

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, Write(Named(arrow::utf8()), {array}, 20));

  EXPECT_THAT(written.PagesOf(0), ElementsAre(TextPage(1), TextPage(1), TextPage(2)));
}

TEST(FieldWriter, EndsPagesOfItemsWithThoseOfTheirLists) {
  const auto type = arrow::list(StructOf(arrow::int8(), arrow::int64()));
  std::string json = "[";
  for (int i = 0; i < 20; ++i) {
    json += (i > 0 ? "," : "") + std::string(R"([{"a": 1, "b": 2}, {"a": 3, "b": 4}])");
  }
  const auto array = FromJson(type, json + "]");

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, Write(Named(type), {array}, 150));

  // 18 items of 65 bits are what a page of the widest member takes.
  EXPECT_THAT(written.PagesOf(0), ElementsAre("9: List{18}(Flat{64})", "9: List{18}(Flat{64})",
                                              "2: List{4}(Flat{64})"));
  EXPECT_THAT(written.PagesOf(1), ElementsAre("40: SimpleStruct"));
  EXPECT_THAT(written.PagesOf(2),
              ElementsAre("18: NoNulls(Flat{8})", "18: NoNulls(Flat{8})", "4: NoNulls(Flat{8})"));
  EXPECT_THAT(written.PagesOf(3), ElementsAre("18: NoNulls(Flat{64})", "18: NoNulls(Flat{64})",
                                              "4: NoNulls(Flat{64})"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto read, written.Read());
  EXPECT_TRUE(read->Equals(array));
}

TEST(FieldWriter, CutsPagesOfItemsInsideALongList) {
  const auto type = arrow::list(arrow::int64());
  const auto array = FromJson(type, "[[1], " + Repeated(100, 100, "", "") + ", [2]]");

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, Write(Named(type), {array}, 330));

  EXPECT_THAT(written.PagesOf(0), ElementsAre("1: List{1}(Flat{64})", "1: List{100}(Flat{64})",
                                              "1: List{1}(Flat{64})"));
  EXPECT_EQ(written.PagesOf(1).size(), 5u);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto read, written.Read());
  EXPECT_TRUE(read->Equals(array));
}

TEST(DictionaryArrays, KeepOnlyTheItemsThatRowsName) {
  const auto type = arrow::dictionary(arrow::int16(), arrow::utf8());
  const auto array = std::make_shared<arrow::DictionaryArray>(
      type, FromJson(arrow::int16(), "[3, 1, null, 3, 0]"),
      FromJson(arrow::utf8(), R"([null, "b", "unused", "d"])"));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, Write(Named(type), {array}));

  EXPECT_THAT(written.PagesOf(0),
              ElementsAre("5: Dictionary{3}(NoNulls(Flat{16}), " + std::string(kBinary) + ")"));
  EXPECT_EQ(written.BufferOf(0, 0, 0), Numbers<int16_t>({0, 1, 2, 0, 2}));
  EXPECT_EQ(written.BufferOf(0, 0, 2), "db");
  LANCE_ASSERT_OK_AND_ASSIGN(const auto read, written.Read());
  const auto& rows = static_cast<const arrow::DictionaryArray&>(*read);
  EXPECT_TRUE(rows.indices()->Equals(FromJson(arrow::int16(), "[0, 1, null, 0, null]")));
  EXPECT_TRUE(rows.dictionary()->Equals(FromJson(arrow::utf8(), R"(["d", "b"])")));
}

TEST(DictionaryArrays, ShareItemsOfSeveralDictionaries) {
  const auto type = arrow::dictionary(arrow::uint8(), arrow::boolean());
  const auto make = [&](const char* keys, const char* values) {
    return std::make_shared<arrow::DictionaryArray>(type, FromJson(arrow::uint8(), keys),
                                                    FromJson(arrow::boolean(), values));
  };

  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto written,
      Write(Named(type), {make("[0, 1]", "[true, false]"), make("[1, 0]", "[true, false]"),
                          make("[0, 1]", "[false, true]")}));

  EXPECT_THAT(written.PagesOf(0),
              ElementsAre("6: Dictionary{2}(NoNulls(Flat{8}), NoNulls(Flat{1}))"));
  EXPECT_EQ(written.BufferOf(0, 0, 0), Numbers<uint8_t>({0, 1, 1, 0, 1, 0}));
}

TEST(DictionaryArrays, EndAPageWhenTheIndicesCanNameNoMore) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::int32());
  const auto make = [&](const std::string& keys, const std::string& values) {
    return std::make_shared<arrow::DictionaryArray>(type, FromJson(arrow::int8(), keys),
                                                    FromJson(arrow::int32(), values));
  };
  const auto count = [](int from, int to) {
    std::string numbers = std::to_string(from);
    for (int i = from + 1; i < to; ++i) numbers += ", " + std::to_string(i);
    return "[" + numbers + "]";
  };
  const auto first = make(count(0, 100), count(0, 100));
  const auto second = make(count(0, 100), count(28, 128));
  const auto null = make("[null]", "[]");

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, Write(Named(type), {first, second, null}));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto nulls_first, Write(Named(type), {null, first, second}));

  EXPECT_THAT(written.PagesOf(0),
              ElementsAre("200: Dictionary{128}(NoNulls(Flat{8}), NoNulls(Flat{32}))",
                          "1: Dictionary{1}(NoNulls(Flat{8}), AllNulls)"));
  EXPECT_THAT(nulls_first.PagesOf(0),
              ElementsAre("200: Dictionary{128}(NoNulls(Flat{8}), SomeNulls(Flat{32}))",
                          "1: Dictionary{1}(NoNulls(Flat{8}), NoNulls(Flat{32}))"));
}

TEST(DictionaryArrays, EndAPageWhenItsItemsFillIt) {
  const auto type = arrow::dictionary(arrow::int32(), arrow::int64());
  const auto array = std::make_shared<arrow::DictionaryArray>(
      type, FromJson(arrow::int32(), Repeated(100, 100, "", "")),
      FromJson(arrow::int64(), Repeated(100, 100, "", "")));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, Write(Named(type), {array}, 300));

  // Four pages, although the indices alone have 400 bytes.
  EXPECT_EQ(written.PagesOf(0).size(), 4u);
  EXPECT_THAT(written.max_pending_bytes, Le(312));
}

TEST(DictionaryArrays, RefuseKeysOutOfTheDictionary) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto array = std::make_shared<arrow::DictionaryArray>(type, FromJson(arrow::int8(), "[1]"),
                                                              FromJson(arrow::utf8(), R"(["a"])"));

  EXPECT_THAT(Write(Named(type), {array}),
              IsInvalid(HasSubstr("a dictionary key is 1, the dictionary has 1 values")));
}

TEST(Blobs, LieInFrontOfTheirDescriptors) {
  const auto type = arrow::large_binary();
  const auto array = FromJson(type, R"(["abc", null, "", "d"])");

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written,
                             Write(With(type, "lance-encoding:blob", "true"), {array}));

  EXPECT_EQ(written.columns[0].encoding, BlobColumnEncoding());
  EXPECT_THAT(written.PagesOf(0), ElementsAre("4: PackedStruct{64, 64}"));
  EXPECT_EQ(written.BufferOf(0, 0, 0), U64({0, 3, 1, 0, 0, 0, 64, 1}));
  EXPECT_EQ(written.sink.Read({0, 3}), "abc");
  EXPECT_EQ(written.sink.Read({64, 1}), "d");
}

/// Input that is refused, and what the refusal says.
struct RefusedCase {
  const char* name;
  FieldPtr field;
  ArrayPtr array;
  const char* message;
};

class RefusedInput : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedInput, IsInvalid) {
  EXPECT_THAT(Write(GetParam().field, {GetParam().array}),
              IsInvalid(HasSubstr(GetParam().message)));
}

RefusedCase Refused(const char* name, const FieldPtr& field, const std::string& json,
                    const char* message) {
  return {name, field, FromJson(field->type(), json), message};
}

FieldPtr NotNull(const char* name, const TypePtr& type) {
  return arrow::field(name, type, /*nullable=*/false);
}

ArrayPtr BrokenText() {
  const auto binary = FromJson(arrow::binary(), R"(["a", "b"])");
  auto data = binary->data()->Copy();
  data->type = arrow::utf8();
  data->buffers[2] = arrow::Buffer::FromString("a\xff");
  return arrow::MakeArray(data);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, RefusedInput,
    ::testing::Values(
        Refused("NullStruct", Named(StructOf(arrow::int8(), arrow::int8())), "[null]",
                "field c has 1 null structs, which format 2.0 cannot hold; write version 2.1"),
        Refused("NullStructInList", Named(arrow::list(StructOf(arrow::int8(), arrow::int8()))),
                "[[null, null]]", "field c.item has 2 null structs"),
        Refused("NullPackedStruct", With(StructOf(arrow::int8(), arrow::int8()), "packed", "true"),
                "[null]", "field c has 1 null structs"),
        Refused("NullPackedMember", With(StructOf(arrow::int8(), arrow::int8()), "packed", "true"),
                R"([{"a": 1, "b": 2}, {"a": 3, "b": null}])",
                "field c: member b: has nulls, which packed structs cannot hold"),
        Refused("NullPackedItem",
                With(StructOf(arrow::fixed_size_list(arrow::int8(), 2), arrow::int8()), "packed",
                     "true"),
                R"([{"a": [1, null], "b": 2}])", "field c: member a: has nulls"),
        Refused("NullOfAFieldThatMustNot", NotNull("c", arrow::int8()), "[1, null]",
                "field c is not nullable and has 1 nulls"),
        Refused("NullMemberThatMustNot",
                Named(arrow::list(arrow::struct_({NotNull("a", arrow::utf8())}))),
                R"([[{"a": null}]])", "field c.item.a is not nullable and has 1 nulls"),
        Refused("NullListThatMustNot", NotNull("c", arrow::list(arrow::int8())), "[null]",
                "field c is not nullable"),
        RefusedCase{"NullItemOfADictionary",
                    NotNull("c", arrow::dictionary(arrow::int8(), arrow::utf8())),
                    std::make_shared<arrow::DictionaryArray>(
                        arrow::dictionary(arrow::int8(), arrow::utf8()),
                        FromJson(arrow::int8(), "[0]"), FromJson(arrow::utf8(), "[null]")),
                    "field c is not nullable and has 1 nulls"},
        RefusedCase{"BrokenText", Named(arrow::utf8()), BrokenText(), "field c: "},
        RefusedCase{"OtherType", Named(arrow::utf8()), FromJson(arrow::int8(), "[1]"),
                    "field c is a string, the array a int8"},
        Refused("UnknownCompression", Compressed(arrow::utf8(), "snappy"), "[]", "\"snappy\"")),
    [](const auto& test) { return test.param.name; });

TEST(FieldWriter, RefusesWhatTheFormatCannotHold) {
  const auto map = arrow::map(arrow::utf8(), arrow::int8());
  const auto vectors =
      arrow::fixed_size_list(arrow::struct_({arrow::field("a", arrow::int8())}), 2);
  const auto packed_text = With(StructOf(arrow::int8(), arrow::utf8()), "packed", "true");

  EXPECT_THAT(Write(Named(map), {}), IsNotImplemented(HasSubstr("write version 2.2")));
  EXPECT_THAT(Write(Named(vectors), {}), IsNotImplemented(HasSubstr("write version 2.2")));
  EXPECT_THAT(Write(packed_text, {}), IsNotImplemented(HasSubstr("member b of a packed struct")));
}

}  // namespace
}  // namespace lance::format::v20
